import { checkValues } from './config/check-values.ts'
import { mergeReadings } from './config/merge.ts'
import { previewValues, resolveEnvFile } from './config/preview.ts'
import { locateSite } from './config/value-sites.ts'
import { createWorld } from './config/world.ts'
import type { Diagnostic } from './model/diagnostic.ts'
import type { ResolvedValues } from './model/resolved.ts'
import type { Discovery, Server } from './model/server.ts'
import { nodePlatform } from './platform/node/platform.ts'
import type { Platform } from './platform/platform.ts'
import { loadSource } from './sources/load.ts'
import { openFiles } from './sources/open.ts'
import { placesOf } from './sources/places.ts'
import type { SourceId } from './sources/places.ts'
import type { Source, SourceReading, World } from './sources/source.ts'

export interface DiscoverOptions {
  readonly cwd?: string
  readonly sources?: readonly (SourceId | Source)[]
  readonly config?: string
  /** Also say how values would come out. Nothing is run or read for it, and nothing of an untrusted entry is expanded. */
  readonly preview?: boolean
  readonly platform?: Partial<Platform>
}

/** Reads what is declared and says what counts. Starts nothing, runs nothing, contacts nobody. */
export async function discover(options: DiscoverOptions = {}): Promise<Discovery> {
  const platform = nodePlatform({
    ...options.platform,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  })
  const world = await createWorld(platform, { config: options.config })
  const sources = await Promise.all(
    (options.sources ?? (['plugboard'] as const)).map((source) =>
      typeof source === 'string' ? loadSource(source) : source,
    ),
  )
  const readings = await Promise.all(sources.map((source) => readSource(source, world, platform)))
  const merged = await mergeReadings(readings, platform.files)
  const byId = new Map(sources.map((source) => [source.id as string, source]))
  const values = merged.servers.flatMap((server) => checkValuesOf(server, byId, world))
  const envFiles = await Promise.all(
    merged.servers.map((server) => checkEnvFile(server, byId, world, platform)),
  )
  const resolved = options.preview ? await previews(merged.servers, byId, world) : undefined
  const diagnostics = [...merged.diagnostics, ...values, ...envFiles.flat()]
  return { ...merged, diagnostics, trust: new Map(), others: [], ...(resolved && { resolved }) }
}

/** An envFile is looked for once everything else of its server is in place. */
async function checkEnvFile(
  server: Server,
  sources: ReadonlyMap<string, Source>,
  world: World,
  platform: Platform,
): Promise<readonly Diagnostic[]> {
  const source = sources.get(server.origin.source)
  if (!source || server.transport.kind !== 'stdio' || server.transport.envFile === undefined) return []
  const path = await resolveEnvFile(server, source, world)
  if (path === undefined || (await platform.files.stat(path))) return []
  const site = { field: 'envFile', key: 'envFile', value: server.transport.envFile } as const
  const message = `The envFile ${path} does not exist.`
  return [
    {
      code: 'env-file-missing',
      severity: 'warn',
      message,
      server: server.name,
      origin: locateSite(server, site),
    },
  ]
}

async function previews(
  servers: readonly Server[],
  sources: ReadonlyMap<string, Source>,
  world: World,
): Promise<ReadonlyMap<string, ResolvedValues>> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const source = sources.get(server.origin.source)
      const values = source && (await previewValues(server, source, world))
      return values ? [[server.id, values] as const] : []
    }),
  )
  return new Map(found.flat())
}

async function readSource(source: Source, world: World, platform: Platform): Promise<SourceReading> {
  const opened = await openFiles(placesOf(source.id, world), platform.files)
  const reading = source.read(opened.files, world)
  return { ...reading, diagnostics: [...opened.diagnostics, ...reading.diagnostics] }
}

function checkValuesOf(
  server: Server,
  sources: ReadonlyMap<string, Source>,
  world: World,
): readonly Diagnostic[] {
  const source = sources.get(server.origin.source)
  return source ? checkValues(server, source.valuesOf(server, world), world.env) : []
}
