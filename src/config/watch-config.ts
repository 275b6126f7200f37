import { dirname } from 'node:path'
import { keepLastGood, withLastGood } from './last-good.ts'
import type { LastGood } from './last-good.ts'
import { readSettings, settingsFile } from './settings.ts'
import { projectSettingsFiles } from './read-tool-settings.ts'
import { trustFile } from './trust/trust-store.ts'
import { watchFiles } from './watch-files.ts'
import type { FileChange } from './watch-files.ts'
import { createWorld } from './world.ts'
import { discover } from './discover.ts'
import { chooseSources, platformOf } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import type { Discovery } from '../model/server.ts'
import type { Files, Platform } from '../platform/platform.ts'
import { parseText } from '../sources/formats/parse-text.ts'
import { expandPlaces } from '../sources/open-files.ts'
import { placesOf } from '../sources/places.ts'
import type { FilePlace } from '../sources/source.ts'

export interface WatchConfigOptions extends DiscoverOptions {
  /** Called after each real change, with what is in force then. */
  readonly onChange: (discovery: Discovery) => void | Promise<void>
  /** Called when a listener or a discovery fails; what was in force stays so. */
  readonly onError?: (error: unknown) => void
  readonly signal?: AbortSignal
}

export interface WatchedConfig extends Disposable {
  /** What is in force now. */
  current(): Discovery
}

/**
 * A discovery that follows its files. A text that does not parse, such as one half written, is reported with its place and leaves
 * the one before it in force. Nothing here keeps the process alive.
 */
export async function watchConfig(options: WatchConfigOptions): Promise<WatchedConfig> {
  const platform = platformOf(options)
  const own = [settingsFile(platform), trustFile(platform), ...(await projectSettingsFiles(platform))]
  const end = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal
  const fail = (error: unknown) => quietly(() => options.onError?.(error))
  let places = await watchedPlaces(options, platform)
  let good: LastGood = new Map()
  let current: Discovery

  const look = async () => {
    // A moment in which the places cannot be told is no reason to stop watching those that were known.
    places = await watchedPlaces(options, platform).catch(() => places)
    return { paths: [...places.files.map(({ path }) => path), ...own], folders: places.folders }
  }
  const parse = async (path: string, text: string) =>
    parseText(text, places.files.find((place) => place.path === path)?.format ?? 'json')
  const refresh = async (changes: readonly FileChange[]): Promise<Discovery> => {
    // FI-74: what decides about trust counts as it stands: a damaged store trusts nobody.
    const declared = changes.filter(({ path }) => !own.includes(path))
    good = await keepLastGood(good, declared, parse)
    const files = withLastGood(platform.files, good)
    const found = await discover({ ...options, platform: { ...platform, files } })
    const problems = [...good.values()].flatMap(({ problem }) => problem ?? [])
    return { ...found, diagnostics: [...problems, ...found.diagnostics] }
  }
  const follow = async (changes: readonly FileChange[]) => {
    if (signal.aborted) return
    try {
      current = await refresh(changes)
    } catch (error) {
      return fail(error)
    }
    if (!signal.aborted) tell(options.onChange, current, fail)
  }
  const watch = watchFiles({
    watched: look,
    platform,
    signal,
    // One after the other, so that a listener never sees an older state after a newer one.
    onChange: (changes) => {
      work = work.then(() => follow(changes))
    },
  })
  const first = watch.ready.then(async () => {
    current = await refresh(await presentTexts(places.files, platform.files))
  })
  let work: Promise<void> = first.catch(() => end.abort())
  await first
  return { current: () => current, [Symbol.dispose]: () => end.abort() }
}

/** One listener that fails must not end the watch for itself or for others. */
function tell(
  listener: WatchConfigOptions['onChange'],
  current: Discovery,
  fail: (error: unknown) => void,
): void {
  try {
    Promise.resolve(listener(current)).catch(fail)
  } catch (error) {
    fail(error)
  }
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // Whoever is told of errors has nobody to tell of their own.
  }
}

interface Places {
  readonly files: readonly FilePlace[]
  /** The folders of places with a `*`. */
  readonly folders: readonly string[]
}

async function watchedPlaces(options: DiscoverOptions, platform: Platform): Promise<Places> {
  const { settings } = await readSettings(platform)
  const world = await createWorld(platform, options)
  const sources = await chooseSources(options, settings)
  const places = sources.flatMap(({ id }) => placesOf(id, world))
  return {
    files: await expandPlaces(places, platform.files),
    folders: await starFolders(places, platform.files),
  }
}

/** Every folder in which a `*` is looked for. */
async function starFolders(places: readonly FilePlace[], files: Files): Promise<readonly string[]> {
  const patterns: FilePlace[] = []
  for (const place of places) {
    for (let { path } = place; path.includes('*'); path = dirname(path)) {
      patterns.push({ ...place, path: dirname(path) })
    }
  }
  return (await expandPlaces(patterns, files)).map(({ path }) => path)
}

async function presentTexts(places: readonly FilePlace[], files: Files): Promise<readonly FileChange[]> {
  const found = await Promise.all(
    places.map(async ({ path }) => ({ path, state: await files.readText(path) })),
  )
  return found.filter(({ state }) => state.kind !== 'absent')
}
