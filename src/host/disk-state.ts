import { hostDirectories } from '../config/own-directories.ts'
import type { LogLine } from '../connections/process/log-file.ts'
import { platformOf } from '../config/discover-options.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import type { Server } from '../model/server.ts'

/** What hosts leave on disk for whoever asks, without being one of them: nothing here starts anything. */
type Where = Pick<DiscoverOptions, 'platform'>

/** A program of this user that has servers running. */
export interface RunningHost {
  readonly pid: number
  /** It was killed, and left its servers behind; the next host that starts one ends them. */
  readonly isGone: boolean
  readonly cwd: string
  readonly since: number
  readonly servers: readonly RunningServer[]
}

export interface RunningServer {
  readonly id: string
  readonly name: string
  readonly pid: number
  /** The absolute path of its program. */
  readonly command: string
  readonly since: number
}

/** Which hosts of this user run, and the servers they have started. */
export async function readStatus(options: Where = {}): Promise<readonly RunningHost[]> {
  const platform = platformOf(options)
  const { readStarted } = await import('../connections/process/started-groups.ts')
  const hosts = await readStarted(hostDirectories(platform).started, platform)
  return hosts.map(({ pid, cwd, at, groups, isGone }) => ({
    pid,
    isGone,
    cwd,
    since: at,
    servers: groups.map((group) => ({
      id: group.id,
      name: group.name,
      pid: group.pid,
      command: group.command,
      since: group.at,
    })),
  }))
}

/** The last lines that any host has written down of what a server said, newest last. */
export async function readServerLog(
  server: Pick<Server, 'id'>,
  { lines, ...where }: Where & { readonly lines: number },
): Promise<readonly LogLine[]> {
  const { files, path } = await logOf(server, where)
  const { readLog } = await import('../connections/process/log-file.ts')
  return readLog(path, { files, tail: lines })
}

/** The same, and then each new line, until the signal aborts. */
export async function followServerLog(
  server: Pick<Server, 'id'>,
  onLine: (line: LogLine) => void,
  { lines, signal, ...where }: Where & { readonly lines: number; readonly signal: AbortSignal },
): Promise<void> {
  const { files, clock, path } = await logOf(server, where)
  const { followLog } = await import('../connections/process/log-file.ts')
  await followLog(path, onLine, { files, clock, signal, tail: lines })
}

async function logOf({ id }: Pick<Server, 'id'>, where: Where) {
  const platform = platformOf(where)
  const { logPath } = await import('../connections/process/log-file.ts')
  return { ...platform, path: logPath(hostDirectories(platform).logs, id) }
}

/** Forgets what was learned about these servers, or about all, and says of how many there was something. */
export async function clearServerCache(
  servers: readonly Server[] | 'all',
  options: Where = {},
): Promise<number> {
  const platform = platformOf(options)
  const { clearCache } = await import('../catalog/server-cache.ts')
  const place = { directory: hostDirectories(platform).cache, platform }
  return clearCache(place, servers === 'all' ? undefined : servers)
}
