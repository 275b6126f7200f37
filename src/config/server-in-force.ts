import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import { nearest } from '../model/near.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { DiscoverOptions } from './discover-options.ts'

/** The server in force for a name. A server of a discovery is returned as it is. */
export async function serverInForce(server: string | Server, options: DiscoverOptions): Promise<Server> {
  if (typeof server !== 'string') return server
  const { discoverServers } = await import('./discover.ts')
  return findServer(await discoverServers(options), server)
}

/** The server in force for a name, or an error that suggests similar names. */
export function findServer(discovery: Discovery, name: string): Server {
  const found = discovery.servers.find((server) => server.name === name)
  if (found) return found
  const near = nearest(
    name,
    discovery.servers.map((server) => server.name),
  )
  throw new HostError('server.unknown', { server: name, near }, `No server "${name}" is in force here.`, {
    hint: unknownHint(near, discovery.diagnostics),
  })
}

/** The next step after an unknown name: a similar one, or a file that cannot be read and may declare it. */
export function unknownHint(near: readonly string[], diagnostics: readonly Diagnostic[]): string {
  const broken = diagnostics.find(({ code }) => code === 'parse-error' || code === 'unreadable-file')
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list'
  if (!broken?.origin) return meant
  const { file, line } = broken.origin
  const place = line === undefined ? file : `${file}:${line}`
  const why = broken.message.replace(/^line \d+, column \d+: /, '')
  return `It may be declared in ${place}, which cannot be used: ${why}${near.length > 0 ? ` ${meant}` : ''}`
}
