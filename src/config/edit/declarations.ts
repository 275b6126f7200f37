import { holdsSecret } from './check-server.ts'
import { dropBundles } from './drop-bundle.ts'
import { addServer, removeServer, setEnabled, updateServer } from './edit-entry.ts'
import { editSettings } from './edit-settings.ts'
import { declarationOf, hasSwitch, targetIn } from './edit-target.ts'
import type { Scope } from './edit-target.ts'
import type { EditTarget, EditedServer } from './edit-source-file.ts'
import { noSwitch } from './edit-errors.ts'
import { recordWrites } from './dry-run.ts'
import type { FileChange } from './dry-run.ts'
import { readSettings } from '../settings.ts'
import type { Settings } from '../settings.ts'
import { translateServer } from './translate-server.ts'
import { valuesIn } from '../values/values-in.ts'
import { createWorld } from '../world.ts'
import { editFile } from './edit-file.ts'
import { discover } from '../discover.ts'
import { chooseSources, knownSource, platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { HostError } from '../../model/error.ts'
import { nearest } from '../../model/near.ts'
import type { Discovery, Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { Source, World } from '../../sources/source.ts'
import type { Lost, NewServer } from '../../sources/entries/write-rules.ts'

export interface EditOptions extends DiscoverOptions {
  /** Whose file is meant: the person's own or the project's. */
  readonly scope?: Scope
  /** Replace an entry of the same name. */
  readonly force?: boolean
  /** Say what would be written, and write nothing. */
  readonly dryRun?: boolean
}

export interface Edited {
  readonly file: string
  readonly changed: boolean
  readonly lost: readonly Lost[]
  /** What would be written; empty unless that was asked for. */
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
  const platform: Platform = options.dryRun
    ? { ...real, files: recording, lock: (_path, work) => work() }
    : real
  const { settings } = await readSettings(platform)
  return {
    platform,
    settings,
    world: await createWorld(platform, options),
    sources: await chooseSources(options, settings),
    finish: (edited) => ({ ...edited, changes: options.dryRun ? recording.changes() : [] }),
  }
}

/** Writes what a dry run showed, and exactly that: a file that has changed since is left alone. */
export async function writeChanges(changes: readonly FileChange[], options: EditOptions = {}): Promise<void> {
  const platform = platformOf(options)
  for (const { file, before, after, mode } of changes) {
    const edit = (text: string) => (text === before ? after : changed(file))
    await editFile({ platform, path: file, edit, ...(mode !== undefined && { mode }) })
  }
}

function changed(file: string): never {
  throw new HostError('config.conflict', { file }, `${file} has changed since it was shown.`, {
    hint: 'Nothing was written. Try again.',
  })
}

/** Whether a server that is declared with these options would be trusted without a question: in any file but the project's. */
export async function declaresTrusted(options: EditOptions = {}): Promise<boolean> {
  const { place } = await targetOf(await openWorkbench(options), options)
  return place.authority !== 'project'
}

async function targetOf(bench: Workbench, { scope }: EditOptions): Promise<EditTarget> {
  const [source] = bench.sources
  if (!source) throw new HostError('usage', {}, 'There is no source to add to.')
  return targetIn(source, bench, scope)
}

/** Declares a server, described in our words, in the file of the chosen scope and in its dialect. */
export async function addDeclaration(server: NewServer, options: EditOptions = {}): Promise<Edited> {
  const bench = await openWorkbench(options)
  const target = await targetOf(bench, options)
  refuseSharedSecret(server, target)
  const described = await inWordsOf(target, server)
  const edited = await addOrReplace(target, described.server, options)
  await forgetSwitch(server.name, bench)
  return bench.finish({ ...edited, lost: [...(server.lost ?? []), ...described.lost, ...edited.lost] })
}

/** What a project's file holds, everyone who clones it has. */
function refuseSharedSecret(server: NewServer, { place }: EditTarget): void {
  if (place.authority !== 'project' || !holdsSecret(server)) return
  throw new HostError(
    'config.invalid',
    { file: place.path, server: server.name },
    `"${server.name}" holds a literal secret, and ${place.path} is shared.`,
    { hint: 'Put the secret into a variable and write ${NAME} instead.' },
  )
}

/** What is written into our own files stays as it was typed. */
async function inWordsOf(target: EditTarget, server: NewServer) {
  const { source, place, world } = target
  const ours = await loadSource('plugboard')
  if (source.id === ours.id) return { server, lost: [] }
  return translateServer(server, {
    from: valuesIn(ours, place, world),
    to: valuesIn(source, place, world),
    isSet: (name) => world.env[name] !== undefined,
  })
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

/** Takes a declaration out of the file where it stands. */
export async function removeDeclaration(name: string, options: EditOptions = {}): Promise<Edited> {
  const bench = await openWorkbench(options)
  const target = await declarationOf(name, bench, options.scope)
  const { edited, entry } = await removeServer(target, name)
  await forgetSwitch(name, bench)
  // What a project declares, another one may declare as well, and nobody knows where that is.
  const stuck = target.place.authority === 'project' ? [] : await dropBundles(entry, bench)
  const lost = stuck.map((folder) => ({ field: 'bundle', reason: `${folder} could not be removed.` }))
  return bench.finish({ ...edited, lost: [...edited.lost, ...lost] })
}

/** A switch in our settings is for the server that was there; the next one of that name begins anew. */
async function forgetSwitch(name: string, { platform, settings }: Workbench): Promise<void> {
  if (settings.disabledServers.includes(name)) await editSettings(platform, 'disabledServers', name, false)
}

/** Switches a server on or off where it stands; where its owner has no switch, in our settings. */
export async function switchDeclaration(
  name: string,
  on: boolean,
  options: EditOptions = {},
): Promise<Edited> {
  const bench = await openWorkbench(options)
  const target = await declarationOf(name, bench, options.scope)
  const own = (await hasSwitch(target)) ? await setEnabled(target, name, on) : undefined
  if (!own) await refuseAnother(name, target, options)
  const ours = (on ? bench.settings.disabledServers.includes(name) : !own)
    ? { ...(await editSettings(bench.platform, 'disabledServers', name, !on)), lost: [] }
    : undefined
  const edited = [own, ours].find((each) => each?.changed) ?? own ?? ours ?? unchanged(target)
  return bench.finish(
    on ? await overrule(name, edited, target, { ...options, platform: bench.platform }) : edited,
  )
}

/** What still keeps a server off after it was switched on: a layer below, which is overruled, or a switch to be named. */
async function overrule(
  name: string,
  edited: EditedServer,
  target: EditTarget,
  options: EditOptions,
): Promise<EditedServer> {
  const { servers } = await discover(options)
  const off = servers.find((server) => server.name === name && !server.enabled)
  if (!off) return edited
  const { file, pointer } = off.declared[0]?.origin ?? off.origin
  const isOurs = off.disabledBy === undefined && file === target.place.path && (await hasSwitch(target))
  if (isOurs) return setEnabled(target, name, true, { say: true })
  const by = off.disabledBy ?? `${file}#${pointer}`
  if (!edited.changed) throw switchedOff(name, by)
  const reason = `"${name}" stays off, because of ${by}. Change it there.`
  return { ...edited, lost: [...edited.lost, { field: 'enabled', reason }] }
}

function unchanged({ place }: EditTarget): EditedServer {
  return { file: place.path, changed: false, lost: [] }
}

/** Our settings know names only: they would switch off the declaration that counts, not the one that was meant. */
async function refuseAnother(name: string, target: EditTarget, options: EditOptions): Promise<void> {
  if (options.scope === undefined) return
  const { servers } = await discover(options)
  const counts = servers.find((server) => server.name === name)
  if (counts && counts.origin.file !== target.place.path) throw noSwitch(target)
}

function switchedOff(name: string, by: string): HostError {
  return new HostError('config.unwritable', { file: by }, `"${name}" is switched off by ${by}.`, {
    hint: 'Change it there.',
  })
}

/** Uses or no longer uses the servers of another client. */
export async function turnSource(
  id: string,
  on: boolean,
  options: DiscoverOptions = {},
): Promise<{ readonly changed: boolean; readonly file: string }> {
  return editSettings(platformOf(options), 'sources', knownSource(id), on)
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
