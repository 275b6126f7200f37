import { HostError } from '../model/error.ts'
import { nearest } from '../model/near.ts'
import { presetNames } from '../model/preset.ts'
import type { PresetName } from '../model/preset.ts'
import { believePlatform } from './believed-platform.ts'
import type { BelievedPlatform } from './believed-platform.ts'
import type { Platform } from '../platform/platform.ts'
import { loadPreset } from '../presets/load-preset.ts'
import { loadSource } from '../sources/clients/load-source.ts'
import { sourceIds } from '../sources/places.ts'
import type { SourceId } from '../sources/places.ts'
import type { Source } from '../sources/source.ts'
import type { Settings } from './settings.ts'

export interface DiscoverOptions {
  readonly cwd?: string
  readonly preset?: PresetName
  /** Exactly these sources, highest rank first, instead of the preset's and the enabled ones; none with an empty list. */
  readonly sources?: readonly SourceId[]
  /**
   * A file that ranks highest and is trusted, as with `--config`. With `sources` it is read in the dialect of the first;
   * with an empty list of sources it is the only file.
   */
  readonly config?: string | undefined
  /** `false` leaves out the settings of the person and of the project, which only narrow what is offered. */
  readonly settings?: false
  /** `'project'` trusts the servers that the project declares, for this call only. */
  readonly trust?: 'project'
  /** Also returns the resolved values for display. Runs no command, reads no file, and skips untrusted servers. */
  readonly preview?: boolean
  /** Also returns the hash of each project server in its current form, as `trust --hash` takes it. */
  readonly trustKeys?: boolean
  /**
   * Also reads the lock files of the projects that declare servers, `mcp.lock.json`. What a host reads in them is held if it
   * differs from them; a host reads them unless `accept` is `off`.
   */
  readonly lock?: boolean
  /** `false` leaves out all files of the project. */
  readonly projectFiles?: false
  /** C5: refuses a url without a type, as the omp document warns. */
  readonly strictType?: boolean
  /**
   * The last text of each config file that could be used, by path. A file that is half written or unreadable is read with
   * that text, and a diagnostic says so. A host keeps its own; pass a map to keep the texts over several hosts.
   */
  readonly lastGood?: Map<string, string>
  readonly platform?: Partial<Platform>
}

/** Checks options at run time, so that untyped callers get a clear message. */
export function checkOptions(options: DiscoverOptions): void {
  const { cwd, config, preset, settings, sources, trust }: Readonly<Record<string, unknown>> = { ...options }
  const isText = (value: unknown) => value === undefined || typeof value === 'string'
  const refuse = (option: string, allowed: string): never => {
    throw new HostError('usage', {}, `The option ${option} must be ${allowed}.`)
  }
  if (!isText(cwd)) refuse('cwd', 'the path of a folder')
  if (!isText(config)) refuse('config', 'the path of a file')
  if (preset !== undefined && !presetNames.some((name) => name === preset))
    refuse('preset', `one of ${presetNames.join(', ')}`)
  if (sources !== undefined && !Array.isArray(sources)) refuse('sources', 'a list of source ids')
  if (settings !== undefined && settings !== false) refuse('settings', 'false or left out')
  if (trust !== undefined && trust !== 'project') refuse('trust', '"project" or left out')
}

type PlatformOptions = Pick<DiscoverOptions, 'platform' | 'cwd'>

export async function platformOf(options: PlatformOptions): Promise<Platform> {
  return (await believedPlatformOf(options)).platform
}

/** The platform, and diagnostics about variables that are not used (T54). */
export function believedPlatformOf({ platform, cwd }: PlatformOptions): Promise<BelievedPlatform> {
  return believePlatform({ ...platform, ...(cwd !== undefined && { cwd }) })
}

/** The sources of the options or, without any, those of the preset followed by the enabled clients (D-16). */
export async function chooseSources(
  options: DiscoverOptions,
  settings: Settings,
): Promise<readonly Source[]> {
  const preset = await loadPreset(options.preset ?? settings.preset ?? 'default')
  const chosen = options.sources ?? [
    ...(preset.sources as readonly SourceId[]), // presets name sources of ours
    ...(preset.addsEnabledSources ? settings.sources : []),
  ]
  const wanted = isOnlyConfig(options) ? ['plugboard'] : chosen
  return Promise.all(wanted.map(async (id) => loadSource(knownSource(id))))
}

/** Whether the file of `config` is the only one. It is then read in our own dialect. */
export function isOnlyConfig({ config, sources }: DiscoverOptions): boolean {
  return config !== undefined && sources?.length === 0
}

export function knownSource(id: string): SourceId {
  const found = sourceIds.find((candidate) => candidate === id)
  if (found) return found
  const near = nearest(id, sourceIds)
  throw new HostError('source.unknown', { source: id, near }, `There is no source "${id}".`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard sources',
  })
}
