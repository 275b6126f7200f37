import { dirname, join } from 'node:path'
import { updateLastGood, withLastGood } from './last-good.ts'
import type { LastGood } from './last-good.ts'
import { readSettings, settingsFile } from './settings.ts'
import { projectSettingsFiles } from './read-tool-settings.ts'
import { trustFile } from './trust/trust-store.ts'
import { watchFiles } from './watch-files.ts'
import type { FileChange } from './watch-files.ts'
import { createWorld } from './world.ts'
import { discover } from './discover.ts'
import { believedPlatformOf, chooseSources } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { lockFileName } from '../model/locked-server.ts'
import type { Discovery } from '../model/server.ts'
import type { Files, Platform } from '../platform/platform.ts'
import { parseText } from '../sources/formats/parse-text.ts'
import { expandPlaces } from '../sources/open-files.ts'
import { placesOf } from '../sources/places.ts'
import type { FilePlace } from '../sources/source.ts'

export interface WatchConfigOptions extends DiscoverOptions {
  /** Called after each change of content, with the new discovery. */
  readonly onChange: (discovery: Discovery) => void | Promise<void>
  /** Called when `onChange` or a discovery fails. The previous discovery stays in force. */
  readonly onError?: (error: unknown) => void
  readonly signal?: AbortSignal
}

export interface WatchedConfig extends Disposable {
  /** The discovery that is in force now. */
  current(): Discovery
  /** Calls `onChange` after the next reading, even if it has no changes: for a caller that has read the files itself. */
  check(): void
}

/**
 * A discovery that is repeated when its files change. A text that does not parse, such as a half-written one, is reported
 * with its place, and the previous text stays in force. The watch does not keep the process alive.
 */
export async function watchConfig(options: WatchConfigOptions): Promise<WatchedConfig> {
  const { platform, diagnostics: ofPlaces } = await believedPlatformOf(options)
  const { dirs } = await createWorld(platform, options)
  const locks = options.lock ? dirs.map((dir) => join(dir, lockFileName)) : []
  const own = [
    settingsFile(platform),
    trustFile(platform),
    ...(await projectSettingsFiles(platform)),
    ...locks,
  ]
  const end = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal
  const reportError = (error: unknown) => ignoreErrors(() => options.onError?.(error))
  let places = await watchedPlaces(options, platform)
  let good: LastGood = new Map()
  let current: Discovery

  const listWatched = async () => {
    // If the places cannot be determined right now, keep watching the known ones.
    places = await watchedPlaces(options, platform).catch(() => places)
    return { paths: [...places.files.map(({ path }) => path), ...own], folders: places.folders }
  }
  const parse = async (path: string, text: string) =>
    parseText(text, places.files.find((place) => place.path === path)?.format ?? 'json')
  const refresh = async (changes: readonly FileChange[]): Promise<Discovery> => {
    // FI-74: our own files have no last good text: a damaged trust store must trust no server at once.
    const declared = changes.filter(({ path }) => !own.includes(path))
    good = await updateLastGood(good, declared, parse)
    const files = withLastGood(platform.files, good)
    const found = await discover({ ...options, platform: { ...platform, files } })
    const problems = [...good.values()].flatMap(({ problem }) => problem ?? [])
    return { ...found, diagnostics: [...ofPlaces, ...problems, ...found.diagnostics] }
  }
  const follow = async (changes: readonly FileChange[]) => {
    if (signal.aborted) return
    try {
      current = await refresh(changes)
    } catch (error) {
      return reportError(error)
    }
    if (!signal.aborted) notify(options.onChange, current, reportError)
  }
  const watch = watchFiles({
    watched: listWatched,
    platform,
    signal,
    // One at a time, so that a listener never receives an older state after a newer one.
    onChange: (changes) => {
      work = work.then(() => follow(changes))
    },
  })
  const first = watch.ready.then(async () => {
    current = await refresh(await presentTexts(places.files, platform.files))
  })
  let work: Promise<void> = first.catch(() => end.abort())
  await first
  return { current: () => current, check: () => watch.check(), [Symbol.dispose]: () => end.abort() }
}

/** Calls the listener. Its failure is reported and does not end the watch. */
function notify(
  listener: WatchConfigOptions['onChange'],
  current: Discovery,
  reportError: (error: unknown) => void,
): void {
  try {
    Promise.resolve(listener(current)).catch(reportError)
  } catch (error) {
    reportError(error)
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // An error of the error handler has no further handler.
  }
}

interface WatchedPlaces {
  readonly files: readonly FilePlace[]
  /** The folders of places with a `*`. */
  readonly folders: readonly string[]
}

async function watchedPlaces(options: DiscoverOptions, platform: Platform): Promise<WatchedPlaces> {
  const { settings } = await readSettings(platform)
  const world = await createWorld(platform, options)
  const sources = await chooseSources(options, settings)
  const places = sources.flatMap(({ id }) => placesOf(id, world))
  return {
    files: await expandPlaces(places, platform.files),
    folders: await starFolders(places, platform.files),
  }
}

/** The folders in which a `*` of a place may match new files. */
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
