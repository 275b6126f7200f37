import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** Ports that were free a moment ago, for programs that cannot choose their own. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  for (const server of servers) if (!server.listening) await once(server, 'listening')
  const ports = servers.map((server) => (server.address() as AddressInfo).port) // they listen on TCP
  for (const server of servers) server.close()
  return ports
}
