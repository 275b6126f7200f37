import { HostError } from '../../model/error.ts'
import { toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Doc, Format, Path, Position } from './doc.ts'

/** Edits a text in its own format and gives back the new one: only what is at the path changes. */
export interface Editor {
  /** What the text says now; a text with errors is refused. */
  read(text: string): Doc
  setIn(text: string, path: Path, value: Json): string
  removeIn(text: string, path: Path): string
}

export async function editorOf(format: Format): Promise<Editor> {
  if (format === 'json') return import('./edit-json.ts')
  if (format === 'toml') return import('./edit-toml.ts')
  if (format === 'yaml') return import('./edit-yaml.ts')
  throw new HostError('config.invalid', {}, 'The front matter of a Markdown file is edited by hand.')
}

export function notAnObject(doc: Doc, path: Path): HostError<'config.invalid'> {
  const pointer = toPointer(path)
  return refusal(doc.position(pointer), `${pointer === '' ? 'the file' : pointer} is not an object`)
}

/** What stops an edit, with its place in the text. */
export function refusal({ line, column }: Position, message: string): HostError<'config.invalid'> {
  return new HostError('config.invalid', {}, `line ${line}, column ${column}: ${message}.`, {
    hint: 'Correct the text there; until then nothing is written.',
  })
}
