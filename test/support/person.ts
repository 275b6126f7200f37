import { discover } from '../../src/config/discover.ts'
import type { DiscoverOptions } from '../../src/config/discover-options.ts'
import type { Discovery } from '../../src/model/server.ts'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { memoryFiles } from '../../src/testing/memory-files.ts'

export const home = '/home/dana'
export const project = '/home/dana/src/shop'

/** A user on a machine with files in memory, in a project that is a git repository. */
export interface Person {
  readonly files: ReturnType<typeof memoryFiles>
  readonly platform: Platform
  discover(options?: DiscoverOptions): Promise<Discovery>
  /** `name file` for each server in force. */
  inForce(options?: DiscoverOptions): Promise<readonly string[]>
}

/** In paths `~/` is the home directory, other relative paths are in the project. */
export function createPerson(
  texts: Readonly<Record<string, unknown>>,
  overrides: Partial<Platform> = {},
): Person {
  const absolute = Object.entries({ '.git/HEAD': '', ...texts }).map(([path, content]) => [
    pathOf(path),
    typeof content === 'string' ? content : JSON.stringify(content, null, 2),
  ])
  const files = memoryFiles(Object.fromEntries(absolute))
  const platform = nodePlatform({
    os: 'linux',
    home,
    cwd: project,
    env: {},
    systemRoot: '/',
    uid: 0,
    lock: (_path, work) => work(),
    run: () => Promise.reject(new Error('nothing is run')),
    ...overrides,
    files: overrides.files ?? files,
  })
  const person: Person = {
    files,
    platform,
    discover: (options = {}) => discover({ ...options, platform: { ...platform, ...options.platform } }),
    async inForce(options) {
      const { servers } = await person.discover(options)
      return servers.map(({ name, origin }) => `${name} ${shortOf(origin.file)}`)
    },
  }
  return person
}

export function pathOf(path: string): string {
  if (path.startsWith('~/')) return home + path.slice(1)
  return path.startsWith('/') ? path : `${project}/${path}`
}

export function shortOf(path: string): string {
  if (path.startsWith(`${project}/`)) return path.slice(project.length + 1)
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

/** A file with one server under each name. */
export function servers(...names: readonly string[]) {
  return { mcpServers: Object.fromEntries(names.map((name) => [name, { command: `run-${name}` }])) }
}

/** `severity code place` of each diagnostic, in order. */
export function problems({ diagnostics }: Pick<Discovery, 'diagnostics'>): readonly string[] {
  return diagnostics.map(({ severity, code, origin }) =>
    [severity, code, shortOf(origin?.file ?? '') + (origin?.pointer ?? '')].join(' '),
  )
}
