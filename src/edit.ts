import { dirname } from 'node:path'
import { addServer, removeServer, setEnabled, updateServer } from './config/edit-server.ts'
import type { EditTarget, EditedServer } from './config/edit-text.ts'
import { recordWrites } from './config/dry-run.ts'
import type { FileChange } from './config/dry-run.ts'
import { readSettings, settingsFile } from './config/settings.ts'
import type { Settings } from './config/settings.ts'
import { createWorld } from './config/world.ts'
import { editFile } from './config/write.ts'
import { chooseSources, discover, knownSource, platformOf } from './discover.ts'
import type { DiscoverOptions } from './discover.ts'
import { HostError } from './model/error.ts'
import { nearest } from './model/near.ts'
import type { Discovery, Server } from './model/server.ts'
import type { Platform } from './platform/platform.ts'
import { editorOf } from './sources/format/edit.ts'
import { openFiles } from './sources/open.ts'
import { placesOf } from './sources/places.ts'
import type { FilePlace, Source, World } from './sources/source.ts'
import type { Lost, NewServer } from './sources/writing.ts'

export interface EditOptions extends DiscoverOptions {
  /** Whose file is meant: the person's own or the project's. */
  readonly scope?: 'user' | 'project'
  /** Replace an entry of the same name. */
  readonly force?: boolean
  /** Say what would be written, and write nothing. */
  readonly dryRun?: boolean
}

export interface Edited {
  readonly file: string
  readonly changed: boolean
  readonly lost: readonly Lost[]
  /** What was or would be written. */
  readonly changes: readonly FileChange[]
}

/** Everything that an edit works with: the platform may be one that only remembers. */
export interface Workbench {
  readonly platform: Platform
  readonly world: World
  readonly settings: Settings
  readonly sources: readonly Source[]
  finish(edited: EditedServer): Edited
}

export async function openWorkbench(options: EditOptions): Promise<Workbench> {
  const real = platformOf(options)
  const recording = recordWrites(real.files)
  const platform = options.dryRun ? { ...real, files: recording } : real
  const { settings } = await readSettings(platform)
  return {
    platform,
    settings,
    world: await createWorld(platform, options),
    sources: await chooseSources(options, settings),
    finish: (edited) => ({ ...edited, changes: options.dryRun ? recording.changes() : [] }),
  }
}

/** Declares a server in the file of the chosen scope, in its dialect. */
export async function addDeclaration(server: NewServer, options: EditOptions = {}): Promise<Edited> {
  const bench = await openWorkbench(options)
  const [source] = bench.sources
  if (!source) throw new HostError('usage', {}, 'There is no source to add to.')
  const target = await targetIn(source, bench, options)
  return bench.finish(await addOrReplace(target, server, options))
}

export async function addOrReplace(
  target: EditTarget,
  server: NewServer,
  { force }: EditOptions,
): Promise<EditedServer> {
  try {
    return await addServer(target, server)
  } catch (error) {
    if (!force || !(error instanceof HostError) || error.code !== 'config.exists') throw error
    return updateServer(target, server)
  }
}

/** The file of a source that a scope means: one that exists, else the one its owner would make. */
export async function targetIn(source: Source, bench: Workbench, options: EditOptions): Promise<EditTarget> {
  const { platform, world } = bench
  const candidates = placesOf(source.id, world).filter(
    ({ path, role }) =>
      !path.includes('*') && !/settings|manifest|enablement|import:|fallback|legacy|agent/.test(role),
  )
  const named = world.config === undefined ? [] : candidates.slice(0, 1)
  const wanted = named.length > 0 ? named : inScope(candidates, options.scope)
  const there = await Promise.all(
    wanted.map(async (place) => ((await platform.files.stat(place.path)) ? [place] : [])),
  )
  const place = there.flat()[0] ?? widest(wanted)
  if (!place) {
    const scope = options.scope ?? 'user'
    throw new HostError(
      'config.unwritable',
      { file: source.title },
      `${source.title} keeps no ${scope} file.`,
      {
        hint: `Try --scope ${scope === 'user' ? 'project' : 'user'}.`,
      },
    )
  }
  return { platform, world, source, place }
}

function inScope(places: readonly FilePlace[], scope: EditOptions['scope']): readonly FilePlace[] {
  if (scope === 'project')
    return places.filter((place) => place.authority === 'project' || place.scope === 'project')
  const own = places.filter(({ authority }) => authority === 'user')
  return scope === 'user' || own.length > 0 ? own : places.filter(({ authority }) => authority !== 'managed')
}

