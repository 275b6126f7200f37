import { toListing } from '../../src/config/listing.ts'
import { discover } from '../../src/config/discover.ts'
import type { Env, Os } from '../../src/platform/platform.ts'
import type { SourceId } from '../../src/sources/places.ts'
import { memoryFiles } from '../../src/testing/memory-files.ts'

export const home = '/home/dana'
export const project = '/home/dana/src/shop'

type Rows = readonly Record<string, unknown>[]

interface SourceReading {
  /** Servers by name, without id, line, source and trust. */
  readonly servers: Readonly<Record<string, Record<string, unknown>>>
  readonly names: readonly string[]
  readonly shadowed: Rows
  /** `severity code pointer`, sorted. */
  readonly problems: readonly string[]
  readonly diagnostics: Rows
}

/** Reads one source from files in memory; `~/` is the home directory, other relative paths are in the project. */
export async function read(
  source: SourceId,
  texts: Readonly<Record<string, unknown>>,
  options: { readonly env?: Env; readonly os?: Os; readonly config?: string } = {},
): Promise<SourceReading> {
  const files = memoryFiles(
    Object.fromEntries(
      Object.entries(texts).map(([path, content]) => [
        absolute(path),
        typeof content === 'string' ? content : JSON.stringify(content, null, 2),
      ]),
    ),
  )
  const platform = {
    os: options.os ?? 'linux',
    home,
    cwd: project,
    env: options.env ?? {},
    systemRoot: '/',
    files,
  } as const
  const config = options.config === undefined ? {} : { config: absolute(options.config) }
  const listing = toListing(
    await discover({ platform, sources: [source], preview: true, trust: 'project', ...config }),
  )
  return {
    servers: Object.fromEntries(listing.servers.map((server) => [server.name, plain(server)])),
    names: listing.servers.map(({ name }) => name),
    shadowed: listing.shadowed,
    problems: listing.diagnostics
      .map(({ severity, code, pointer }) => [severity, code, pointer].filter(Boolean).join(' '))
      .sort(),
    diagnostics: listing.diagnostics,
  }
}

function absolute(path: string): string {
  if (path.startsWith('~/')) return home + path.slice(1)
  return path.startsWith('/') ? path : `${project}/${path}`
}

function plain({ id: _id, line: _line, source: _source, trust: _trust, ...fields }: Record<string, unknown>) {
  return fields
}
