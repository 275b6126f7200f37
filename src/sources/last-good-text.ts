import type { Diagnostic } from '../model/diagnostic.ts'
import type { Doc } from './formats/doc.ts'
import { parseText } from './formats/parse-text.ts'
import type { OpenFile } from './source.ts'

/** The last text of each config file that could be used, by path. */
export type LastGoodTexts = Map<string, string>

export interface OpenedFile {
  readonly file: OpenFile
  readonly problem?: Diagnostic
}

/**
 * FI-94: a file that cannot be used now, because it is half written or unreadable, is read with its last usable text, and
 * a diagnostic says so. Without such a text it stays as it is.
 */
export async function useLastGood(
  { file, problem }: OpenedFile,
  text: string | undefined,
  lastGood: LastGoodTexts,
): Promise<OpenedFile> {
  const { path, format, doc } = file
  const found = problem ?? problemOf(path, doc, text)
  if (!found) {
    if (text !== undefined) lastGood.set(path, text)
    return { file }
  }
  const kept = lastGood.get(path)
  if (kept === undefined) return { file, ...(problem && { problem }) }
  return {
    file: { ...file, doc: await parseText(kept, format) },
    problem: { ...found, hint: 'Until this is fixed, the previous content of the file stays in force.' },
  }
}

/** An empty text is a problem in JSON: programs that write a file in place empty it first. */
function problemOf(path: string, { format, errors }: Doc, text: string | undefined): Diagnostic | undefined {
  const isEmpty = format === 'json' && text?.trim() === ''
  const [error] = isEmpty ? [{ line: 1, column: 1, message: 'the file is empty' }] : errors
  if (!error) return undefined
  const { line, column } = error
  const message = `line ${line}, column ${column}: ${error.message}.`
  return { code: 'parse-error', severity: 'error', message, origin: { file: path, line, column } }
}
