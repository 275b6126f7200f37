import { IncomingMessage } from 'node:http'
import type { Caller } from '../../../internal.ts'
import { Cancellation } from '../cancellation.ts'
import type { HttpRequest, HttpResponse } from '../plain-http/http-messages.ts'
import { PlainRequest } from '../plain-http/plain-connection.ts'
import type { AnswerText } from '../served-request.ts'

/** A client that does not read what it asked for is dropped. */
const maxUnread = 64 * 1024 * 1024

/**
 * The answer to one POST: JSON, unless something has to be sent before it; then a stream of events. Most calls have nothing
 * to send before, and JSON costs less on both sides.
 */
export class HttpReply {
  slot = -1
  readonly caller: Caller
  /** A stream that goes on until its client leaves. */
  readonly lasts: boolean
  readonly cancellation: Cancellation
  readonly startedAt = performance.now()
  readonly #request: HttpRequest
  readonly #response: HttpResponse
  /** Read from the request when it matters. */
  #acceptsStream: boolean | undefined
  #isStream = false
  #isOver = false

  constructor(
    request: HttpRequest,
    response: HttpResponse,
    caller: Caller,
    { lasts = false, cancellation = new Cancellation() },
  ) {
    this.cancellation = cancellation
    this.#request = request
    this.#response = response
    this.caller = caller
    this.lasts = lasts
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Sends a message before the answer. A client that accepts no stream does not get it. */
  send(text: string): void {
    if (this.#isOver || !this.#canStream) return
    this.startStream()
    this.#writeEvent(text)
  }

  /** Ends the answer. `status` counts only if nothing was sent before. */
  end(text: string, status = 200, headers?: Readonly<Record<string, string>>): void {
    if (this.#isOver) return
    if (this.#isStream) return this.#endStreamWith(text)
    this.#isOver = true
    const length = Buffer.byteLength(text)
    this.#response.writeHead(status, headers ? { ...jsonHead(length), ...headers } : jsonHead(length))
    this.#response.end(text)
  }

  /** Ends the answer with bytes that are kept for many clients; they are not copied. */
  endPrepared({ head, result, tail }: AnswerText): void {
    if (this.#isOver) return
    if (this.#isStream) return this.#endStreamWith(head + result.text + tail)
    this.#isOver = true
    const response = this.#response
    const { bytes } = result
    response.writeHead(200, jsonHead(Buffer.byteLength(head) + bytes.length + tail.length))
    response.write(head)
    response.write(bytes)
    response.end(tail)
  }

  /** Cancels the request and closes its connection: its caller is none any more. */
  cut(): void {
    this.cancellation.abort()
    this.#response.destroy()
  }

  /** Ends a stream that has no answer. */
  endStream(): void {
    this.#isOver = true
    this.#response.end()
  }

  startStream(): void {
    if (this.#isStream || this.#isOver) return
    this.#isStream = true
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    this.#response.flushHeaders()
  }

  /** Shows proxies that the call is alive: those that see nothing for a minute close the connection. */
  keepAlive(afterMs: number): void {
    if (this.#isOver || performance.now() - this.startedAt < afterMs || !this.#canStream) return
    this.startStream()
    this.#response.write(': alive\n\n')
  }

  get #canStream(): boolean {
    return (this.#acceptsStream ??= (this.#request.headers.accept ?? '*/*').split(',').some(acceptsEvents))
  }

  #endStreamWith(text: string): void {
    this.#isOver = true
    this.#writeEvent(text)
    this.#response.end()
  }

  #writeEvent(text: string): void {
    this.#response.write(`event: message\ndata: ${text}\n\n`)
    if (this.#response.writableLength > maxUnread) this.#response.destroy()
  }
}

function jsonHead(length: number): Record<string, string | number> {
  return { 'content-type': 'application/json', 'content-length': length }
}

function acceptsEvents(range: string): boolean {
  const type = range.split(';')[0]?.trim().toLowerCase()
  return type === 'text/event-stream' || type === 'text/*' || type === '*/*'
}

/** Refuses a request before it is a message. */
export function refuse(
  response: HttpResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...jsonHead(Buffer.byteLength(text)), ...headers })
  response.end(text)
}

/** Reads a body; `undefined` if it is larger than the limit. */
export function readBody(
  request: HttpRequest,
  maxBytes: number,
): Buffer | undefined | Promise<Buffer | undefined> {
  if (request instanceof PlainRequest) return request.body.length > maxBytes ? undefined : request.body
  if (!(request instanceof IncomingMessage)) return undefined
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    // Listeners, because iterating over a body costs as much as the rest of a short request.
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) return resolve(undefined)
      chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
    // A body that was read whole is closed too, and an error for it would be made for nothing.
    request.on('close', () => request.complete || reject(new Error('The client left.')))
  })
}
