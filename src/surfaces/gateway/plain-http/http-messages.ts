import type { IncomingHttpHeaders } from 'node:http'

/** A request whose head was read: by `node:http`, or by a plain connection. */
export interface HttpRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** The part of `ServerResponse` that the gateway uses. */
export interface HttpResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  /** Bytes that the client has not taken yet. */
  readonly writableLength: number
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): HttpResponse
  flushHeaders(): void
  write(chunk: string | Uint8Array): unknown
  end(chunk?: string): unknown
  destroy(): unknown
  /** Emitted once: after the answer was written, or when the client is gone. */
  on(event: 'close', listener: () => void): unknown
}
