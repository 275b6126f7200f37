import type { Diagnostic } from '../model/diagnostic.ts'
import type { Files } from '../platform/platform.ts'
import type { Doc } from '../sources/formats/doc.ts'
import type { FileChange } from './watch-files.ts'

/** A file as far as it can be used. */
export interface Kept {
  /** The last text that parsed; absent while none has. */
  readonly text?: string
  /** Why that is not the text of the file. */
  readonly problem?: Diagnostic
}

export type LastGood = ReadonlyMap<string, Kept>

type Parse = (path: string, text: string) => Promise<Pick<Doc, 'errors'>>

/** FI-70: a text that does not parse is reported where it breaks and leaves the one before it in force. */
export async function keepLastGood(
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

function textOf(kept: Kept | undefined): Kept {
  return kept?.text === undefined ? {} : { text: kept.text }
}

async function problemOf({ path, state }: FileChange, parse: Parse): Promise<Diagnostic | undefined> {
  if (state.kind === 'absent') return undefined
  const hint = 'Until this is corrected, what the file held before stays in force.'
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

/** Reads as the file system would if nobody had saved half a text. */
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
