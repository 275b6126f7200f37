import { HostError } from '../../model/error.ts'
import { toPointer } from '../../model/json.ts'
import { nearest } from '../../model/near.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import { isInside } from '../../sources/path-containment.ts'
import { parseText } from '../../sources/formats/parse-text.ts'
import { assignAuthority, openFiles } from '../../sources/open-files.ts'
import { placesOf } from '../../sources/places.ts'
import type { FilePlace, Source, World } from '../../sources/source.ts'

/** The file that is edited, and whose it is. */
export interface EditTarget {
  readonly platform: Pick<Platform, 'files' | 'lock'>
  readonly world: World
  readonly source: Source
  readonly place: FilePlace
}

/** Whose file is meant: the person's own or the project's. */
export type Scope = 'user' | 'project'

interface Surroundings {
  readonly platform: Platform
  readonly world: World
}

/** Files that are a client's own; the others it borrows, or reads for its settings. */
const ownRoles = ['servers', 'main', 'native', 'cli']

/** The file of a source that a scope means: one that exists, else the one its owner would make. */
export async function targetIn(
  source: Source,
  { platform, world }: Surroundings,
  scope: Scope | undefined,
): Promise<EditTarget> {
  if (!source.writing) throw notEdited({ source, place: { path: source.title } })
  const places = await assignAuthority(placesOf(source.id, world), platform.files)
  const own = places.filter(({ path, role }) => !path.includes('*') && ownRoles.includes(role))
  const wanted = world.config === undefined ? inScope(own, scope) : own.slice(0, 1)
  const there = await Promise.all(
    wanted.map(async (place) => ((await platform.files.stat(place.path)) ? [place] : [])),
  )
  const place = there.flat()[0] ?? widest(wanted)
  if (!place) throw noFile(source, scope ?? 'user')
  await refuseLinkOut(place, { platform, world })
  return { platform, world, source, place }
}

/** T01: a link in a project must not lead what is meant for the project into a person's own file. */
async function refuseLinkOut(place: FilePlace, { platform, world }: Surroundings): Promise<void> {
  const { path, authority, root } = place
  if (authority !== 'project' || (await isInside(path, [root, ...world.dirs], platform.files))) return
  const real = await platform.files.realPath(path)
  throw new HostError(
    'config.unwritable',
    { file: path },
    `${path} is a link to ${real}, which is not in the project.`,
    { hint: 'Edit that file where it belongs, or replace the link by a file.' },
  )
}

function inScope(places: readonly FilePlace[], scope: Scope | undefined): readonly FilePlace[] {
  if (scope === 'project')
    return places.filter((place) => isIn(place, scope) && place.scope !== 'project-user')
  const own = places.filter((place) => place.authority === 'user' && place.scope !== 'data')
  return scope === 'user' || own.length > 0 ? own : places.filter(({ authority }) => authority !== 'managed')
}

function isIn({ authority, scope }: FilePlace, wanted: Scope | undefined): boolean {
  if (wanted === undefined || scope === 'explicit') return true
  return wanted === 'project' ? authority === 'project' || scope === 'project' : authority === 'user'
}

/** Of a project's folders the repository's root: there the whole team sees it. */
function widest(places: readonly FilePlace[]): FilePlace | undefined {
  const root = places.map((place) => place.root).sort((a, b) => a.length - b.length)[0]
  return places.find((place) => place.root === root)
}

function noFile({ title }: Source, scope: Scope): HostError {
  return new HostError('config.unwritable', { file: title }, `${title} keeps no ${scope} file.`, {
    hint: `Try --scope ${scope === 'user' ? 'project' : 'user'}.`,
  })
}

/** The declaration of a name that counts; where none can be used, the highest that stands somewhere. */
export async function declarationOf(
  name: string,
  { platform, world, sources }: Surroundings & { readonly sources: readonly Source[] },
  scope: Scope | undefined,
): Promise<EditTarget> {
  const names: string[] = []
  const found: EditTarget[] = []
  for (const source of sources) {
    const { files } = await openFiles(placesOf(source.id, world), platform.files)
    const winner = source.read(files, world).servers.find((server) => server.name === name)
    const targets = files.flatMap(({ doc, ...place }) => {
      const entries = source.writing?.({ ...place, doc }, world).entries ?? []
      names.push(...entries.map((entry) => entry.name))
      const pointers = entries.filter((entry) => entry.name === name).map(({ path }) => toPointer(path))
      return isIn(place, scope) ? pointers.map((pointer) => ({ source, place, pointer })) : []
    })
    const counts = targets.find(
      ({ place, pointer }) => place.path === winner?.origin.file && pointer === winner.origin.pointer,
    )
    if (counts) return checked(counts)
    if (winner && scope === undefined) throw notEditedHere(winner, source)
    found.push(...targets.map(({ place }) => ({ platform, world, source, place })))
  }
  const [first] = found
  if (first) return checked(first)
  const near = nearest(name, [...new Set(names)])
  const where = scope ? ` in the ${scope}’s files` : ''
  throw new HostError('server.unknown', { server: name, near }, `No server "${name}" is declared${where}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list',
  })

  async function checked({ source, place }: Pick<EditTarget, 'source' | 'place'>): Promise<EditTarget> {
    await refuseLinkOut(place, { platform, world })
    return { platform, world, source, place }
  }
}

/** Some entries stand where only their owner writes: a plugin, another project's record, an agent's file. */
function notEditedHere({ name, origin }: Server, { title }: Source): HostError {
  const message = `The "${name}" that counts is ${title}’s ${origin.scope} entry in ${origin.file}:${origin.line}, which is not edited here.`
  return new HostError('config.unwritable', { file: origin.file }, message, {
    hint: `Change it with ${title} or by hand; --scope names another declaration.`,
  })
}

/** Roles of files that belong to another client, which may not know this one's switch. */
const borrowed = /^(import:.*|claude|cursor|vscode|dotmcp|shared|root|plugin|extension)$/

/** Whether a server can be switched off in the file where it stands. */
export async function hasSwitch({ source, place, platform, world }: EditTarget): Promise<boolean> {
  if (borrowed.test(place.role)) return false
  const { files } = await openFiles([place], platform.files)
  const file = files[0] ?? { ...place, doc: await parseText('', place.format) }
  return source.writing?.(file, world).rules.flag !== undefined
}

/** The file an error is about, and the client it belongs to. */
interface TitledFile {
  readonly source: Pick<Source, 'title'>
  readonly place: Pick<FilePlace, 'path'>
}

export function noSwitch({ source, place: { path: file } }: TitledFile): HostError {
  const message = `${source.title} has no way to switch a server on or off in ${file}.`
  return new HostError('config.unwritable', { file }, message)
}

export function notEdited({ source, place: { path: file } }: TitledFile): HostError {
  return new HostError('config.unwritable', { file }, `Servers of ${source.title} are not edited one by one.`)
}
