import type { RequestId } from '../message.ts'
import { forEachUtf8Block, skipString, walkLevels } from './json-walk.ts'
import type { WalkState } from './json-walk.ts'

const comma = 0x2c
const colon = 0x3a
const quote = 0x22
const openBracket = 0x5b
const openBrace = 0x7b
const closeBrace = 0x7d

/** Longer keys and ids are treated as unreadable. */
const longestToken = 256
const insideMember = { floor: 2, ceiling: Number.POSITIVE_INFINITY } as const

/** The id of the request that this message answers, even if the rest of it is invalid JSON. */
export function topLevelId(text: string): RequestId | undefined {
  const scanner = new EnvelopeScanner()
  scanner.pushText(text)
  return scanner.answers
}

/**
 * Reads the envelope of a message that arrives in pieces and is not kept. If a key occurs twice, the last one counts.
 */
export class EnvelopeScanner {
  readonly #state: WalkState = { depth: 0, inString: false, escaped: false }
  readonly #token = Buffer.allocUnsafe(longestToken)
  #length = 0
  #isReadable = true
  #key: unknown
  #id: RequestId | undefined
  #hasMethod = false
  #isOver = false

  /** It is a request or a notification from the server, so no request of ours waits for it. */
  get hasMethod(): boolean {
    return this.#hasMethod
  }

  /** The id of the request that it answers, as far as it has been read. */
  get answers(): RequestId | undefined {
    return this.#hasMethod ? undefined : this.#id
  }

  /** Its own id as far as it has been read, if it is a request. */
  get asks(): RequestId | undefined {
    return this.#hasMethod ? this.#id : undefined
  }

  pushText(text: string): void {
    forEachUtf8Block(text, (bytes, end) => this.push(bytes, end))
  }

  push(bytes: Uint8Array, end = bytes.length): void {
    let at = 0
    while (at < end && !this.#isOver) {
      if (this.#state.depth === 0) at = this.#readOutside(bytes, at)
      else if (this.#state.depth === 1) at = this.#readTopLevel(bytes, at, end)
      else at = walkLevels(bytes, at, end, this.#state, insideMember)
    }
  }

  #readOutside(bytes: Uint8Array, at: number): number {
    if (bytes[at] === openBrace) this.#state.depth = 1
    else this.#isOver = !isBlank(bytes[at])
    return at + 1
  }

  #readTopLevel(bytes: Uint8Array, from: number, end: number): number {
    if (this.#state.inString) return this.#readString(bytes, from, end)
    const byte = bytes[from] as number // `from` is below `end`
    if (byte === colon) this.#endKey()
    else if (byte === comma || byte === closeBrace) this.#endValue(byte === closeBrace)
    else if (byte === openBrace || byte === openBracket) this.#enterMember()
    else if (this.#length > 0 || !isBlank(byte)) this.#append(bytes, from, from + 1)
    if (byte === quote) this.#state.inString = true
    return from + 1
  }

  #readString(bytes: Uint8Array, from: number, end: number): number {
    const after = skipString(bytes, from, end, this.#state)
    this.#append(bytes, from, after)
    return after
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    if (this.#length + to - from > longestToken) this.#isReadable = false
    if (!this.#isReadable) return
    this.#token.set(bytes.subarray(from, to), this.#length)
    this.#length += to - from
  }

  #enterMember(): void {
    this.#isReadable = false
    this.#state.depth = 2
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
    return undefined // not a JSON token, so neither a key nor an id
  }
}

/** JSON white space, and the bytes of a byte order mark. */
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
