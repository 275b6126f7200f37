import { mergeReadings } from './config/merge.ts'
import { readSettings } from './config/settings.ts'
import { createWorld } from './config/world.ts'
import { platformOf } from './discover.ts'
import type { DiscoverOptions } from './discover.ts'
import type { Diagnostic } from './model/diagnostic.ts'
import type { Server } from './model/server.ts'
import type { Platform } from './platform/platform.ts'
import { loadSource } from './sources/load.ts'
import { expandPlaces, openFiles } from './sources/open.ts'
import { namedOnly, placesOf, sourceIds } from './sources/places.ts'
import type { SourceId } from './sources/places.ts'
import type { World } from './sources/source.ts'

/** What one client has declared here, whether it is used or not. */
export interface SurveyedSource {
  readonly id: SourceId
  readonly title: string
  /** `own` is always on, `on` was turned on by a person, `off` is found and not used. */
  readonly use: 'own' | 'on' | 'off'
  readonly files: readonly { readonly file: string; readonly scope: string; readonly found: boolean }[]
  readonly servers: readonly Server[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads every source there is, in its owner's way. Nothing is started and nothing is turned on. */
export async function surveySources(options: DiscoverOptions = {}): Promise<readonly SurveyedSource[]> {
  const platform = platformOf(options)
  const world = await createWorld(platform)
  const { settings } = await readSettings(platform)
  const ids = sourceIds.filter((id) => !namedOnly.has(id))
  return Promise.all(ids.map((id) => survey(id, useOf(id, settings.sources), world, platform)))
}

function useOf(id: SourceId, enabled: readonly SourceId[]): SurveyedSource['use'] {
  if (id === 'plugboard') return 'own'
  return enabled.includes(id) ? 'on' : 'off'
}

async function survey(
  id: SourceId,
  use: SurveyedSource['use'],
  world: World,
  platform: Platform,
): Promise<SurveyedSource> {
  const source = await loadSource(id)
  const places = placesOf(id, world)
  const opened = await openFiles(places, platform.files)
  const reading = source.read(opened.files, world)
  const { servers } = await mergeReadings([reading], platform.files)
  const expanded = await expandPlaces(places, platform.files)
  const there = new Set([
    ...opened.files.map(({ path }) => path),
    ...opened.diagnostics.map(({ origin }) => origin?.file),
  ])
  return {
    id,
    title: source.title,
    use,
    files: expanded.map(({ path, scope }) => ({ file: path, scope, found: there.has(path) })),
    servers,
    diagnostics: [...opened.diagnostics, ...reading.diagnostics],
  }
}
