import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'

/** A request without its body, which is not read. */
export interface LoopbackRequest {
  readonly method: string
  readonly url: string
  readonly host: string
  /** `sec-fetch-dest`: what a browser asks for it for. */
  readonly destination: string | undefined
}

export interface LoopbackAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface LoopbackPair {
  readonly port: number
  close(): void
}

/**
 * Listens at one port of 127.0.0.1 and ::1. Browsers try ::1 first for a name below `localhost`: another program must not answer
 * there. `undefined` if no port can be used.
 */
export async function listenOnLoopbacks(
  answer: (request: LoopbackRequest) => LoopbackAnswer,
): Promise<LoopbackPair | undefined> {
  const listener: RequestListener = ({ method = '', url = '', headers }, response) => {
    const { host = '', 'sec-fetch-dest': destination } = headers
    const {
      status,
      headers: sent,
      body,
    } = answer({ method, url, host, destination: destination?.toString() })
    const length = String(Buffer.byteLength(body))
    response.writeHead(status, { ...sent, 'content-length': length, connection: 'close' }).end(body)
  }
  for (let attempt = 0; attempt < 5; attempt++) {
    const first = await listen(listener, '127.0.0.1', 0)
    if (!first || first === 'taken') return undefined
    const port = portOf(first)
    const second = await listen(listener, '::1', port)
    if (second === 'taken') {
      first.close()
      continue
    }
    const servers = second ? [first, second] : [first]
    const close = () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    }
    return { port, close }
  }
  return undefined
}

async function listen(
  listener: RequestListener,
  host: string,
  port: number,
): Promise<Server | 'taken' | undefined> {
  const server = createServer({ requireHostHeader: true, insecureHTTPParser: false }, listener)
  server.maxConnections = 64
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' ? 'taken' : undefined),
    )
    server.listen(port, host, () => resolve(server))
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
