import { join, resolve } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { lockFileName } from '../model/locked-server.ts'
import { inCode } from '../model/server.ts'
import type { Discovery, Origin, Server, TrustState } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { findOthers } from '../sources/clients/other-files.ts'
import { openFiles } from '../sources/open-files.ts'
import { placesOf } from '../sources/places.ts'
import type { Source, SourceReading, ValueSource, World } from '../sources/source.ts'
import { checkOptions, chooseSources, believedPlatformOf, isOnlyConfig } from './discover-options.ts'
import type { BelievedPlatform } from './believed-platform.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { mergeReadings } from './merge-readings.ts'
import type { MergedReading } from './merge-readings.ts'
import { checkProjectSettings } from './read-tool-settings.ts'
import type { RunnerSettings } from './runner-settings.ts'
import { disableListed, noSettings, readSettings } from './settings.ts'
import type { SettingsReading } from './settings.ts'
import { hasEnvFile, needsTrust, readTrust, trustOf } from './trust/trust-store.ts'
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

/** What a host has read before it looks for servers, so that it is not read twice. */
export interface ReadBefore {
  readonly place?: BelievedPlatform | undefined
  readonly settings?: SettingsReading | undefined
  /** What the program declares itself; it ranks above all files (D-17). */
  readonly code?: SourceReading | undefined
}

/** Like `discover`, but without looking for files of clients that are not in use. For hosts, which only need the servers. */
export function discoverServers(options: DiscoverOptions, before: ReadBefore = {}): Promise<Discovery> {
  return read(options, { withOthers: false, ...before })
}

/** The user's settings, unless the options say that there are none. */
export async function settingsOf(
  options: Pick<DiscoverOptions, 'settings' | 'lastGood'>,
  platform: Platform,
): Promise<SettingsReading> {
  return options.settings === false ? noSettings : readSettings(platform, options.lastGood)
}

async function read(
  options: DiscoverOptions,
  { withOthers, code, ...before }: ReadBefore & { readonly withOthers: boolean },
): Promise<Discovery> {
  checkOptions(options)
  const { platform, diagnostics: ofPlaces } = before.place ?? (await believedPlatformOf(options))
  const { settings, diagnostics: ofSettings } = before.settings ?? (await settingsOf(options, platform))
  const world = await createWorld(platform, options)
  const sources = await chooseSources(options, settings)
  const opened = await Promise.all(sources.map((source) => openSource(source, world, platform, options)))
  const known = new Map<string, KnownSource>(sources.map((source) => [source.id, source]))
  if (code) known.set(inCode, await sourceOfCode(code))
  const store = await readTrust(platform)
  const pinsFiles = settings.pinFiles === true
  const judge = (server: Server) => judgeServer(server, store, options, { known, world, platform, pinsFiles })
  const found = await mergeUsable(opened, { known, world, platform, judge, code })
  const merged = settings.runners ? await withRunners(found, settings.runners, platform) : found
  const servers = disableListed(merged.servers, settings, platform)
  const { trust, granted } = await judgeAll(servers, judge)
  for (const hidden of merged.shadowed) if (hidden.trust) trust.set(hidden.server, hidden.trust)
  const context = { known, world, platform, trust, granted }
  const ofValues = await checkServers(servers, context)
  const locked = options.lock ? await readLocks([...trust.keys()], world, platform) : undefined
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
      ...(store.damage ? [store.damage] : []),
      ...(await missingConfig(world, isOnlyConfig(options) ? new Set() : used, platform)),
      ...merged.diagnostics,
      ...ofValues,
      ...(locked?.diagnostics ?? []),
    ],
    trust,
    ...(locked && { locks: locked.locks }),
    ...(options.trustKeys && { trustKeys: await trustKeysOf([...trust.keys()], world, platform) }),
    others: withOthers ? await findOthers(used, usedFiles, world, platform.files) : [],
    ...(options.preview && { resolved: await previewAll(servers, context) }),
  }
}

