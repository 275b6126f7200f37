import type { Diagnostic } from '../model/diagnostic.ts'
import type { Files } from '../platform/platform.ts'
import type { Doc } from '../sources/formats/doc.ts'
import type { FileChange } from './watch-files.ts'

/** The last usable text of a file. */
export interface GoodText {
  /** The last text that parsed; absent if none has parsed yet. */
  readonly text?: string
  /** Why the current text of the file is not used. */
  readonly problem?: Diagnostic
}

export type LastGood = ReadonlyMap<string, GoodText>

type Parse = (path: string, text: string) => Promise<Pick<Doc, 'errors'>>

/** FI-70: applies changes. A text that does not parse is reported with its place, and the previous text is kept. */
export async function updateLastGood(
  before: LastGood,
  changes: readonly FileChange[],
  parse: Parse,
): Promise<LastGood> {
  const after = new Map(before)
  for (const change of changes) {
    const problem = await problemOf(change, parse)
    if (problem) after.set(change.path, { ...textOf(before.get(change.path)), problem })
    else if (change.state.kind === 'text') after.set(change.path, { text: change.state.text })
    else after.delete(change.path)
  }
  return after
}

function textOf(kept: GoodText | undefined): GoodText {
  return kept?.text === undefined ? {} : { text: kept.text }
}

async function problemOf({ path, state }: FileChange, parse: Parse): Promise<Diagnostic | undefined> {
  if (state.kind === 'absent') return undefined
  const hint = 'Until this is fixed, the previous content of the file stays in force.'
  if (state.kind === 'problem') {
    return {
      code: 'unreadable-file',
      severity: 'error',
      message: state.message,
      hint,
      origin: { file: path },
    }
  }
  const [error] = (await parse(path, state.text)).errors
  if (!error) return undefined
  const { line, column } = error
  const message = `line ${line}, column ${column}: ${error.message}.`
  return { code: 'parse-error', severity: 'error', message, hint, origin: { file: path, line, column } }
}

/** Files that return the last good text in place of one that does not parse. */
export function withLastGood(files: Files, good: LastGood): Files {
  return {
    ...files,
    async readText(path, readOptions) {
      const kept = good.get(path)
      const found = await files.readText(path, readOptions)
      if (!kept?.problem || kept.text === undefined || found.kind === 'absent') return found
      const stat =
        found.kind === 'text'
          ? found.stat
          : ({ kind: 'file', mode: 0o600, uid: 0, size: 0, mtimeMs: 0 } as const)
      return { kind: 'text', text: kept.text, bom: false, stat }
    },
  }
}
