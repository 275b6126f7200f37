import type { Diagnostic } from '../../model/diagnostic.ts'
import { HostError } from '../../model/error.ts'
import { toPointer } from '../../model/json.ts'
import { nearest } from '../../model/near.ts'
import type { Origin, Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import { isInside } from '../../sources/path-containment.ts'
import { findProject, isProjectConfig } from '../../sources/project-folder.ts'
import { parseText } from '../../sources/formats/parse-text.ts'
import { assignAuthority, openFiles } from '../../sources/open-files.ts'
import { placesOf } from '../../sources/places.ts'
import type { FilePlace, Source, World } from '../../sources/source.ts'
import { unknownHint } from '../server-in-force.ts'
import type { RecordPlatform } from './added-keys.ts'

/** The file to edit, and the source it belongs to. */
export interface EditTarget {
  readonly platform: RecordPlatform
  readonly world: World
  readonly source: Source
  readonly place: FilePlace
}

/** Which file to edit: the user's or the project's. */
export type Scope = 'user' | 'project'

interface EditContext {
  readonly platform: Platform
  readonly world: World
}

/** Roles of files that the client itself writes servers to. The others belong to other clients or hold settings. */
export const ownRoles: readonly string[] = ['servers', 'main', 'native', 'cli']

/** The file of a source for a scope: the first that exists, otherwise the one its owner would create. */
export async function targetIn(
  source: Source,
  { platform, world }: EditContext,
  scope: Scope | undefined,
): Promise<EditTarget> {
  if (!source.writing) throw notEditableError({ source, place: { path: source.title } })
  const places = await assignAuthority(placesOf(source.id, world), platform.files)
  const own = places.filter(({ path, role }) => !path.includes('*') && ownRoles.includes(role))
  const wanted = world.config === undefined ? filterByScope(own, scope) : own.slice(0, 1)
  const there = await Promise.all(
    wanted.map(async (place) => ((await platform.files.stat(place.path)) ? [place] : [])),
  )
  const place = there.flat()[0] ?? widest(wanted)
  if (!place) throw noFileError(source, scope ?? 'user')
  await refuseLinkOut(place, { platform, world })
  return { platform, world, source, place }
}

/** T01: refuses a project file that is a link out of the project: the edit would change a user's own file. */
async function refuseLinkOut(place: FilePlace, { platform, world }: EditContext): Promise<void> {
  const { path, authority, root } = place
  if (authority !== 'project' || (await isInside(path, [root, ...world.dirs], platform.files))) return
  // A variable may name a file of the superproject, or of a parent.
  if (await isProjectConfig(path, await findProject(platform), platform.files)) return
  const real = await platform.files.realPath(path)
  throw new HostError(
    'config.unwritable',
    { file: path },
    `${path} is a link to ${real}, which is not in the project.`,
    { hint: 'Edit that file directly, or replace the link with a file.' },
  )
}

function filterByScope(places: readonly FilePlace[], scope: Scope | undefined): readonly FilePlace[] {
  if (scope === 'project')
    return places.filter((place) => isInScope(place, scope) && place.scope !== 'project-user')
  const own = places.filter((place) => place.authority === 'user' && place.scope !== 'data')
  return scope === 'user' || own.length > 0 ? own : places.filter(({ authority }) => authority !== 'managed')
}

function isInScope({ authority, scope }: FilePlace, wanted: Scope | undefined): boolean {
  if (wanted === undefined || scope === 'explicit') return true
  return wanted === 'project' ? authority === 'project' || scope === 'project' : authority === 'user'
}

/** The place with the shortest root: in a project that is the repository's root, which the whole team shares. */
function widest(places: readonly FilePlace[]): FilePlace | undefined {
  const root = places.map((place) => place.root).sort((a, b) => a.length - b.length)[0]
  return places.find((place) => place.root === root)
}

function noFileError({ title }: Source, scope: Scope): HostError {
  return new HostError('config.unwritable', { file: title }, `${title} has no ${scope} file.`, {
    hint: `Try --scope ${scope === 'user' ? 'project' : 'user'}.`,
  })
}

/** The file of the declaration that is in force for a name or, if none is valid, of the one with the highest rank. */
export async function declarationOf(
  name: string,
  { platform, world, sources }: EditContext & { readonly sources: readonly Source[] },
  {
    scope,
    isWaiting,
    diagnostics = [],
  }: {
    readonly scope: Scope | undefined
    readonly isWaiting: (origin: Origin) => boolean
    readonly diagnostics?: readonly Diagnostic[]
  },
): Promise<EditTarget> {
  const names: string[] = []
  const found: EditTarget[] = []
  for (const source of sources) {
    const { files } = await openFiles(placesOf(source.id, world), platform.files)
    const winner = source.read(files, world, isWaiting).servers.find((server) => server.name === name)
    const targets = files.flatMap(({ doc, ...place }) => {
      const entries = source.writing?.({ ...place, doc }, world).entries ?? []
      names.push(...entries.map((entry) => entry.name))
      const pointers = entries.filter((entry) => entry.name === name).map(({ path }) => toPointer(path))
      return isInScope(place, scope) ? pointers.map((pointer) => ({ source, place, pointer })) : []
    })
    const inForce = targets.find(
      ({ place, pointer }) => place.path === winner?.origin.file && pointer === winner.origin.pointer,
    )
    if (inForce) return toTarget(inForce)
    if (winner && scope === undefined) throw notEditableHereError(winner, source)
    found.push(...targets.map(({ place }) => ({ platform, world, source, place })))
  }
  const [first] = found
  if (first) return toTarget(first)
  const near = nearest(name, [...new Set(names)])
  const where = scope ? ` in the ${scope}’s files` : ''
  throw new HostError('server.unknown', { server: name, near }, `No server "${name}" is declared${where}.`, {
    hint: unknownHint(near, diagnostics),
  })

  async function toTarget({ source, place }: Pick<EditTarget, 'source' | 'place'>): Promise<EditTarget> {
    await refuseLinkOut(place, { platform, world })
    return { platform, world, source, place }
  }
}

/** For entries in files that only their owner writes: of a plugin, of another project, of an agent. */
function notEditableHereError({ name, origin }: Server, { title }: Source): HostError {
  const message = `The "${name}" in force is ${title}’s ${origin.scope} entry in ${origin.file}:${origin.line}, which cannot be edited here.`
  return new HostError('config.unwritable', { file: origin.file }, message, {
    hint: `Change it with ${title} or by hand, or choose another declaration with --scope.`,
  })
}

/** Roles of files that belong to another client, which may not support this client's on/off key. */
const borrowed = /^(import:.*|claude|cursor|vscode|dotmcp|shared|root|plugin|extension)$/

/** Whether the file format has an on/off key for servers. */
export async function hasSwitch({ source, place, platform, world }: EditTarget): Promise<boolean> {
  if (borrowed.test(place.role)) return false
  const { files } = await openFiles([place], platform.files)
  const file = files[0] ?? { ...place, doc: await parseText('', place.format) }
  return source.writing?.(file, world).rules.flag !== undefined
}

/** The file that an error is about, and its client. */
interface TitledFile {
  readonly source: Pick<Source, 'title'>
  readonly place: Pick<FilePlace, 'path'>
}

export function noSwitchError({ source, place: { path: file } }: TitledFile): HostError {
  const message = `${source.title} has no way to switch a server on or off in ${file}.`
  return new HostError('config.unwritable', { file }, message)
}

export function notEditableError({ source, place: { path: file } }: TitledFile): HostError {
  return new HostError('config.unwritable', { file }, `Servers of ${source.title} cannot be edited here.`)
}