/** Of a project's folders the repository's root: there the whole team sees it. */
function widest(places: readonly FilePlace[]): FilePlace | undefined {
  const root = places.map((place) => place.root).sort((a, b) => a.length - b.length)[0]
  return places.find((place) => place.root === root)
}

/** Takes a declaration out of the file where it stands. */
export async function removeDeclaration(name: string, options: EditOptions = {}): Promise<Edited> {
  const bench = await openWorkbench(options)
  return bench.finish(await removeServer(await declarationOf(name, bench, options), name))
}

/** Switches a server on or off where it stands; where its owner has no switch, in our settings. */
export async function switchDeclaration(
  name: string,
  on: boolean,
  options: EditOptions = {},
): Promise<Edited> {
  const bench = await openWorkbench(options)
  const target = await declarationOf(name, bench, options)
  if (bench.settings.disabledServers.includes(name) === on || !(await hasSwitch(target))) {
    return bench.finish(await switchInSettings(name, on, bench))
  }
  const edited = await setEnabled(target, name, on)
  if (on && !edited.changed) refuseOthersSwitch(await discover(options), name)
  return bench.finish(edited)
}

async function hasSwitch({ source, place, platform, world }: EditTarget): Promise<boolean> {
  const { files } = await openFiles([place], platform.files)
  return files[0] !== undefined && source.writing?.(files[0], world).rules.flag !== undefined
}

function refuseOthersSwitch(discovery: Discovery, name: string): void {
  const off = discovery.servers.find((server) => server.name === name && !server.enabled)
  if (off?.disabledBy === undefined) return
  throw new HostError(
    'config.unwritable',
    { file: off.disabledBy },
    `"${name}" is switched off by ${off.disabledBy}.`,
    {
      hint: 'Change it there.',
    },
  )
}

async function switchInSettings(name: string, on: boolean, bench: Workbench): Promise<EditedServer> {
  const others = bench.settings.disabledServers.filter((each) => each !== name)
  const edited = await editSettings(bench, 'disabledServers', on ? others : [...others, name])
  return { ...edited, lost: [] }
}

/** Uses or no longer uses the servers of another client. */
export async function turnSource(
  id: string,
  on: boolean,
  options: DiscoverOptions = {},
): Promise<{ readonly changed: boolean; readonly file: string }> {
  const bench = await openWorkbench({ ...options, sources: [] })
  const known = knownSource(id)
  const others = bench.settings.sources.filter((each) => each !== known)
  const before = bench.settings.sources.includes(known)
  if (before === on) return { changed: false, file: settingsFile(bench.platform) }
  return editSettings(bench, 'sources', on ? [...others, known] : others)
}

async function editSettings(
  { platform }: Workbench,
  key: string,
  value: readonly string[],
): Promise<{ readonly changed: boolean; readonly file: string }> {
  const path = settingsFile(platform)
  const editor = await editorOf('json')
  await platform.files.makePrivateDirectory(dirname(path))
  return editFile({ platform, path, edit: (text) => editor.setIn(text, [key], value) })
}

/** The highest file in use that holds this name, usable or not. */
async function declarationOf(name: string, bench: Workbench, options: EditOptions): Promise<EditTarget> {
  const { platform, world, sources } = bench
  const names: string[] = []
  for (const source of sources) {
    const { files } = await openFiles(placesOf(source.id, world), platform.files)
    for (const file of files) {
      const entries = source.writing?.(file, world).entries ?? []
      names.push(...entries.map((entry) => entry.name))
      const { doc: _doc, ...place } = file
      if (entries.some((entry) => entry.name === name) && isIn(place, options.scope)) {
        return { platform, world, source, place }
      }
    }
  }
  const near = nearest(name, names)
  const where = options.scope ? ` in the ${options.scope}’s files` : ''
  throw new HostError('server.unknown', { server: name, near }, `No server "${name}" is declared${where}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list',
  })
}

function isIn({ authority }: FilePlace, scope: EditOptions['scope']): boolean {
  if (scope === undefined) return true
  return scope === 'project' ? authority === 'project' : authority === 'user'
}

/** A server in force by its name, or an error that says which ones there are. */
export function findServer(discovery: Discovery, name: string): Server {
  const found = discovery.servers.find((server) => server.name === name)
  if (found) return found
  const near = nearest(
    name,
    discovery.servers.map((server) => server.name),
  )
  throw new HostError('server.unknown', { server: name, near }, `No server "${name}" is in force here.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list',
  })
}
