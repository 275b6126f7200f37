import type { Socket } from 'node:net'
import { Cancellation } from '../cancellation.ts'
import { KnownHead } from './plain-head.ts'
import type { PlainHead } from './plain-head.ts'
import type { HttpRequest, HttpResponse } from './http-messages.ts'
import { PlainResponse, idleSeconds } from './plain-response.ts'

/** A request of a plain connection, with its whole body. */
export class PlainRequest implements HttpRequest {
  readonly head: PlainHead
  readonly body: Buffer
  readonly socket: Socket
  /** Of several requests of the connection, of which one is open at a time; for those that leave no listener at its signal. */
  readonly cancellation: Cancellation

  constructor(head: PlainHead, body: Buffer, socket: Socket, cancellation: Cancellation) {
    this.head = head
    this.body = body
    this.socket = socket
    this.cancellation = cancellation
  }

  get method(): string {
    return this.head.method
  }

  get url(): string {
    return this.head.url
  }

  get headers(): PlainHead['headers'] {
    return this.head.headers
  }

  get rawHeaders(): readonly string[] {
    return this.head.rawHeaders
  }
}

export interface PlainOptions {
  readonly onRequest: (request: PlainRequest, response: HttpResponse) => void
  /** Takes a connection over, with what was read of its next request. */
  readonly handOver: (socket: Socket) => void
  readonly onClose: (connection: PlainConnection) => void
  /** Larger bodies are read by `node:http`. */
  readonly maxBody: number
}

/** As of `node:http`. */
const maxHead = 16 * 1024
/** What a client may send before the answer to its request before; with more the connection is closed. */
const maxAhead = 64 * 1024
/**
 * A request that is not whole with this many bytes, or after this many pieces, is left to `node:http`: nothing of it has been
 * checked yet, so little of it is kept, and each piece is added to those before it.
 */
const maxUnchecked = 32 * 1024
const maxPieces = 4
/** So many requests share a cancellation: what one of them might leave there does not stay for long. */
const maxShared = 100
/** Time for the first request, and for the rest of one that has begun. */
const startMs = 20_000

const headEnd = '\r\n\r\n'

/**
 * One connection of a client, from which requests of the usual form are read directly: `node:http` takes several times as
 * long for each of them. With the first request of another form the connection is handed over to `node:http`, for good.
 */
export class PlainConnection {
  readonly #socket: Socket
  readonly #options: PlainOptions
  readonly #known = new KnownHead()
  /** Bytes that are no whole request yet, or that came before the client took the answer to the one before. */
  #held: Buffer | undefined
  /** Of the request that is not whole yet. */
  #pieces = 0
  #response: PlainResponse | undefined
  #cancellation = new Cancellation()
  #shared = 0
  #isEnding = false
  #hasServed = false
  /** When it last began to wait for its client. */
  #waitsSince = performance.now()

  constructor(socket: Socket, options: PlainOptions) {
    this.#socket = socket
    this.#options = options
    socket.on('data', this.#onData)
    socket.on('drain', this.#readAhead)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  /** Closes it if its client takes too long, or has nothing to send. */
  sweep(now: number): void {
    if (this.#response) return
    const waitedMs = now - this.#waitsSince
    if (this.#held && !this.#socket.writableNeedDrain) {
      if (waitedMs > startMs) this.#leave(this.#held)
    } else if (waitedMs > (this.#hasServed ? idleSeconds * 1000 : startMs)) this.#socket.destroy()
  }

  /** Its next answer says that it is the last one. */
  endSoon(): void {
    this.#isEnding = true
  }

  /** Closes it, after the request that is being answered. */
  close(): void {
    this.endSoon()
    if (!this.#response) this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (chunk: Buffer): void => {
    const bytes = this.#held ? Buffer.concat([this.#held, chunk]) : chunk
    if (this.#mayRead) return this.#read(bytes)
    this.#held = bytes
    // A paused connection would hide that its client leaves, and the call would go on.
    if (bytes.length > maxAhead) this.#socket.destroy()
  }

  /** A client that does not take its answers gets no more of them: they would pile up here. */
  get #mayRead(): boolean {
    return !this.#response && !this.#socket.writableNeedDrain
  }

  #read(bytes: Buffer): void {
    const end = bytes.indexOf(headEnd)
    if (end < 0 || end > maxHead) return this.#leave(bytes)
    const found = this.#known.read(bytes.toString('latin1', 0, end + 2))
    if (!found || found.length > this.#options.maxBody) return this.#leave(bytes)
    const start = end + headEnd.length
    const rest = bytes.length - start - found.length
    if (rest < 0) {
      if (bytes.length > maxUnchecked || ++this.#pieces > maxPieces) return this.#leave(bytes)
      // The time runs from its beginning, however often more of it comes.
      if (!this.#held) this.#waitsSince = performance.now()
      this.#held = bytes
      return
    }
    this.#pieces = 0
    this.#held = rest > 0 ? bytes.subarray(start + found.length) : undefined
    const body = bytes.subarray(start, start + found.length)
    const { head } = found
    const isLast = head.isLast || this.#isEnding
    const response = new PlainResponse(this.#socket, isLast, this.#onAnswered)
    this.#response = response
    this.#hasServed = true
    this.#options.onRequest(new PlainRequest(head, body, this.#socket, this.#nextCancellation()), response)
  }

  #nextCancellation(): Cancellation {
    if (this.#cancellation.isCancelled || ++this.#shared > maxShared) {
      this.#cancellation = new Cancellation()
      this.#shared = 1
    }
    return this.#cancellation
  }

  readonly #onAnswered = (isLast: boolean): void => {
    this.#response = undefined
    this.#waitsSince = performance.now()
    if (isLast || this.#isEnding) return this.#socket.destroySoon()
    if (this.#held) setImmediate(this.#readAhead)
  }

  readonly #readAhead = (): void => {
    const held = this.#held
    if (!held || !this.#mayRead || this.#socket.destroyed) return
    this.#held = undefined
    this.#read(held)
  }

  /** Gives the connection to `node:http`, with everything of the next request. */
  #leave(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('drain', this.#readAhead)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.#options.onClose(this)
    socket.pause()
    socket.unshift(bytes)
    this.#options.handOver(socket)
    socket.resume()
  }

  /** The client sends nothing more, and does not wait for an answer either. */
  readonly #onEnd = (): void => {
    if (this.#response) this.#socket.destroy()
    else this.#socket.end()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#options.onClose(this)
    const response = this.#response
    this.#response = undefined
    response?.onGone()
  }
}
