import { mergeReadings } from './merge-readings.ts'
import { owners, settingsRoles } from '../sources/clients/other-files.ts'
import { readSettings } from './settings.ts'
import { createWorld } from './world.ts'
import { checkOptions, chooseSources, platformOf } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { loadSource } from '../sources/clients/load-source.ts'
import { expandPlaces, openFiles } from '../sources/open-files.ts'
import { namedOnly, placesOf, sourceIds } from '../sources/places.ts'
import type { SourceId } from '../sources/places.ts'
import type { World } from '../sources/source.ts'

/** The servers and files of one client, whether the source is in use or not. */
export interface SurveyedSource {
  readonly id: SourceId
  readonly title: string
  /** `own` is always in use, `on` was enabled by a person, `off` is not in use. */
  readonly use: 'own' | 'on' | 'off'
  readonly files: readonly SurveyedFile[]
  readonly servers: readonly Server[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface SurveyedFile {
  readonly file: string
  readonly scope: string
  readonly found: boolean
  /** Whether the file belongs to this client. Other clients may read it as well. */
  readonly own: boolean
}

/** Reads all known sources, each in its own dialect. Starts no server and enables no source. */
export async function surveySources(options: DiscoverOptions = {}): Promise<readonly SurveyedSource[]> {
  checkOptions(options)
  const platform = await platformOf(options)
  const { settings } = await readSettings(platform)
  const used = (await chooseSources(options, settings)).map(({ id }) => id)
  const enabled: readonly string[] = options.sources ? [] : settings.sources
  const useOf = (id: SourceId) => (!used.includes(id) ? 'off' : enabled.includes(id) ? 'on' : 'own')
  const named = await createWorld(platform, options)
  const world = await createWorld(platform)
  const ids = options.sources ? sourceIds.filter((id) => used.includes(id)) : sourceIds.filter(isSurveyed)
  const surveyed = await Promise.all(
    ids.map((id) => survey(id, useOf(id), id === used[0] ? named : world, platform)),
  )
  return withOwners(surveyed)
}

/** Sources without fixed places, such as bundles, are read only when a person names a file. */
function isSurveyed(id: SourceId): boolean {
  return !namedOnly.has(id)
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
  const present = new Set([
    ...opened.files.map(({ path }) => path),
    ...opened.diagnostics.map(({ origin }) => origin?.file),
  ])
  return {
    id,
    title: source.title,
    use,
    files: expanded.map(({ path, scope, role }) => ({
      file: path,
      scope,
      found: present.has(path),
      own: !settingsRoles.has(role),
    })),
    servers,
    diagnostics: [...opened.diagnostics, ...reading.diagnostics],
  }
}

/** Assigns a file that several clients read to the first of them in the order of `owners`. */
function withOwners(surveyed: readonly SurveyedSource[]): readonly SurveyedSource[] {
  const holders = new Map<string, SourceId>()
  for (const id of owners) {
    const files = surveyed.find((source) => source.id === id)?.files ?? []
    for (const { file, own } of files) if (own && !holders.has(file)) holders.set(file, id)
  }
  return surveyed.map((source) => ({
    ...source,
    files: source.files.map((each) => ({ ...each, own: holders.get(each.file) === source.id })),
  }))
}
