import { HostError } from '../model/error.ts'
import { nearest } from '../model/near.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { DiscoverOptions } from './discover-options.ts'

/** The server that a name or a server of a discovery stands for; a name is looked up in what is in force. */
export async function serverInForce(server: string | Server, options: DiscoverOptions): Promise<Server> {
  if (typeof server !== 'string') return server
  const { discoverServers } = await import('./discover.ts')
  return findServer(await discoverServers(options), server)
}

/** A server in force by its name, or an error that says which ones there are. */
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
