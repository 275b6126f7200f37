import type { Framing } from '../../model/server.ts'
import type { RequestId } from '../message.ts'
import type { WireError } from '../wire-error.ts'
import { decodeText, invalidUtf8, sample, toBuffer } from './decode.ts'
import type { EnvelopeScanner } from './envelope-scanner.ts'
import { Body, Bytes, isMessage, Line } from './partial-frame.ts'

export interface FrameOptions {
  readonly framing: Framing
  /** A message with more bytes is skipped. */
  readonly maxBytes: number
  /** After more bytes of one message nothing is read any more. */
  readonly hardMaxBytes: number
  /** None of these may throw. */
  readonly on: FrameListener
}

export interface FrameListener {
  /** The text of one message, not parsed yet; there may be white space around it. */
  frame(text: string): void
  /** A message that is not UTF-8, with replacement characters where it is not (FI-11). */
  malformed(text: string, error: WireError): void
  /** A message beyond the cap was skipped. It answered this request; without an id nobody waits for it (D-10). */
  oversize(id: RequestId | undefined, bytes: number): void
  /** A line that is no message (FI-05). */
  noise(sample: string): void
  /** Nobody can tell whose answer was lost, or the message does not end: nothing is read after this. */
  reset(reason: string): void
}

export interface FrameReader {
  push(chunk: Uint8Array): void
  /** Nothing more comes. A message that lacks only its line end still counts; half a message does not (FI-06). */
  end(): void
}

export function createFrameReader(options: FrameOptions): FrameReader {
  return new Reader(options)
}

/** The frame of one message to write. `auto` writes lines, as the protocol says (D-2). */
export function encodeFrame(json: string, framing: Framing): string {
  if (framing !== 'content-length') return `${json}\n`
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

const newline = 0x0a
const openBrace = 0x7b
const quote = 0x22

/**
 * Turns chunks into messages, in time linear in their bytes. The lines of a chunk are decoded together and split as text,
 * which is faster than one by one; what a chunk only begins is kept as bytes and decoded when it has ended.
 */
class Reader implements FrameReader {
  readonly #options: FrameOptions
  readonly #on: FrameListener
  /** Of the line or the body that has begun. */
  readonly #begun = new Bytes()
  readonly #line = new Line(this.#begun)
  #headers: Headers | undefined
  #body: Body | undefined
  #usesBytes: boolean
  #isOver = false

  constructor(options: FrameOptions) {
    this.#options = options
    this.#on = options.on
    this.#usesBytes = options.framing === 'content-length'
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return
    const bytes = toBuffer(chunk)
    let at = this.#line.size > 0 ? this.#readLine(bytes, 0) : 0
    if (!this.#usesBytes && !this.#isOver) at = this.#readLines(bytes, at)
    while (at < bytes.length && !this.#isOver) {
      at = this.#body ? this.#readBody(this.#body, bytes, at) : this.#readLine(bytes, at)
    }
  }

  end(): void {
    if (this.#isOver) return
    const { text, isBroken } = this.#begun.take()
    if (!this.#body && text.trimEnd().endsWith('}')) this.#deliver(text, isBroken)
    this.#isOver = true
  }

  /** All that the chunk ends, unless one may be beyond the cap, or not UTF-8. */
  #readLines(bytes: Buffer, from: number): number {
    const end = bytes.lastIndexOf(newline) + 1
    if (end <= from || end - from > this.#options.maxBytes) return from
    const text = decodeText(bytes.subarray(from, end))
    if (text === undefined) return from
    for (let at = 0, next = text.indexOf('\n'); next >= 0; next = text.indexOf('\n', at)) {
      this.#deliver(text.slice(at, next))
      at = next + 1
      if (this.#usesBytes) return from + Buffer.byteLength(text.slice(0, at))
    }
    return end
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(newline, at)
    const { maxBytes, hardMaxBytes } = this.#options
    this.#line.add(bytes.subarray(at, end < 0 ? bytes.length : end), maxBytes)
    if (this.#line.size > hardMaxBytes) this.#reset(`A line has more than ${hardMaxBytes} bytes.`)
    else if (end >= 0) this.#endLine()
    return end < 0 ? bytes.length : end + 1
  }

  #readBody(body: Body, bytes: Buffer, at: number): number {
    const piece = bytes.subarray(at, at + body.missing)
    body.add(piece)
    if (body.missing === 0) this.#endBody(body)
    return at + piece.length
  }

  #endLine(): void {
    const { size, skipped, noise } = this.#line
    const { text, isBroken } = this.#begun.take()
    this.#line.clear()
    if (!skipped) this.#deliver(text, isBroken)
    else if (noise !== '') this.#on.noise(noise)
    else this.#endSkipped(skipped, size)
  }

  #endBody(body: Body): void {
    this.#body = undefined
    if (body.skipped) return this.#endSkipped(body.skipped, body.length)
    const { text, isBroken } = this.#begun.take()
    this.#deliver(text, isBroken)
  }

  #endSkipped(message: EnvelopeScanner, size: number): void {
    if (message.answers === undefined && !message.hasMethod) {
      this.#reset(`A message has ${size} bytes, and its id cannot be read.`)
    } else this.#on.oversize(message.answers, size)
  }

  #deliver(text: string, isBroken = false): void {
    const isCommon = text.charCodeAt(0) === openBrace && text.charCodeAt(1) === quote
    if (isCommon && !isBroken && !this.#headers) this.#on.frame(text)
    else this.#sort(text.trim(), isBroken)
  }

  #sort(text: string, isBroken: boolean): void {
    if (this.#headers) this.#readHeader(this.#headers, text, isBroken)
    else if (isMessage(text)) this.#receive(text, isBroken)
    else if (this.#options.framing !== 'ndjson' && startsHeaders(text)) this.#startHeaders(text)
    else if (text !== '') this.#on.noise(sample(text))
  }

  #receive(text: string, isBroken: boolean): void {
    if (isBroken) this.#on.malformed(text, invalidUtf8(text))
    else this.#on.frame(text)
  }

  #startHeaders(text: string): void {
    this.#headers = new Headers(text)
    this.#usesBytes = true
  }

  #readHeader(headers: Headers, text: string, isBroken: boolean): void {
    if (headers.add(text)) return
    this.#headers = undefined
    if (text === '' && headers.length !== undefined) return this.#startBody(headers.length)
    this.#on.noise(sample(headers.first))
    this.#sort(text, isBroken)
  }

  #startBody(length: number): void {
    const { maxBytes, hardMaxBytes } = this.#options
    if (length > hardMaxBytes) this.#reset(`A message of ${length} bytes was announced.`)
    else if (length > 0) this.#body = new Body(length, maxBytes, this.#begun)
  }

  #reset(reason: string): void {
    this.#isOver = true
    this.#line.clear()
    this.#on.reset(reason)
  }
}

const firstHeader = /^content-[a-z]+\s*:/i
const anyHeader = /^[\w-]+\s*:/
const contentLength = /^content-length\s*:\s*(\d+)$/i

/** Whether this line at the beginning of a message announces header framing (C1, D30). */
function startsHeaders(line: string): boolean {
  return firstHeader.test(line)
}

/** The header lines before the body of one message. */
class Headers {
  readonly first: string
  length: number | undefined

  constructor(first: string) {
    this.first = first
    this.add(first)
  }

  /** `false` when this line is no header, so that those before it were none either. */
  add(line: string): boolean {
    const length = contentLength.exec(line)?.[1]
    if (length !== undefined) this.length = Number(length)
    return anyHeader.test(line)
  }
}
