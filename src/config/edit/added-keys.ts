import { dirname, join } from 'node:path'
import { fromPointer, isList, isObject, isStringArray, toPointer, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Doc, Format, Path } from '../../sources/formats/doc.ts'
import { parseText } from '../../sources/formats/parse-text.ts'
import { stateDirectory } from '../own-directories.ts'
import { editFile } from './edit-file.ts'

export type RecordPlatform = Pick<Platform, 'env' | 'home' | 'files' | 'lock'>

/** The keys that our edits added to files: pointers by the file's real path, the file edited last at the end. */
type AddedKeys = ReadonlyMap<string, readonly string[]>

/** A file beyond this limit is forgotten, the one edited first first. */
const mostFiles = 500

export function addedKeysFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(platform), 'added-keys.json')
}

/** Whether an edit of ours added this key to the file, so that the opposite edit removes it again. */
export type WasAdded = (path: Path) => boolean

export async function readAddedKeys(file: string, platform: RecordPlatform): Promise<WasAdded> {
  const real = await platform.files.realPath(file)
  const found = await platform.files.readText(addedKeysFile(platform))
  const pointers = found.kind === 'text' ? (parse(found.text).get(real) ?? []) : []
  return (path) => pointers.includes(toPointer(path))
}

/** A file before and after an edit. */
export interface EditedDocs {
  readonly before: Doc
  readonly after: Doc
  readonly isNew: boolean
}

export async function parseEdited(
  before: string,
  after: string,
  { format, isNew }: { readonly format: Format; readonly isNew: boolean },
): Promise<EditedDocs> {
  return { before: await parseText(before, format), after: await parseText(after, format), isNew }
}

/**
 * Records which keys an edit added, and forgets those that are gone. Without the record, a key that was there before
 * could not be told from an added one. A record that cannot be written is left out: the edit itself is done.
 */
export async function recordAddedKeys(
  file: string,
  { before, after, isNew }: EditedDocs,
  platform: RecordPlatform,
): Promise<void> {
  const path = addedKeysFile(platform)
  const found = await platform.files.readText(path)
  // A new file keeps its root: programs expect a value in a file that exists. One that had none before gets it removed.
  const root = before.value === undefined && !isNew ? [[]] : []
  const added = [...root, ...addedPaths(before.value ?? {}, after.value ?? {})].map(toPointer)
  if (added.length === 0 && !(found.kind === 'text' && parse(found.text).has(file))) return
  const edit = (text: string) => toText(update(parse(text), file, added, after))
  await platform.files
    .makePrivateDirectory(dirname(path))
    .then(() => editFile({ platform, path, mode: 0o600, edit }))
    .catch(() => undefined)
}

function update(all: AddedKeys, file: string, added: readonly string[], after: Doc): AddedKeys {
  const known = [...(all.get(file) ?? []), ...added]
  const there = known.filter((pointer) => valueAt(after.value, fromPointer(pointer)) !== undefined)
  const others = [...all].filter(([path]) => path !== file)
  const kept = there.length > 0 ? [...others, [file, [...new Set(there)]] as const] : others
  return new Map(kept.slice(-mostFiles))
}

/** The switches and the containers of entries that only the new value has. */
function addedPaths(before: Json | undefined, after: Json, path: Path = []): readonly Path[] {
  if (before !== undefined && (!isObject(before) || !isObject(after))) return []
  if (before === undefined && typeof after === 'boolean') return [path]
  if (!isObject(after) && !isList(after)) return []
  if (before === undefined && !isContainer(after)) return []
  const inside = Object.entries(after).flatMap(([key, value]) =>
    addedPaths(valueAt(before, [key]), value, [...path, key]),
  )
  return before === undefined ? [path, ...inside] : inside
}

/** Whether a value holds only objects: a map or list of entries, not an entry. */
function isContainer(value: JsonObject | readonly Json[]): boolean {
  const members = Object.values(value)
  return members.length > 0 && members.every(isObject)
}

function parse(text: string): AddedKeys {
  const files = new Map<string, readonly string[]>()
  for (const [file, pointers] of Object.entries(filesIn(text)))
    if (isStringArray(pointers)) files.set(file, pointers)
  return files
}

/** A damaged record counts as empty: it holds no decisions. */
function filesIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && isObject(value['files']) ? value['files'] : {}
  } catch {
    return {}
  }
}

function toText(all: AddedKeys): string {
  return `${JSON.stringify({ version: 1, files: Object.fromEntries(all) }, undefined, 2)}\n`
}
