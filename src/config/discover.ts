import { resolve } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Discovery, Server, TrustState } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { findOthers } from '../sources/clients/other-files.ts'
import { openFiles } from '../sources/open-files.ts'
import { placesOf } from '../sources/places.ts'
import type { Source, SourceReading, World } from '../sources/source.ts'
import { checkOptions, chooseSources, platformOf } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { mergeReadings } from './merge-readings.ts'
import { checkProjectSettings } from './read-tool-settings.ts'
import { readSettings, switchOff } from './settings.ts'
import { needsTrust, readTrust, trustKey, trustOf } from './trust/trust-store.ts'
import type { Judgment } from './trust/trust-store.ts'
import { checkEnvFile, checkValues } from './values/check-values.ts'
import { previewValues } from './values/preview-values.ts'
import { createWorld } from './world.ts'

/**
 * Reads what is declared for a folder and says which declaration of each server is in force. Starts nothing, runs
 * nothing and opens no connection. What is wrong is in `diagnostics`; it is never thrown.
 *
 * @example
 * const { servers, shadowed, diagnostics } = await discover({ cwd: '/home/me/shop' })
 * for (const { name, origin } of servers) console.log(name, origin.file, origin.line)
 */
export function discover(options: DiscoverOptions = {}): Promise<Discovery> {
  return read(options, { withOthers: !options.sources })
}

/** The same for whoever uses the servers: the files of clients that are off are of no interest. */
export function discoverServers(options: DiscoverOptions): Promise<Discovery> {
  return read(options, { withOthers: false })
}

async function read(
  options: DiscoverOptions,
  { withOthers }: { readonly withOthers: boolean },
): Promise<Discovery> {
  checkOptions(options)
  const platform = platformOf(options)
  const { settings, diagnostics: complaints } = await readSettings(platform)
  const world = await createWorld(platform, options)
  const sources = await chooseSources(options, settings)
  const readings = await Promise.all(sources.map((source) => readSource(source, world, platform, options)))
  const merged = await mergeReadings(untilExclusive(readings), platform.files)
  const servers = switchOff(merged.servers, settings, platform)
  const known = new Map(sources.map((source) => [source.id as string, source]))
  const { trust, granted, damage } = await judge(servers, options, platform)
  const context = { known, world, platform, trust, granted }
  const values = await checkAll(servers, context)
  const used = new Set(sources.map(({ id }) => id))
  const usedFiles = new Set(
    [...servers, ...merged.shadowed.map(({ server }) => server)].map(({ origin }) => origin.file),
  )
  return {
    servers,
    shadowed: merged.shadowed,
    diagnostics: [
      ...complaints,
      // A host reads them for itself, and says what is wrong with them.
      ...(withOthers && options.projectFiles !== false
        ? await checkProjectSettings(world.dirs, platform)
        : []),
      ...damage,
      ...(await missingConfig(world, used, platform)),
      ...merged.diagnostics,
      ...values,
    ],
    trust,
    ...(options.trustKeys && { trustKeys: await keysOf(servers, platform) }),
    others: withOthers ? await findOthers(used, usedFiles, world, platform.files) : [],
    ...(options.preview && { resolved: await previews(servers, context) }),
  }
}

/** A file that the operator names is expected to be there. */
async function missingConfig(
  { cwd, config, env }: World,
  used: ReadonlySet<string>,
  { files }: Platform,
): Promise<readonly Diagnostic[]> {
  const ofEnv = used.has('plugboard') ? env['PLUGBOARD_CONFIG'] : undefined
  const named = [config, ofEnv].flatMap((path) => (path ? [resolve(cwd, path)] : []))
  const looked = await Promise.all(
    [...new Set(named)].map(async (file) => ({ file, found: await files.readText(file) })),
  )
  return looked
    .filter(({ found }) => found.kind === 'absent')
    .map(({ file }) => ({
      code: 'unreadable-file',
      severity: 'error',
      message: `${file} does not exist.`,
      origin: { file },
    }))
}

async function readSource(
  source: Source,
  world: World,
  platform: Platform,
  { projectFiles }: DiscoverOptions,
): Promise<SourceReading> {
  const places = placesOf(source.id, world)
  const wanted = projectFiles === false ? places.filter(({ authority }) => authority !== 'project') : places
  const opened = await openFiles(wanted, platform.files)
  const reading = source.read(opened.files, world)
  return { ...reading, diagnostics: [...opened.diagnostics, ...reading.diagnostics] }
}

/** D-16: an exclusive managed file ends the search, for other clients’ files too. */
function untilExclusive(readings: readonly SourceReading[]): readonly SourceReading[] {
  const last = readings.findIndex(({ exclusive }) => exclusive)
  return last < 0 ? readings : readings.slice(0, last + 1)
}

interface Context {
  readonly known: ReadonlyMap<string, Source>
  readonly world: World
  readonly platform: Platform
  readonly trust: ReadonlyMap<Server, TrustState>
  /** The variables of a server that a person granted; every one, where it is not in here. */
  readonly granted: ReadonlyMap<Server, readonly string[]>
}

async function checkAll(servers: readonly Server[], context: Context): Promise<readonly Diagnostic[]> {
  const { known, world, platform, trust, granted } = context
  const found: Diagnostic[] = []
  for (const server of servers) {
    const source = known.get(server.origin.source)
    if (!source) continue
    found.push(...checkValues(server, source.valuesOf(server, world), world.env))
    const hasEnvFile = server.transport.kind === 'stdio' && server.transport.envFile !== undefined
    if (!hasEnvFile || trust.get(server) !== 'trusted') continue
    found.push(...(await checkEnvFile(server, source, world, platform.files, granted.get(server))))
  }
  return found
}

async function judge(servers: readonly Server[], options: DiscoverOptions, platform: Platform) {
  const store = await readTrust(platform)
  const trust = new Map<Server, TrustState>()
  const granted = new Map<Server, readonly string[]>()
  for (const server of servers) {
    const judgment: Judgment =
      options.trust === 'project' ? { state: 'trusted' } : await trustOf(server, store, platform.files)
    trust.set(server, judgment.state)
    if (judgment.granted) granted.set(server, judgment.granted)
  }
  return { trust, granted, damage: store.damage ? [store.damage] : [] }
}

async function keysOf(
  servers: readonly Server[],
  { files }: Platform,
): Promise<NonNullable<Discovery['trustKeys']>> {
  const keys = servers
    .filter(needsTrust)
    .map(async (server) => [server, await trustKey(server, files)] as const)
  return new Map(await Promise.all(keys))
}

async function previews(
  servers: readonly Server[],
  { known, world, trust, granted }: Context,
): Promise<NonNullable<Discovery['resolved']>> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const source = known.get(server.origin.source)
      if (!source || trust.get(server) !== 'trusted') return []
      const values = await previewValues(server, source, world, granted.get(server))
      return values ? [[server, values] as const] : []
    }),
  )
  return new Map(found.flat())
}
