import { HostError } from '../model/error.ts'
import { nearest } from '../model/near.ts'
import type { Discovery, Server } from '../model/server.ts'

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
