import { serverInForce } from '../config/server-in-force.ts'
import { hostDirectories } from '../config/own-directories.ts'
import type { LogLine } from '../connections/process/log-file.ts'
import { platformOf } from '../config/discover-options.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import type { Server } from '../model/server.ts'

// Reads the state that hosts keep on disk: running programs, logs, caches. Nothing here starts a server.

/** A program of this user that has servers running. */
export interface RunningHost {
  readonly pid: number
  /** The host was killed and its servers still run; the next host that starts a server ends them. */
  readonly isGone: boolean
  readonly cwd: string
  readonly since: number
  readonly servers: readonly RunningServer[]
  /** Processes that still run though their server has ended. */
  readonly left: readonly LeftBehind[]
}

export interface LeftBehind {
  readonly pid: number
  /** The server's name. */
  readonly server: string
  /** `false`: it was started while the server ran and may belong to it, but removed its environment. It is not ended. */
  readonly isCertain: boolean
  /** The name of its program, if it is known. */
  readonly program?: string
}

export interface RunningServer {
  readonly id: string
  readonly name: string
  readonly pid: number
  /** The absolute path of its program. */
  readonly command: string
  /** The command line of its entry, without secrets. */
  readonly line: string
  readonly since: number
}

/** Reads which hosts of this user are running, and the programs they have started. `plugboard status` prints it. */
export async function readRunningHosts(
  options: Pick<DiscoverOptions, 'platform'> = {},
): Promise<readonly RunningHost[]> {
  const platform = await platformOf(options)
  const { readStarted } = await import('../connections/process/started-groups.ts')
  const hosts = await readStarted(hostDirectories(platform).started, platform)
  return hosts.map(({ pid, cwd, at, groups, left, isGone }) => ({
    pid,
    isGone,
    cwd,
    since: at,
    servers: groups.map((group) => ({
      id: group.id,
      name: group.name,
      pid: group.pid,
      command: group.command,
      line: group.line || group.command,
      since: group.at,
    })),
    left: left.map((each) => ({
      pid: each.pid,
      server: each.name,
      isCertain: each.isCertain,
      ...(each.program !== undefined && { program: each.program }),
    })),
  }))
}

export interface ReadLogOptions extends DiscoverOptions {
  /** How many of the last lines. */
  readonly lines: number
}

export interface FollowLogOptions extends ReadLogOptions {
  /** Ends the following. */
  readonly signal: AbortSignal
}

/**
 * Reads the last lines that any host has logged for a server, newest last.
 *
 * @param server Its name, or a server of a discovery.
 */
export async function readServerLog(
  server: string | Server,
  options: ReadLogOptions,
): Promise<readonly LogLine[]> {
  const { files, path } = await logOf(server, options)
  const { readLog } = await import('../connections/process/log-file.ts')
  return readLog(path, { files, tail: options.lines })
}

/** Reads the last lines, and then each new line until the signal aborts. */
export async function followServerLog(
  server: string | Server,
  onLine: (line: LogLine) => void,
  options: FollowLogOptions,
): Promise<void> {
  const { files, clock, path } = await logOf(server, options)
  const { followLog } = await import('../connections/process/log-file.ts')
  await followLog(path, onLine, { files, clock, signal: options.signal, tail: options.lines })
}

async function logOf(server: string | Server, options: DiscoverOptions) {
  const platform = await platformOf(options)
  const { id } = await serverInForce(server, options)
  const { logPath } = await import('../connections/process/log-file.ts')
  return { ...platform, path: logPath(hostDirectories(platform).logs, id) }
}

/**
 * Removes the cache of these servers, or of all servers. Returns the number of servers that had a cache.
 *
 * @param servers Names, or servers of a discovery.
 */
export async function clearServerCache(
  servers: readonly (string | Server)[] | 'all',
  options: DiscoverOptions = {},
): Promise<number> {
  const platform = await platformOf(options)
  const { clearCache } = await import('../catalog/server-cache.ts')
  const place = { directory: hostDirectories(platform).cache, platform }
  if (servers === 'all') return clearCache(place)
  return clearCache(place, await Promise.all(servers.map((server) => serverInForce(server, options))))
}