/** Applies the person's runners. Loaded only if there are any. */
async function withRunners(
  merged: MergedReading,
  runners: RunnerSettings,
  platform: Platform,
): Promise<MergedReading> {
  const { applyRunners } = await import('./runner-rule.ts')
  const apply = (server: Server) => applyRunners(server, runners, platform)
  return {
    ...merged,
    servers: merged.servers.map(apply),
    shadowed: merged.shadowed.map((each) => ({ ...each, server: apply(each.server) })),
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

/** A source with its files, ready to be read more than once. */
interface OpenedSource {
  readonly source: Source
  readonly opened: Awaited<ReturnType<typeof openFiles>>
}

async function openSource(
  source: Source,
  world: World,
  platform: Platform,
  options: DiscoverOptions,
): Promise<OpenedSource> {
  const { projectFiles, lastGood } = options
  const all = placesOf(source.id, world)
  const places = isOnlyConfig(options) ? all.slice(0, 1) : all
  const wanted = projectFiles === false ? places.filter(({ authority }) => authority !== 'project') : places
  return { source, opened: await openFiles(wanted, platform.files, lastGood) }
}

interface MergeContext extends Pick<CheckContext, 'known' | 'world' | 'platform'> {
  readonly code: SourceReading | undefined
  readonly judge: (server: Server) => Promise<Judgment>
}

/** Merges the sources. An entry that waits for trust yields to a declaration of its name that can be used. */
async function mergeUsable(
  all: readonly OpenedSource[],
  { known, world, platform, judge, code }: MergeContext,
): Promise<MergedReading> {
  const readWithout = (leaveOut?: (origin: Origin) => boolean) => {
    const readings = all.map(({ source, opened }) => {
      const reading = source.read(opened.files, world, leaveOut)
      return { ...reading, diagnostics: [...opened.diagnostics, ...reading.diagnostics] }
    })
    const ofFiles = untilExclusive(readings)
    return mergeReadings(code ? [code, ...ofFiles] : ofFiles, platform.files)
  }
  const merged = await readWithout()
  const hidden = new Set(merged.shadowed.map(({ server }) => server.name))
  // Most names have one declaration; then nothing can yield.
  if (
    !merged.servers.some(
      (server) => needsTrust(server) && (hidden.has(server.name) || server.declared.length > 1),
    )
  )
    return merged
  const { yieldToUsable } = await import('./waiting-servers.ts')
  const claims = ({ origin }: Server) => known.get(origin.source)?.untrustedClaims === true
  return yieldToUsable(merged, { readWithout, judge, claims })
}

/** D-16: an exclusive managed file ends the search, also in files of other clients. */
function untilExclusive(readings: readonly SourceReading[]): readonly SourceReading[] {
  const last = readings.findIndex(({ exclusive }) => exclusive)
  return last < 0 ? readings : readings.slice(0, last + 1)
}

type KnownSource = ValueSource & Pick<Source, 'untrustedClaims'>

/** Its values are read like those of our own files, or not at all. Loaded only if there are servers in code. */
async function sourceOfCode({ servers }: SourceReading): Promise<KnownSource> {
  const { valueSourceOf } = await import('./values/value-source.ts')
  const [first] = servers
  return first ? valueSourceOf(first) : { valuesOf: () => ({ syntaxes: [], unset: 'keep' }) }
}

interface CheckContext {
  readonly known: ReadonlyMap<string, KnownSource>
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

async function judgeAll(servers: readonly Server[], judge: MergeContext['judge']) {
  const trust = new Map<Server, TrustState>()
  const granted = new Map<Server, readonly string[]>()
  for (const server of servers) {
    const judgment = await judge(server)
    trust.set(server, judgment.state)
    if (judgment.granted) granted.set(server, judgment.granted)
  }
  return { trust, granted }
}

async function judgeServer(
  server: Server,
  store: TrustStore,
  { trust }: DiscoverOptions,
  context: JudgeContext,
): Promise<Judgment> {
  if (trust === 'project') return { state: 'trusted' }
  const judgment = await trustOf(server, store, context.platform.files)
  if (judgment.state !== 'trusted' || !needsTrust(server)) return judgment
  return judgeFiles(server, judgment, context)
}

type JudgeContext = Pick<CheckContext, 'known' | 'world' | 'platform'> & { readonly pinsFiles: boolean }

/** By what its envFile sets now (T53), and with `pinFiles` by its scripts (T03). */
async function judgeFiles(
  server: Server,
  judgment: Judgment,
  { known, world, platform, pinsFiles }: JudgeContext,
): Promise<Judgment> {
  const source = known.get(server.origin.source)
  const { files } = platform
  const judged =
    source && hasEnvFile(server)
      ? await (
          await import('./trust/env-file-trust.ts')
        ).judgeEnvFile(server, judgment, { source, world, files })
      : judgment
  if (judged.state !== 'trusted' || !pinsFiles) return judged
  return (await import('./trust/program-trust.ts')).judgeScripts(server, judged, { platform, world })
}

async function trustKeysOf(
  servers: readonly Server[],
  { home, dirs }: World,
  { files }: Platform,
): Promise<NonNullable<Discovery['trustKeys']>> {
  const { portableHash } = await import('./trust/portable-hash.ts')
  const keys = servers
    .filter(needsTrust)
    .map(async (server) => [server, await portableHash(server, { files, home, dirs })] as const)
  return new Map(await Promise.all(keys))
}

/** The code for lock files is loaded only if there is one beside the config of a project. */
async function readLocks(servers: readonly Server[], world: World, { files }: Platform) {
  const declared = servers.filter(({ origin }) => origin.authority === 'project')
  const folders = [...new Set(declared.flatMap(({ folder }) => folder ?? []))]
  const found = await Promise.all(folders.map((folder) => files.stat(join(folder, lockFileName))))
  if (found.every((stat) => !stat)) return undefined
  return (await import('./lock-states.ts')).readLockStates(declared, { files, world })
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
