import { HostError } from '../model/error.ts'
import { isObject, valueAt } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Platform } from '../platform/platform.ts'
import type { Doc, Path } from '../sources/format/doc.ts'
import { editorOf } from '../sources/format/edit.ts'
import type { Editor } from '../sources/format/edit.ts'
import type { FilePlace, Source, World } from '../sources/source.ts'
import { flagEdit, toEntry } from '../sources/write-entry.ts'
import type { Flag } from '../sources/write-entry.ts'
import type { Lost, NewServer, Writing, WrittenEntry } from '../sources/writing.ts'
import { checkName, checkServer, holdsSecret } from './check-server.ts'
import { alreadyThere, noSwitch, notEdited, notThere } from './edit-errors.ts'
import { mergeEntry } from './merge-entry.ts'
import { editFile } from './write.ts'

/** The file that is edited, and whose it is. */
export interface EditTarget {
  readonly platform: Pick<Platform, 'files' | 'lock'>
  readonly world: World
  readonly source: Source
  readonly place: FilePlace
}

export interface EditedServer {
  /** Where it was written: the file itself, or what it links to. */
  readonly file: string
  readonly changed: boolean
  /** What the owner's entries have no place for. */
  readonly lost: readonly Lost[]
}

/** Declares a server in its owner's dialect. A name that the file has already is an error. */
export async function addServer(target: EditTarget, server: NewServer): Promise<EditedServer> {
  checkServer(server)
  return edit(target, server, (file) => {
    const { writing, editor, text } = file
    checkName(server.name, writing.rules)
    if (writing.entries.some(({ name }) => name === server.name))
      throw alreadyThere(server.name, target.place)
    const { entry, lost } = written(server, file, {})
    const [path, value] = newPlace(server.name, entry, file)
    return { text: editor.setIn(text, path, value), lost }
  })
}

/**
 * Changes a server where it stands. The endpoint becomes what is described; of everything else only what the
 * description mentions changes, and keys that are not ours to understand stay.
 */
export async function updateServer(target: EditTarget, server: NewServer): Promise<EditedServer> {
  checkServer(server, { isNew: false })
  return edit(target, server, (file) => {
    const { path, like } = find(server.name, file, target)
    const { entry, lost } = written(server, file, like)
    return {
      text: mergeEntry(file.text, path, { from: like, to: entry, cleared: clearedBy(server, file) }, file),
      lost,
    }
  })
}

export async function removeServer(target: EditTarget, name: string): Promise<EditedServer> {
  return edit(target, undefined, (file) => {
    const { path } = find(name, file, target)
    return { text: file.editor.removeIn(file.text, path), lost: [] }
  })
}

export async function setEnabled(target: EditTarget, name: string, on: boolean): Promise<EditedServer> {
  return edit(target, undefined, (file) => {
    const { path, like } = find(name, file, target)
    const flags = flagEdit(file.writing.rules, on, { like, flag: flagOf(file) })
    if (!flags) throw noSwitch(target)
    const set = (text: string, [key, value]: [string, JsonObject[string]]) =>
      file.editor.setIn(text, [...path, key], value)
    return { text: Object.entries(flags).reduce(set, file.text), lost: [] }
  })
}

/** Lists that the description makes empty: every tool, none denied, none approved in advance. */
function clearedBy({ tools = {} }: NewServer, { writing: { rules } }: OpenText): readonly string[] {
  const { allow, deny, autoApprove } = tools
  return [
    allow === null && rules.allowKey,
    deny?.length === 0 && rules.denyKey,
    autoApprove?.length === 0 && rules.autoApproveKey,
  ].flatMap((key) => key || [])
}

interface OpenText {
  readonly text: string
  readonly doc: Doc
  readonly editor: Editor
  readonly writing: Writing
  readonly place: FilePlace
}

type Edit = (file: OpenText) => { readonly text: string; readonly lost: readonly Lost[] }

async function edit(target: EditTarget, server: NewServer | undefined, change: Edit): Promise<EditedServer> {
  const { platform, world, place } = target
  const { writing: writingIn } = target.source
  if (!writingIn || place.format === 'markdown') throw notEdited(target)
  const editor = await editorOf(place.format)
  let lost: readonly Lost[] = []
  const edited = await editFile({
    platform,
    path: place.path,
    mode: (before) => modeFor(before, server, place),
    edit(text) {
      const doc = named(place.path, () => editor.read(text))
      const writing = writingIn({ ...place, doc }, world)
      const result = named(place.path, () => change({ text, doc, editor, writing, place }))
      lost = result.lost
      return result.text
    },
  })
  return { ...edited, lost }
}

/** T09: what holds a literal secret is for its owner alone; what a project or a machine shares is for everyone. */
function modeFor(
  before: number | undefined,
  server: NewServer | undefined,
  { authority }: FilePlace,
): number {
  const secret = server !== undefined && holdsSecret(server)
  if (before !== undefined) return secret ? before & ~0o077 : before
  const shared = authority === 'project' || authority === 'managed'
  return shared && !secret ? 0o644 : 0o600
}

/** An editor knows lines; the file they are in is known here. */
function named<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isNameless =
      error instanceof HostError && error.code === 'config.invalid' && !('server' in error.data)
    if (!isNameless) throw error
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    throw new HostError('config.invalid', { file }, `${file}, ${error.message}`, { cause: error, ...hint })
  }
}

function written(server: NewServer, { writing, doc, place }: OpenText, like: JsonObject): WrittenEntry {
  if (server.entry && writing.own.keepsEntries) return { entry: server.entry, lost: [] }
  const { rules, own } = writing
  const context = { like, flag: flagOf({ writing, doc }), ...(own.auth && { auth: own.auth }) }
  const entry = toEntry(server, rules, context)
  return own.toEntry?.(server, entry, { ...place, doc }) ?? entry
}

/** C3: `enabled`, unless the file uses the other word. */
function flagOf({ writing, doc }: Pick<OpenText, 'writing' | 'doc'>): Flag {
  const uses = (flag: Flag) =>
    writing.entries.some(({ path }) => valueAt(doc.value, [...path, flag]) !== undefined)
  if (uses('enabled')) return 'enabled'
  return uses('disabled') || writing.root[0] === 'servers' ? 'disabled' : 'enabled'
}

/** Under its name, or at the end of a list, where it says its name itself. */
function newPlace(name: string, entry: JsonObject, { writing, doc, place }: OpenText): readonly [Path, Json] {
  const { root, own } = writing
  const value = valueAt(doc.value, root)
  const named = { name, ...entry }
  if (Array.isArray(value)) return [[...root, value.length], named]
  const begins = (value ?? null) === null && own.list?.({ ...place, doc })
  return begins ? [root, [named]] : [[...root, name], entry]
}

function find(
  name: string,
  file: OpenText,
  target: EditTarget,
): { readonly path: Path; readonly like: JsonObject } {
  const { entries } = file.writing
  const found = entries.find((entry) => entry.name === name)
  const names = entries.map((entry) => entry.name)
  if (!found) throw notThere(name, names, target.place)
  const value = valueAt(file.doc.value, found.path)
  return { path: found.path, like: isObject(value) ? value : {} }
}
