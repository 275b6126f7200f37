import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpResponse } from './http-messages.ts'

/** A connection without requests is closed after this long, of which clients are told. */
export const idleSeconds = 60

/** The answer to one request of a plain connection. */
export class PlainResponse implements HttpResponse {
  statusCode = 200
  readonly #socket: Socket
  readonly #isLast: boolean
  readonly #onAnswered: (isLast: boolean) => void
  #headers: Readonly<Record<string, string | number>> | undefined
  #hasHead = false
  #isChunked = false
  #isOver = false
  #onClose: (() => void) | undefined

  /** @param isLast The connection is closed after it. */
  constructor(socket: Socket, isLast: boolean, onAnswered: (isLast: boolean) => void) {
    this.#socket = socket
    this.#isLast = isLast
    this.#onAnswered = onAnswered
  }

  get headersSent(): boolean {
    return this.#hasHead
  }

  get destroyed(): boolean {
    return this.#socket.destroyed
  }

  get writableLength(): number {
    return this.#socket.writableLength
  }

  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): this {
    for (const name in headers)
      if (!isValue.test(String(headers[name])))
        throw new TypeError(`The header ${name} has a line end or more.`)
    this.statusCode = status
    this.#headers = headers
    return this
  }

  flushHeaders(): void {
    if (!this.#hasHead) this.#socket.write(this.#head(undefined), 'latin1')
  }

  write(chunk: string | Uint8Array): void {
    if (this.#isOver) return
    const socket = this.#socket
    socket.cork()
    this.flushHeaders()
    const length = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length
    if (this.#isChunked && length > 0) socket.write(`${length.toString(16)}\r\n`, 'latin1')
    socket.write(chunk)
    if (this.#isChunked && length > 0) socket.write('\r\n', 'latin1')
    // One write of the system for all of it.
    process.nextTick(uncork, socket)
  }

  end(text = ''): void {
    if (this.#isOver) return
    if (!this.#hasHead) this.#socket.write(this.#head(text) + text)
    else if (text !== '') this.write(text)
    this.#isOver = true
    if (this.#isChunked) this.#socket.write('0\r\n\r\n', 'latin1')
    this.#onAnswered(this.#isLast || this.#hasClose())
    this.#close()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  on(_event: 'close', listener: () => void): void {
    this.#onClose = listener
  }

  /** The connection has ended before the answer. */
  onGone(): void {
    this.#isOver = true
    this.#close()
  }

  #close(): void {
    const listener = this.#onClose
    this.#onClose = undefined
    listener?.()
  }

  #hasClose(): boolean {
    return this.#headers?.['connection'] === 'close'
  }

  /** @param whole The body, if it is known; without it and without its length, the answer is sent in chunks. */
  #head(whole: string | undefined): string {
    this.#hasHead = true
    const headers = this.#headers ?? {}
    let text = `HTTP/1.1 ${this.statusCode} ${STATUS_CODES[this.statusCode] ?? ''}\r\n`
    for (const name in headers) text += `${name}: ${headers[name]}\r\n`
    if (headers['content-length'] === undefined && this.statusCode !== 204) {
      this.#isChunked = whole === undefined
      text +=
        whole === undefined
          ? 'transfer-encoding: chunked\r\n'
          : `content-length: ${Buffer.byteLength(whole)}\r\n`
    }
    if (!this.#isLast && !this.#hasClose()) return `${text}${currentDate()}${staying}`
    return `${text}${currentDate()}${this.#hasClose() ? '' : 'connection: close\r\n'}\r\n`
  }
}

const isValue = /^[\x20-\x7e]*$/
const staying = `connection: keep-alive\r\nkeep-alive: timeout=${idleSeconds}\r\n\r\n`

let dateSecond = 0
let dateLine = ''

function currentDate(): string {
  const now = Date.now()
  const second = Math.floor(now / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateLine = `date: ${new Date(now).toUTCString()}\r\n`
  }
  return dateLine
}

function uncork(socket: Socket): void {
  socket.uncork()
}
