import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ListenError } from '../login-ports.ts'
import type { ActiveListener, ListenOptions } from '../login-ports.ts'

const page = {
  'content-type': 'text/html; charset=utf-8',
  // The page runs no scripts, loads nothing, and sends no referrer (T30).
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
} as const

/** Listens on 127.0.0.1, not on `localhost`: a name may resolve to another address. */
export function listenLocally({ port, onGet }: ListenOptions): Promise<ActiveListener> {
  const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 10_000 }, (request, response) => {
    request.resume()
    if (request.method !== 'GET') {
      response.writeHead(405, { ...page, allow: 'GET' }).end()
      return
    }
    const base = `http://127.0.0.1:${portOf(server.address())}`
    const target = request.url ?? '/'
    const url = URL.canParse(target, base) ? new URL(target, base) : new URL(base)
    const answer = onGet(url)
    response.writeHead(answer.status, page).end(answer.page)
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(`Port ${port} cannot be listened on (${error.code ?? 'unknown'}).`)),
    )
    server.listen(port, '127.0.0.1', () => {
      resolve({
        port: portOf(server.address()),
        close: () =>
          new Promise((done) => {
            server.close(() => done())
            // A response in progress is still sent; idle connections must not delay the close.
            server.closeIdleConnections()
            setTimeout(() => server.closeAllConnections(), 500).unref()
          }),
      })
    })
  })
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address ? address.port : 0
}
