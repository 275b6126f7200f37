import { checkEnvFile } from './config/check-env-file.ts'
import { checkValues } from './config/check-values.ts'
import { mergeReadings } from './config/merge.ts'
import { findOthers } from './config/others.ts'
import { previewValues } from './config/preview.ts'
import { readSettings } from './config/settings.ts'
import type { Settings } from './config/settings.ts'
import { switchOff } from './config/switch-off.ts'
import { readTrust, trustOf } from './config/trust.ts'
import { createWorld } from './config/world.ts'
import type { Diagnostic } from './model/diagnostic.ts'
import { HostError } from './model/error.ts'
import { nearest } from './model/near.ts'
import type { Discovery, Server, TrustState } from './model/server.ts'
import { nodePlatform } from './platform/node/platform.ts'
import type { Platform } from './platform/platform.ts'
import { loadPreset } from './presets/load.ts'
import type { PresetName } from './model/preset.ts'
import { loadSource } from './sources/load.ts'
import { openFiles } from './sources/open.ts'
import { placesOf, sourceIds } from './sources/places.ts'
import type { SourceId } from './sources/places.ts'
import type { Source, SourceReading, World } from './sources/source.ts'

export interface DiscoverOptions {
  readonly cwd?: string
  readonly preset?: PresetName
  /** Exactly these sources, highest in rank first, instead of the preset's and the enabled ones. */
  readonly sources?: readonly (SourceId | Source)[]
  /** A file the operator names: it ranks highest and is trusted. With `sources` it is read in the first one's dialect. */
  readonly config?: string | undefined
  /** `project` trusts what the project declares, for this call only. */
  readonly trust?: 'project'
  /** Also say how values would come out. Nothing is run or read for it, and nothing of an untrusted entry is expanded. */
  readonly preview?: boolean
  /** C5: a url without a type is refused, as the omp document warns. */
  readonly strictType?: boolean
  readonly platform?: Partial<Platform>
}

/** Reads what is declared and says what counts. Starts nothing, runs nothing, contacts nobody. */
export async function discover(options: DiscoverOptions = {}): Promise<Discovery> {
  const platform = platformOf(options)
  const { settings, diagnostics: complaints } = await readSettings(platform)
  const world = await createWorld(platform, options)
  const sources = await chooseSources(options, settings)
  const readings = await Promise.all(sources.map((source) => readSource(source, world, platform)))
  const merged = await mergeReadings(readings, platform.files)
  const servers = switchOff(merged.servers, settings, platform)
  const known = new Map(sources.map((source) => [source.id as string, source]))
  const values = await checkAll(servers, known, world, platform)
  const { trust, damage } = await judge(servers, options, platform)
  const used = new Set(sources.map(({ id }) => id))
  const usedFiles = new Set(
    [...servers, ...merged.shadowed.map(({ server }) => server)].map(({ origin }) => origin.file),
  )
  return {
    servers,
    shadowed: merged.shadowed,
    diagnostics: [...complaints, ...damage, ...merged.diagnostics, ...values],
    trust,
    others: options.sources ? [] : await findOthers(used, usedFiles, world, platform.files),
    ...(options.preview && { resolved: await previews(servers, known, world, trust) }),
  }
}

export function platformOf({ platform, cwd }: Pick<DiscoverOptions, 'platform' | 'cwd'>): Platform {
  return nodePlatform({ ...platform, ...(cwd !== undefined && { cwd }) })
}

/** What was asked for; else the preset's sources, with the clients a person turned on behind them (D-16). */
export async function chooseSources(
  options: DiscoverOptions,
  settings: Settings,
): Promise<readonly Source[]> {
  const preset = await loadPreset(options.preset ?? settings.preset ?? 'default')
  const chosen = options.sources ?? [
    ...(preset.sources as readonly SourceId[]), // presets name sources of ours
    ...(preset.addsEnabledSources ? settings.sources : []),
  ]
  return Promise.all(
    chosen.map((source) => (typeof source === 'string' ? loadSource(knownSource(source)) : source)),
  )
}

export function knownSource(id: string): SourceId {
  const found = sourceIds.find((candidate) => candidate === id)
  if (found) return found
  const near = nearest(id, sourceIds)
  throw new HostError('source.unknown', { source: id, near }, `There is no source "${id}".`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard sources',
  })
}

async function readSource(source: Source, world: World, platform: Platform): Promise<SourceReading> {
  const opened = await openFiles(placesOf(source.id, world), platform.files)
  const reading = source.read(opened.files, world)
  return { ...reading, diagnostics: [...opened.diagnostics, ...reading.diagnostics] }
}

type Known = ReadonlyMap<string, Source>

async function checkAll(
  servers: readonly Server[],
  known: Known,
  world: World,
  platform: Platform,
): Promise<readonly Diagnostic[]> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const source = known.get(server.origin.source)
      if (!source) return []
      const values = checkValues(server, source.valuesOf(server, world), world.env)
      return [...values, ...(await checkEnvFile(server, source, world, platform.files))]
    }),
  )
  return found.flat()
}

async function judge(servers: readonly Server[], options: DiscoverOptions, platform: Platform) {
  const store = await readTrust(platform)
  const states = await Promise.all(
    servers.map(async (server): Promise<readonly [Server, TrustState]> => {
      const state = options.trust === 'project' ? 'trusted' : await trustOf(server, store, platform.files)
      return [server, state]
    }),
  )
  return { trust: new Map(states), damage: store.damage ? [store.damage] : [] }
}

async function previews(
  servers: readonly Server[],
  known: Known,
  world: World,
  trust: ReadonlyMap<Server, TrustState>,
): Promise<NonNullable<Discovery['resolved']>> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const source = known.get(server.origin.source)
      if (!source || trust.get(server) !== 'trusted') return []
      const values = await previewValues(server, source, world)
      return values ? [[server, values] as const] : []
    }),
  )
  return new Map(found.flat())
}
