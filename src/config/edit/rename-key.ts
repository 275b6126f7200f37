import { HostError } from '../../model/error.ts'
import { fromPointer, isEqual, isObject, valueAt } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import { formatByName, parseText } from '../../sources/formats/parse-text.ts'
import type { Doc } from '../../sources/formats/doc.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { recordWrites } from './dry-run.ts'
import type { FileChange } from './dry-run.ts'
import { editFile } from './edit-file.ts'

export interface RenameOptions extends DiscoverOptions {
  /** Report what would be written, and write nothing. */
  readonly dryRun?: boolean
}

export interface RenamedKey {
  readonly changed: boolean
  /** With `dryRun`, the change that would be written; otherwise empty. */
  readonly changes: readonly FileChange[]
}

/** Renames a key of a config file in place: its value, its neighbors and all comments stay as they are. */
export async function renameKey(
  file: string,
  { pointer, to }: { readonly pointer: string; readonly to: string },
  options: RenameOptions = {},
): Promise<RenamedKey> {
  const real = await platformOf(options)
  const recording = recordWrites(real.files)
  const platform: Pick<Platform, 'files' | 'lock'> = options.dryRun
    ? { files: recording, lock: (_path, work) => work() }
    : real
  const edit = (text: string) => renameIn(text, { file, pointer, to })
  const { changed } = await editFile({ platform, path: file, edit })
  return { changed, changes: options.dryRun ? recording.changes() : [] }
}

interface Renaming {
  readonly file: string
  readonly pointer: string
  readonly to: string
}

/** Places that are tried; a key that occurs more often in one file is not renamed. */
const maxTries = 200

/** Replaces the one occurrence of the key after which the text means what was wanted, and nothing else. */
async function renameIn(text: string, { file, pointer, to }: Renaming): Promise<string> {
  const format = formatByName(file)
  const doc = await parseText(text, format)
  const path = fromPointer(pointer)
  const key = path.at(-1) ?? ''
  const wanted = doc.errors.length === 0 ? withRenamed(doc.value, path, to) : undefined
  if (wanted === undefined)
    throw new HostError(
      'config.conflict',
      { file },
      `${file} has changed: there is no ${pointer} to rename.`,
      {
        hint: 'Look at the file again. Nothing was written.',
      },
    )
  for (const at of placesOf(key, text, doc, pointer).slice(0, maxTries)) {
    const after = text.slice(0, at) + to + text.slice(at + key.length)
    const result = await parseText(after, format)
    if (result.errors.length === 0 && isEqual(result.value, wanted)) return after
  }
  throw new HostError('config.unwritable', { file }, `"${key}" cannot be renamed safely in ${file}.`, {
    hint: `Write "${to}" there yourself. Nothing was written.`,
  })
}

/** The data with one key renamed; `undefined` if it is not there, or the other one is there already. */
function withRenamed(data: Json | undefined, path: readonly string[], to: string): Json | undefined {
  const [key, ...rest] = path
  const value = key === undefined ? undefined : valueAt(data, [key])
  if (key === undefined || value === undefined || data === undefined) return undefined
  const changed = rest.length === 0 ? value : withRenamed(value, rest, to)
  if (changed === undefined) return undefined
  if (Array.isArray(data))
    return (data as readonly Json[]).map((item, at) => (String(at) === key ? changed : item))
  if (!isObject(data) || (rest.length === 0 && data[to] !== undefined)) return undefined
  const entries = Object.entries(data).map(([name, item]) =>
    name === key ? [rest.length === 0 ? to : name, changed] : [name, item],
  )
  return Object.fromEntries(entries) as Json // pairs of keys and JSON
}

/** Where the key occurs in the text, the places nearest to its line first. */
function placesOf(key: string, text: string, doc: Doc, pointer: string): readonly number[] {
  const { line } = doc.position(pointer)
  const lineOf = (at: number) => text.slice(0, at).split('\n').length
  const found: { readonly at: number; readonly distance: number }[] = []
  for (let at = text.indexOf(key); at >= 0 && found.length < 5 * maxTries; at = text.indexOf(key, at + 1))
    found.push({ at, distance: Math.abs(lineOf(at) - line) })
  return found.toSorted((a, b) => a.distance - b.distance).map(({ at }) => at)
}
