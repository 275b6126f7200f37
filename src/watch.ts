import { keepLastGood } from './config/last-good.ts'
import type { LastGood } from './config/last-good.ts'
import { readSettings, settingsFile } from './config/settings.ts'
import { trustFile } from './config/trust.ts'
import { watchFiles } from './config/watch.ts'
import type { FileChange } from './config/watch.ts'
import { createWorld } from './config/world.ts'
import { chooseSources, discover, platformOf } from './discover.ts'
import type { DiscoverOptions } from './discover.ts'
import type { Discovery } from './model/server.ts'
import type { Files, Platform } from './platform/platform.ts'
import { expandPlaces, parseText } from './sources/open.ts'
import { placesOf } from './sources/places.ts'
import type { FilePlace } from './sources/source.ts'

export interface WatchConfigOptions extends DiscoverOptions {
  /** Called after each real change, with what is in force then. */
  readonly onChange: (discovery: Discovery) => void
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
  const places = await watchedPlaces(options, platform)
  const parse = async (path: string, text: string) =>
    parseText(text, places.find((place) => place.path === path)?.format ?? 'json')
  let good: LastGood = new Map()
  let current: Discovery
  let work: Promise<void> = Promise.resolve()

  const refresh = async (changes: readonly FileChange[]) => {
    good = await keepLastGood(good, changes, parse)
    const files = withLastGood(platform.files, good)
    const found = await discover({ ...options, platform: { ...platform, files } })
    const problems = [...good.values()].flatMap(({ problem }) => problem ?? [])
    current = { ...found, diagnostics: [...problems, ...found.diagnostics] }
  }
  const watch = watchFiles({
    paths: [...places.map(({ path }) => path), settingsFile(platform), trustFile(platform)],
    platform,
    ...(options.signal && { signal: options.signal }),
    // One after the other, so that a listener never sees an older state after a newer one.
    onChange: (changes) => {
      work = work.then(() => refresh(changes)).then(() => options.onChange(current))
    },
  })
  await watch.ready
  await refresh(await presentTexts(places, platform.files))
  return { current: () => current, [Symbol.dispose]: () => watch[Symbol.dispose]() }
}

async function watchedPlaces(options: DiscoverOptions, platform: Platform): Promise<readonly FilePlace[]> {
  const { settings } = await readSettings(platform)
  const world = await createWorld(platform, options)
  const sources = await chooseSources(options, settings)
  return expandPlaces(
    sources.flatMap(({ id }) => placesOf(id, world)),
    platform.files,
  )
}

async function presentTexts(places: readonly FilePlace[], files: Files): Promise<readonly FileChange[]> {
  const found = await Promise.all(
    places.map(async ({ path }) => ({ path, state: await files.readText(path) })),
  )
  return found.filter(({ state }) => state.kind !== 'absent')
}

/** Reads as the file system would if nobody had saved half a text. */
function withLastGood(files: Files, good: LastGood): Files {
  return {
    ...files,
    async readText(path, readOptions) {
      const kept = good.get(path)
      const found = await files.readText(path, readOptions)
      if (!kept?.problem || kept.text === undefined || found.kind === 'absent') return found
      const stat =
        found.kind === 'text'
          ? found.stat
          : ({ kind: 'file', mode: 0o600, uid: 0, size: 0, mtimeMs: 0 } as const)
      return { kind: 'text', text: kept.text, bom: false, stat }
    },
  }
}
