import { HostError } from '../../model/error.ts'
import { isList, isObject, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { nearest } from '../../model/near.ts'
import type { Input } from '../../model/server.ts'
import type { Path } from '../../sources/formats/doc.ts'
import { notAnObject } from '../../sources/formats/text-editor.ts'
import { toDefinition } from '../../sources/clients/editor-inputs.ts'
import { urlIn } from '../../sources/entries/write-endpoint.ts'
import { flagEdit, toEntry } from '../../sources/entries/write-entry.ts'
import type { Flag } from '../../sources/entries/write-entry.ts'
import type { LostField, NewServer, WrittenEntry } from '../../sources/entries/write-rules.ts'
import type { FilePlace } from '../../sources/source.ts'
import { readAddedKeys } from './added-keys.ts'
import type { WasAdded } from './added-keys.ts'
import { checkServer, nameIn } from './check-server.ts'
import type { NameHandling } from './check-server.ts'
import { editText } from './edit-source-file.ts'
import type { EditedServer, OpenText } from './edit-source-file.ts'
import { noSwitchError } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'
import { mergeEntry, mergeValue } from './merge-entry.ts'

/** Declares a server in the dialect of the file. A name that the file already uses is an error. */
export async function addServer(
  target: EditTarget,
  server: NewServer,
  handling: NameHandling = 'exact',
): Promise<EditedServer> {
  checkServer(server)
  return editText(target, server, (open) => {
    const name = nameIn(open.writing, server.name, handling)
    if (isTaken(name, open)) throw existsError(name, target.place)
    const file = withInitialKeys(open)
    const { entry, lost } = toWrittenEntry(server, file, {})
    const [path, value] = newPlace(name, entry, file)
    const after = writeInputs(file.editor.setIn(file.text, path, value), server, file)
    return { text: after.text, lost: [...lost, ...after.lost], name }
  })
}

/** Puts an entry back as its owner wrote it. A name that the file already uses is an error. */
export async function insertEntry(
  target: EditTarget,
  name: string,
  entry: JsonObject,
): Promise<EditedServer> {
  return editText(target, undefined, (file) => {
    if (isTaken(name, file)) throw existsError(name, target.place)
    const [path, value] = newPlace(name, entry, file)
    return { text: file.editor.setIn(file.text, path, value), lost: [] }
  })
}

/** Whether the name is used by a server, or by an entry that only the owner of the file can run. */
function isTaken(server: string, { writing: { entries, root }, doc }: OpenText): boolean {
  return entries.some(({ name }) => name === server) || valueAt(doc.value, [...root, server]) !== undefined
}

/** Adds to an empty file the keys that its owner requires. */
function withInitialKeys(file: OpenText): OpenText {
  const { text, editor, writing, place, doc } = file
  const first = text.trim() === '' ? writing.own.newFile?.({ ...place, doc }) : undefined
  if (!first) return file
  const started = Object.entries(first).reduce(
    (before, [key, value]) => editor.setIn(before, [key], value),
    text,
  )
  return { ...file, text: started, doc: editor.read(started) }
}

/**
 * Changes an entry in place. The endpoint is replaced; of the other keys only those that the description mentions
 * change, and unknown keys stay.
 */
export async function updateServer(
  target: EditTarget,
  server: NewServer,
  handling: NameHandling = 'exact',
): Promise<EditedServer> {
  checkServer(server)
  return editText(target, server, (file) => {
    const isThere = file.writing.entries.some(({ name }) => name === server.name)
    const name = isThere || handling === 'exact' ? server.name : nameIn(file.writing, server.name, handling)
    const { path, like } = findEntry(name, file, target)
    const bound = addressBoundKeys(server, like, file)
    const kept = Object.fromEntries(Object.entries(like).filter(([key]) => !bound.includes(key)))
    const { entry, lost } = toWrittenEntry(server, file, kept)
    const cleared = [...clearedKeys(server, file), ...bound]
    const merged = mergeEntry(file.text, path, { from: like, to: entry, cleared }, file)
    const after = writeInputs(merged, server, file)
    return { text: after.text, lost: [...lost, ...after.lost], name }
  })
}

/** Removes a server from its file and returns the removed entry. */
export async function removeServer(
  target: EditTarget,
  name: string,
): Promise<{ readonly edited: EditedServer; readonly entry: JsonObject }> {
  let entry: JsonObject = {}
  const wasAdded = await readAddedKeys(target.place.path, target.platform)
  const edited = await editText(target, undefined, (file) => {
    const { path, like } = findEntry(name, file, target)
    if (path.length === 0) throw wholeFileError(name, target.place)
    entry = like
    return { text: removeEmptied(file.editor.removeIn(file.text, path), path, file, wasAdded), lost: [] }
  })
  return { edited, entry }
}

/** Removes the containers around a removed entry that `add` created and that hold nothing now, not even a comment. */
function removeEmptied(
  text: string,
  path: Path,
  { editor }: Pick<OpenText, 'editor'>,
  wasAdded: WasAdded,
): string {
  const outer = path.slice(0, -1)
  const value = wasAdded(outer) ? valueAt(editor.read(text).value, outer) : undefined
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (!isEmpty) return text
  const after = outer.length === 0 ? (editor.removeRoot?.(text) ?? text) : editor.removeIn(text, outer)
  if (commentsIn(after) < commentsIn(text)) return text
  return outer.length === 0 ? after : removeEmptied(after, outer, { editor }, wasAdded)
}

/** The signs that begin a comment in any format. A sign inside a string counts too; then a container stays. */
function commentsIn(text: string): number {
  return text.match(/\/[/*]|#/g)?.length ?? 0
}

/**
 * Switches a server on or off in its entry: flips the value where the key stands. On removes a key that switching off
 * added, so that both together restore the text. `isExplicit` writes the key instead, for an entry that must override a
 * lower layer.
 */
export async function setEnabled(
  target: EditTarget,
  name: string,
  on: boolean,
  { isExplicit = false }: { readonly isExplicit?: boolean } = {},
): Promise<EditedServer> {
  const wasAdded = await readAddedKeys(target.place.path, target.platform)
  return editText(target, undefined, (file) => {
    const { editor, writing } = file
    const { path, like } = findEntry(name, file, target)
    const flags = flagEdit(writing.rules, on, { like, flag: flagOf(file), always: isExplicit })
    if (!flags) throw noSwitchError(target)
    const wrong = Object.entries(flags).filter(([key, value]) => like[key] !== value)
    const drops = on && !isExplicit && !writing.rules.flagRequired
    const edit = (text: string, [key, value]: [string, Json]) =>
      drops && wasAdded([...path, key])
        ? editor.removeIn(text, [...path, key])
        : editor.setIn(text, [...path, key], value)
    return { text: wrong.reduce(edit, file.text), lost: [] }
  })
}

/** Replaces one argument of the command, where the entry has it: in a list of its own, or in the text of the command. */
export async function replaceArgument(
  target: EditTarget,
  name: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<EditedServer> {
  return editText(target, undefined, (file) => {
    const { path, like } = findEntry(name, file, target)
    const places = argumentPlaces(like, from)
    const [place] = places
    if (!place || places.length > 1) throw noSingleArgument(name, from, target.place)
    const value = valueAt(like, place)
    const text = typeof value === 'string' && value !== from ? value.replace(from, () => to) : to
    return { text: file.editor.setIn(file.text, [...path, ...place], text), lost: [] }
  })
}

/** Where the argument stands, as far as it is told from others. */
function argumentPlaces(entry: JsonObject, argument: string): readonly Path[] {
  const found: Path[] = []
  const walk = (value: Json | undefined, path: Path): void => {
    if (isList(value)) value.forEach((item, index) => walk(item, [...path, index]))
    // Variables and headers hold no arguments, whatever their text.
    else if (isObject(value))
      for (const [key, item] of Object.entries(value))
        if (!/^(?:env|environment|headers)$/.test(key)) walk(item, [...path, key])
    if (typeof value !== 'string') return
    const isCommand =
      path.at(-1) === 'command' && value.split(/\s+/).filter((word) => word === argument).length === 1
    const isItem = typeof path.at(-1) === 'number' && value === argument
    if (isCommand || isItem) found.push(path)
  }
  walk(entry, [])
  return found
}

/** Sets the box of a server in its entry; the other keys stay as they are. */
export async function setRunner(target: EditTarget, name: string, runner: Json): Promise<EditedServer> {
  return editText(target, undefined, (file) => {
    const { path, like } = findEntry(name, file, target)
    const text = mergeValue(file.text, [...path, 'runner'], like['runner'], runner, file.editor)
    return { text, lost: [] }
  })
}

/** Keys of tool lists that the description resets: all tools allowed, none denied, none approved in advance. */
function clearedKeys({ tools = {} }: NewServer, { writing: { rules } }: OpenText): readonly string[] {
  const { allow, deny, autoApprove } = tools
  return [
    allow === null && rules.allowKey,
    deny?.length === 0 && rules.denyKey,
    autoApprove?.length === 0 && rules.autoApproveKey,
  ].flatMap((key) => key || [])
}

/** Keys that belong to the old address and are dropped when the address or login changes, above all a login. */
function addressBoundKeys(
  server: NewServer,
  like: JsonObject,
  { writing: { rules, own } }: OpenText,
): readonly string[] {
  const url = server.transport.kind === 'stdio' ? undefined : server.transport.url
  return server.auth || urlIn(like, rules) !== url ? (own.boundKeys ?? []) : []
}

function toWrittenEntry(
  server: NewServer,
  { writing, doc, place }: OpenText,
  like: JsonObject,
): WrittenEntry {
  if (server.entry && writing.own.keepsEntries) return { entry: server.entry, lost: [] }
  const { rules, own } = writing
  const entry = toEntry(server, rules, { ...own, like, flag: flagOf({ writing, doc }) })
  return own.toEntry?.(server, entry, { file: { ...place, doc }, like }) ?? entry
}

/** C3: the on/off key that the file already uses; otherwise `disabled` under `servers`, and `enabled` elsewhere. */
function flagOf({ writing, doc }: Pick<OpenText, 'writing' | 'doc'>): Flag {
  const uses = (flag: Flag) =>
    writing.entries.some(({ path }) => valueAt(doc.value, [...path, flag]) !== undefined)
  if (uses('enabled')) return 'enabled'
  if (uses('disabled')) return 'disabled'
  return writing.own.usualFlag ?? (writing.root[0] === 'servers' ? 'disabled' : 'enabled')
}

/** The path and value of a new entry: under its name in a map, or at the end of a list with a `name` key. */
function newPlace(name: string, entry: JsonObject, { writing, doc, place }: OpenText): readonly [Path, Json] {
  const { root, own } = writing
  const value = valueAt(doc.value, root)
  const named = { name, ...entry }
  if (Array.isArray(value)) {
    if (!own.list) throw notAnObject(doc, root)
    return [[...root, value.length], named]
  }
  const startsList = (value ?? null) === null && own.list?.({ ...place, doc })
  return startsList ? [root, [named]] : [[...root, name], entry]
}

function findEntry(
  name: string,
  file: OpenText,
  target: EditTarget,
): { readonly path: Path; readonly like: JsonObject } {
  const { entries } = file.writing
  const found = entries.find((entry) => entry.name === name)
  const names = entries.map((entry) => entry.name)
  if (!found) throw unknownServerError(name, names, target.place)
  const value = valueAt(file.doc.value, found.path)
  return { path: found.path, like: isObject(value) ? value : {} }
}

/** Adds the definitions of a server's inputs where the file keeps them. An existing definition of the same id stays. */
function writeInputs(
  text: string,
  { inputs = [] }: NewServer,
  { editor, writing: { own } }: OpenText,
): { readonly text: string; readonly lost: readonly LostField[] } {
  const { inputsKey: key } = own
  if (inputs.length === 0) return { text, lost: [] }
  if (key === undefined) return { text, lost: inputs.map(notDefined) }
  const { value } = editor.read(text)
  const list = isObject(value) ? (value[key] ?? []) : []
  if (!Array.isArray(list)) return { text, lost: inputs.map(notDefined) }
  const known = list as readonly Json[] // Array.isArray does not narrow a readonly union
  const added = inputs
    .filter(({ id }) => !known.some((item) => isObject(item) && item['id'] === id))
    .map(toDefinition)
  if (known.length === 0 && added.length > 0) return { text: editor.setIn(text, [key], added), lost: [] }
  const append = (before: string, item: JsonObject, index: number) =>
    editor.setIn(before, [key, known.length + index], item)
  return { text: added.reduce(append, text), lost: [] }
}

function notDefined({ id, description, secret }: Input): LostField {
  const what = [description ?? [], secret ? 'a secret' : []].flat().join(', ')
  return {
    field: `inputs.${id}`,
    reason: `The file has no place for its definition${what && ` (${what})`}. Enter the value when the server starts, or use a variable instead of \${input:${id}}.`,
  }
}

function existsError(server: string, { path: file }: FilePlace): HostError {
  return new HostError('config.exists', { server, file }, `Server "${server}" already exists in ${file}`)
}

function unknownServerError(server: string, names: readonly string[], { path }: FilePlace): HostError {
  const near = nearest(server, names)
  const hint = near.length > 0 ? { hint: `Did you mean ${near.join(' or ')}?` } : {}
  return new HostError('server.unknown', { server, near }, `There is no server "${server}" in ${path}.`, hint)
}

function noSingleArgument(server: string, argument: string, { path: file }: FilePlace): HostError {
  return new HostError(
    'config.unwritable',
    { file },
    `The entry of "${server}" in ${file} does not have ${JSON.stringify(argument)} exactly once.`,
    { hint: 'Change it by hand.' },
  )
}

function wholeFileError(server: string, { path: file }: FilePlace): HostError {
  return new HostError('config.unwritable', { file }, `${file} contains only the server "${server}".`, {
    hint: 'Delete the file.',
  })
}
