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
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list',
  })
}
