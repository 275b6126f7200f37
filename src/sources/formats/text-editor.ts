import { HostError } from '../../model/error.ts'
import { toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Doc, Format, Path, Position } from './doc.ts'

/** Edits a text in its own format and returns the new text; only the value at the path changes. */
export interface Editor {
  /** Parses the text; throws if it has errors. */
  read(text: string): Doc
  setIn(text: string, path: Path, value: Json): string
  removeIn(text: string, path: Path): string
  /** Takes away the empty root value that the first edit of an empty text added, in formats that need one. */
  removeRoot?(text: string): string
}

export async function editorOf(format: Format): Promise<Editor> {
  if (format === 'json') return import('./edit-json.ts')
  if (format === 'toml') return import('./edit-toml.ts')
  if (format === 'yaml') return import('./edit-yaml.ts')
  throw new HostError('config.invalid', {}, 'Edit the front matter of a Markdown file by hand.')
}

export function notAnObject(doc: Doc, path: Path): HostError<'config.invalid'> {
  const pointer = toPointer(path)
  return refusal(doc.position(pointer), `${pointer === '' ? 'the file' : pointer} is not an object`)
}

/** The error for an edit that cannot be done, with its place in the text. */
export function refusal({ line, column }: Position, message: string): HostError<'config.invalid'> {
  return new HostError('config.invalid', {}, `line ${line}, column ${column}: ${message}.`, {
    hint: 'Fix the text there first. Nothing was written.',
  })
}
