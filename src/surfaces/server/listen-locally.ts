import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { HostError } from '../../index.ts'

const maxConnections = 512

/**
 * Listens on 127.0.0.1 only, on the first port that is free. A port that was chosen and is taken is an error. The listener is made for the port, before the
 * first request.
 */
export async function listenOnLoopback(
  createListener: (port: number) => RequestListener,
  { chosen, ports = [] }: { readonly chosen?: number | undefined; readonly ports?: readonly number[] },
): Promise<{ readonly server: Server; readonly port: number }> {
  for (const port of chosen === undefined ? ports : [chosen]) {
    const server = createServer({ requireHostHeader: true, insecureHTTPParser: false })
    server.maxConnections = maxConnections
    server.once('listening', () => server.on('request', createListener(portOf(server))))
    const failure = await listenAt(server, port)
    if (!failure) return { server, port: portOf(server) }
    if (chosen !== undefined || failure.code !== 'EADDRINUSE') throw unusable(port, failure)
  }
  throw new Error('No port is free.')
}

function listenAt(server: Server, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
}

function unusable(port: number, { code = '' }: NodeJS.ErrnoException): HostError<'usage'> {
  const why = code === 'EADDRINUSE' ? 'Another program uses it.' : `Listening on it failed (${code}).`
  return new HostError('usage', {}, `The port ${port} cannot be used. ${why}`, {
    hint: 'Choose another one with --port, or leave it out.',
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
