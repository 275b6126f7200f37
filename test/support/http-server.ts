import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { HttpClient, HttpError, HttpHeaders, HttpRequest } from '../../src/platform/platform.ts'

/** A received HTTP request. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: HttpHeaders
  readonly body: string
  readonly port: number | undefined
}

export interface TestServer {
  readonly url: URL
  readonly seen: ReceivedRequest[]
  readonly server: Server
  readonly sockets: ReadonlySet<Socket>
  /** Settles when this many requests have arrived. */
  arrived(count: number): Promise<void>
  stop(): Promise<void>
}

export type RequestHandler = (
  request: ReceivedRequest,
  response: ServerResponse,
  raw: IncomingMessage,
) => void

/** A real HTTP server, stopped after the test. */
export async function serve(handle: RequestHandler, tls?: ServerOptions): Promise<TestServer> {
  const seen: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let onArrival = () => {}
  const listener: RequestListener = (raw, response) => {
    const chunks: Buffer[] = []
    raw.on('data', (chunk: Buffer) => chunks.push(chunk))
    raw.on('end', () => {
      const request: ReceivedRequest = {
        method: raw.method ?? '',
        path: raw.url ?? '',
        headers: raw.headers as HttpHeaders, // no test sends a header twice
        body: Buffer.concat(chunks).toString('utf8'),
        port: raw.socket.remotePort,
      }
      seen.push(request)
      onArrival()
      handle(request, response, raw)
    })
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  onTestFinished(stop)
  return {
    url: new URL(`${tls ? 'https' : 'http'}://127.0.0.1:${port}/mcp`),
    seen,
    server,
    sockets,
    arrived: async (count) => {
      while (seen.length < count) await new Promise<void>((resolve) => (onArrival = resolve))
    },
    stop,
  }
}

export function tlsFixture(name: string): string {
  return readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8')
}

export type Outcome =
  | { readonly status: number; readonly headers: HttpHeaders; readonly text: string }
  | { readonly error: HttpError; readonly text: string }

/** Sends one request and collects the whole response. */
export function exchange(client: HttpClient, url: URL, over: Partial<HttpRequest> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let head: { status: number; headers: HttpHeaders } = { status: 0, headers: {} }
    const text = () => Buffer.concat(chunks).toString('utf8')
    client.send(
      { method: 'POST', url, headers: {}, headersTimeoutMs: 0, idleTimeoutMs: 0, ...over },
      {
        onHeaders: (status, headers) => (head = { status, headers }),
        onData: (chunk) => chunks.push(chunk),
        onEnd: () => resolve({ ...head, text: text() }),
        onError: (error) => resolve({ error, text: text() }),
      },
    )
  })
}
