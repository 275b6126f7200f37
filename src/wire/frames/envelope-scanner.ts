import type { RequestId } from '../message.ts'
import { eachBlock, leaveString, skim } from './json-walk.ts'
import type { Place } from './json-walk.ts'

const comma = 0x2c
const colon = 0x3a
const quote = 0x22
const openBracket = 0x5b
const openBrace = 0x7b
const closeBrace = 0x7d

/** A longer key or id counts as unreadable. */
const longestToken = 256
const insideMember = { floor: 2, ceiling: Number.POSITIVE_INFINITY } as const

/** The id of the request that this message answers, also when the rest of it is no valid JSON. */
export function topLevelId(text: string): RequestId | undefined {
  const scanner = new EnvelopeScanner()
  scanner.pushText(text)
  return scanner.answers
}

/** Reads the envelope of a message that goes by in pieces and is not kept. Of a key given twice the last one counts. */
export class EnvelopeScanner {
  readonly #place: Place = { depth: 0, inString: false, escaped: false }
  readonly #token = Buffer.allocUnsafe(longestToken)
  #length = 0
  #isReadable = true
  #key: unknown
  #id: RequestId | undefined
  #hasMethod = false
  #isOver = false

  /** A request or a notification of the server; no request of ours waits for it. */
  get hasMethod(): boolean {
    return this.#hasMethod
  }

  /** The id of the request that it answers, as far as it was seen. */
  get answers(): RequestId | undefined {
    return this.#hasMethod ? undefined : this.#id
  }

  pushText(text: string): void {
    eachBlock(text, (bytes, end) => this.push(bytes, end))
  }

  push(bytes: Uint8Array, end = bytes.length): void {
    let at = 0
    while (at < end && !this.#isOver) {
      if (this.#place.depth === 0) at = this.#outside(bytes, at)
      else if (this.#place.depth === 1) at = this.#atTop(bytes, at, end)
      else at = skim(bytes, at, end, this.#place, insideMember)
    }
  }

  #outside(bytes: Uint8Array, at: number): number {
    if (bytes[at] === openBrace) this.#place.depth = 1
    else this.#isOver = !isBlank(bytes[at])
    return at + 1
  }

  #atTop(bytes: Uint8Array, from: number, end: number): number {
    if (this.#place.inString) return this.#throughString(bytes, from, end)
    const byte = bytes[from] as number // from is below the end
    if (byte === colon) this.#endKey()
    else if (byte === comma || byte === closeBrace) this.#endValue(byte === closeBrace)
    else if (byte === openBrace || byte === openBracket) this.#enter()
    else if (this.#length > 0 || !isBlank(byte)) this.#keep(bytes, from, from + 1)
    if (byte === quote) this.#place.inString = true
    return from + 1
  }

  #throughString(bytes: Uint8Array, from: number, end: number): number {
    const after = leaveString(bytes, from, end, this.#place)
    this.#keep(bytes, from, after)
    return after
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    if (this.#length + to - from > longestToken) this.#isReadable = false
    if (!this.#isReadable) return
    this.#token.set(bytes.subarray(from, to), this.#length)
    this.#length += to - from
  }

  #enter(): void {
    this.#isReadable = false
    this.#place.depth = 2
  }

  #endKey(): void {
    this.#key = this.#takeToken()
  }

  #endValue(isLast: boolean): void {
    const value = this.#takeToken()
    if (this.#key === 'id')
      this.#id = typeof value === 'string' || typeof value === 'number' ? value : undefined
    if (this.#key === 'method') this.#hasMethod = true
    this.#key = undefined
    this.#isOver = isLast
  }

  #takeToken(): unknown {
    const text = this.#isReadable ? this.#token.toString('utf8', 0, this.#length) : ''
    this.#length = 0
    this.#isReadable = true
    return readToken(text)
  }
}

function readToken(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not a token of JSON, so neither a key nor an id
  }
}

/** The white space of JSON, and the bytes of a byte order mark. */
function isBlank(byte: number | undefined): boolean {
  return (
    byte === 0x20 ||
    byte === 0x09 ||
    byte === 0x0a ||
    byte === 0x0d ||
    byte === 0xef ||
    byte === 0xbb ||
    byte === 0xbf
  )
}
