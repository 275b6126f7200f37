import { resolve } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Discovery, Server, TrustState } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { findOthers } from '../sources/clients/other-files.ts'
import { openFiles } from '../sources/open-files.ts'
import { placesOf } from '../sources/places.ts'
import type { Source, SourceReading, World } from '../sources/source.ts'
import { checkOptions, chooseSources, believedPlatformOf } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { mergeReadings } from './merge-readings.ts'
import { checkProjectSettings } from './read-tool-settings.ts'
import { disableListed, readSettings } from './settings.ts'
import { hasEnvFile, needsTrust, readTrust, trustKey, trustOf } from './trust/trust-store.ts'
import type { Judgment, TrustStore } from './trust/trust-store.ts'
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

/** Like `discover`, but without looking for files of clients that are not in use. For hosts, which only need the servers. */
export function discoverServers(options: DiscoverOptions): Promise<Discovery> {
  return read(options, { withOthers: false })
}

async function read(
  options: DiscoverOptions,
  { withOthers }: { readonly withOthers: boolean },
): Promise<Discovery> {
  checkOptions(options)
  const { platform, diagnostics: ofPlaces } = await believedPlatformOf(options)
  const { settings, diagnostics: ofSettings } = await readSettings(platform, options.lastGood)
  const world = await createWorld(platform, options)
  const sources = await chooseSources(options, settings)
  const readings = await Promise.all(sources.map((source) => readSource(source, world, platform, options)))
  const merged = await mergeReadings(untilExclusive(readings), platform.files)
  const servers = disableListed(merged.servers, settings, platform)
  const known = new Map(sources.map((source) => [source.id as string, source]))
  const { trust, granted, damage } = await checkTrust(servers, options, { known, world, platform })
  const context = { known, world, platform, trust, granted }
  const ofValues = await checkServers(servers, context)
  const used = new Set(sources.map(({ id }) => id))
  const usedFiles = new Set(
    [...servers, ...merged.shadowed.map(({ server }) => server)].map(({ origin }) => origin.file),
  )
  return {
    servers,
    shadowed: merged.shadowed,
    diagnostics: [
      ...ofPlaces,
      ...ofSettings,
      // A host reads the project's settings itself and reports their problems.
      ...(withOthers && options.projectFiles !== false
        ? await checkProjectSettings(world.dirs, platform)
        : []),
      ...damage,
      ...(await missingConfig(world, used, platform)),
      ...merged.diagnostics,
      ...ofValues,
    ],
    trust,
    ...(options.trustKeys && { trustKeys: await trustKeysOf(servers, platform) }),
    others: withOthers ? await findOthers(used, usedFiles, world, platform.files) : [],
    ...(options.preview && { resolved: await previewAll(servers, context) }),
  }
}

/** Reports a missing file that `--config` or PLUGBOARD_CONFIG names. */
async function missingConfig(
  { cwd, config, env }: World,
  used: ReadonlySet<string>,
  { files }: Platform,
): Promise<readonly Diagnostic[]> {
  const ofEnv = used.has('plugboard') ? env['PLUGBOARD_CONFIG'] : undefined
  const named = [config, ofEnv].flatMap((path) => (path ? [resolve(cwd, path)] : []))
  const readings = await Promise.all(
    [...new Set(named)].map(async (file) => ({ file, found: await files.readText(file) })),
  )
  return readings
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
  { projectFiles, lastGood }: DiscoverOptions,
): Promise<SourceReading> {
  const places = placesOf(source.id, world)
  const wanted = projectFiles === false ? places.filter(({ authority }) => authority !== 'project') : places
  const opened = await openFiles(wanted, platform.files, lastGood)
  const reading = source.read(opened.files, world)
  return { ...reading, diagnostics: [...opened.diagnostics, ...reading.diagnostics] }
}

/** D-16: an exclusive managed file ends the search, also in files of other clients. */
function untilExclusive(readings: readonly SourceReading[]): readonly SourceReading[] {
  const last = readings.findIndex(({ exclusive }) => exclusive)
  return last < 0 ? readings : readings.slice(0, last + 1)
}

interface CheckContext {
  readonly known: ReadonlyMap<string, Source>
  readonly world: World
  readonly platform: Platform
  readonly trust: ReadonlyMap<Server, TrustState>
  /** The variables that a person granted to a server. A server without an entry may use all variables. */
  readonly granted: ReadonlyMap<Server, readonly string[]>
}

async function checkServers(
  servers: readonly Server[],
  context: CheckContext,
): Promise<readonly Diagnostic[]> {
  const { known, world, platform, trust, granted } = context
  const found: Diagnostic[] = []
  for (const server of servers) {
    const source = known.get(server.origin.source)
    if (!source) continue
    found.push(...checkValues(server, source.valuesOf(server, world), world.env))
    if (!hasEnvFile(server) || trust.get(server) !== 'trusted') continue
    found.push(...(await checkEnvFile(server, source, world, platform.files, granted.get(server))))
  }
  return found
}

async function checkTrust(
  servers: readonly Server[],
  options: DiscoverOptions,
  context: Pick<CheckContext, 'known' | 'world' | 'platform'>,
) {
  const store = await readTrust(context.platform)
  const trust = new Map<Server, TrustState>()
  const granted = new Map<Server, readonly string[]>()
  for (const server of servers) {
    const judgment: Judgment =
      options.trust === 'project' ? { state: 'trusted' } : await judge(server, store, context)
    trust.set(server, judgment.state)
    if (judgment.granted) granted.set(server, judgment.granted)
  }
  return { trust, granted, damage: store.damage ? [store.damage] : [] }
}

async function judge(
  server: Server,
  store: TrustStore,
  { known, world, platform: { files } }: Pick<CheckContext, 'known' | 'world' | 'platform'>,
): Promise<Judgment> {
  const judgment = await trustOf(server, store, files)
  const source = known.get(server.origin.source)
  if (!source || judgment.state !== 'trusted' || !hasEnvFile(server) || !needsTrust(server)) return judgment
  const { judgeEnvFile } = await import('./trust/env-file-trust.ts')
  return judgeEnvFile(server, judgment, { source, world, files })
}

async function trustKeysOf(
  servers: readonly Server[],
  { files }: Platform,
): Promise<NonNullable<Discovery['trustKeys']>> {
  const keys = servers
    .filter(needsTrust)
    .map(async (server) => [server, await trustKey(server, files)] as const)
  return new Map(await Promise.all(keys))
}

async function previewAll(
  servers: readonly Server[],
  { known, world, trust, granted }: CheckContext,
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
