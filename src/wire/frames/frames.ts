import type { Framing } from '../../model/server.ts'
import type { RequestId } from '../message.ts'
import type { WireError } from '../wire-error.ts'
import { decodeText, invalidUtf8, sample, toBuffer } from './decode.ts'
import type { EnvelopeScanner } from './envelope-scanner.ts'
import { PartialBody, PartialBytes, isMessage, PartialLine } from './partial-frame.ts'

export interface FrameOptions {
  readonly framing: Framing
  /** A message above this size is skipped. */
  readonly maxBytes: number
  /** Above this size of one message, reading stops for good. */
  readonly hardMaxBytes: number
  /** The callbacks must not throw. */
  readonly on: FrameListener
}

export interface FrameListener {
  /** The unparsed text of one message; it may have white space around it. */
  frame(text: string): void
  /** A message that is not UTF-8; invalid bytes are replaced in `text` (FI-11). */
  malformed(text: string, error: WireError): void
  /**
   * A message above the limit was skipped. `id` is the request that it answered, if it was an answer (D-10), and `asks` its own
   * id, if it was a request.
   */
  oversize(id: RequestId | undefined, bytes: number, asks: RequestId | undefined): void
  /** A line that is not a message (FI-05). */
  noise(sample: string): void
  /** The skipped message's request cannot be determined, or the message does not end. Nothing is read after this. */
  reset(reason: string): void
}

export interface FrameReader {
  push(chunk: Uint8Array): void
  /** The input has ended. A message that lacks only its line end is delivered; an incomplete one is not (FI-06). */
  end(): void
}

export function createFrameReader(options: FrameOptions): FrameReader {
  return new ByteFrameReader(options)
}

/** Encodes one message. `auto` writes lines, as the protocol specifies (D-2). */
export function encodeFrame(json: string, framing: Framing): string {
  if (framing !== 'content-length') return `${json}\n`
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

const newline = 0x0a
const openBrace = 0x7b
const quote = 0x22

/**
 * Splits chunks into messages, in time linear in their size. All complete lines of a chunk are decoded together and
 * split as text, which is faster than line by line; an incomplete line is kept as bytes until it ends.
 */
class ByteFrameReader implements FrameReader {
  readonly #options: FrameOptions
  readonly #on: FrameListener
  /** Bytes of the incomplete line or body. */
  readonly #partial = new PartialBytes()
  readonly #line = new PartialLine(this.#partial)
  #headers: FrameHeaders | undefined
  #body: PartialBody | undefined
  #readsByteWise: boolean
  #isOver = false

  constructor(options: FrameOptions) {
    this.#options = options
    this.#on = options.on
    this.#readsByteWise = options.framing === 'content-length'
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return
    const bytes = toBuffer(chunk)
    let at = this.#line.size > 0 ? this.#readLine(bytes, 0) : 0
    if (!this.#readsByteWise && !this.#isOver) at = this.#readLines(bytes, at)
    while (at < bytes.length && !this.#isOver) {
      at = this.#body ? this.#readBody(this.#body, bytes, at) : this.#readLine(bytes, at)
    }
  }

  end(): void {
    if (this.#isOver) return
    const { text, isBroken } = this.#partial.take()
    if (!this.#body && text.trimEnd().endsWith('}')) this.#deliver(text, isBroken)
    this.#isOver = true
  }

  /**
   * Delivers all lines that end in this chunk, unless one may exceed the limit or they are not UTF-8: then nothing is
   * consumed.
   */
  #readLines(bytes: Buffer, from: number): number {
    const end = bytes.lastIndexOf(newline) + 1
    if (end <= from || end - from > this.#options.maxBytes) return from
    const text = decodeText(bytes.subarray(from, end))
    if (text === undefined) return from
    for (let at = 0, next = text.indexOf('\n'); next >= 0; next = text.indexOf('\n', at)) {
      this.#deliver(text.slice(at, next))
      at = next + 1
      if (this.#readsByteWise) return from + Buffer.byteLength(text.slice(0, at))
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

  #readBody(body: PartialBody, bytes: Buffer, at: number): number {
    const piece = bytes.subarray(at, at + body.missing)
    body.add(piece)
    if (body.missing === 0) this.#endBody(body)
    return at + piece.length
  }

  #endLine(): void {
    const { size, skipped, noise } = this.#line
    const { text, isBroken } = this.#partial.take()
    this.#line.clear()
    if (!skipped) this.#deliver(text, isBroken)
    else if (noise !== '') this.#on.noise(noise)
    else this.#endSkipped(skipped, size)
  }

  #endBody(body: PartialBody): void {
    this.#body = undefined
    if (body.skipped) return this.#endSkipped(body.skipped, body.length)
    const { text, isBroken } = this.#partial.take()
    this.#deliver(text, isBroken)
  }

  #endSkipped(message: EnvelopeScanner, size: number): void {
    if (message.answers === undefined && !message.hasMethod) {
      this.#reset(`A message has ${size} bytes and no readable id.`)
    } else this.#on.oversize(message.answers, size, message.asks)
  }

  #deliver(text: string, isBroken = false): void {
    const isPlainMessage = text.charCodeAt(0) === openBrace && text.charCodeAt(1) === quote
    if (isPlainMessage && !isBroken && !this.#headers) this.#on.frame(text)
    else this.#classify(text.trim(), isBroken)
  }

  #classify(text: string, isBroken: boolean): void {
    if (this.#headers) this.#readHeader(this.#headers, text, isBroken)
    else if (isMessage(text)) this.#deliverMessage(text, isBroken)
    else if (this.#options.framing !== 'ndjson' && startsHeaders(text)) this.#startHeaders(text)
    else if (text !== '') this.#on.noise(sample(text))
  }

  #deliverMessage(text: string, isBroken: boolean): void {
    if (isBroken) this.#on.malformed(text, invalidUtf8(text))
    else this.#on.frame(text)
  }

  #startHeaders(text: string): void {
    this.#headers = new FrameHeaders(text)
    this.#readsByteWise = true
  }

  #readHeader(headers: FrameHeaders, text: string, isBroken: boolean): void {
    if (headers.add(text)) return
    this.#headers = undefined
    if (text === '' && headers.length !== undefined) return this.#startBody(headers.length)
    this.#on.noise(sample(headers.first))
    this.#classify(text, isBroken)
  }

  #startBody(length: number): void {
    const { maxBytes, hardMaxBytes } = this.#options
    if (length > hardMaxBytes) this.#reset(`A message of ${length} bytes was announced.`)
    else if (length > 0) this.#body = new PartialBody(length, maxBytes, this.#partial)
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

/** Whether this line, at the start of a message, announces Content-Length framing (C1, D30). */
function startsHeaders(line: string): boolean {
  return firstHeader.test(line)
}

/** The header lines of one message. */
class FrameHeaders {
  readonly first: string
  length: number | undefined

  constructor(first: string) {
    this.first = first
    this.add(first)
  }

  /** `false` when this line is not a header, so the lines before it were not headers either. */
  add(line: string): boolean {
    const length = contentLength.exec(line)?.[1]
    if (length !== undefined) this.length = Number(length)
    return anyHeader.test(line)
  }
}
