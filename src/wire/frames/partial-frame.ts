import { giveBack } from '../../platform/give-back.ts'
import { decodeText, sample } from './decode.ts'
import { EnvelopeScanner } from './envelope-scanner.ts'

const initialSize = 4 * 1024
/** A buffer up to this size is reused for the next message. */
const maxReusedSize = 16 * 1024
const fewBytes = 32

/**
 * Collects bytes that arrive in pieces. Uses at most twice their size, and returns memory without waiting for the
 * garbage collector.
 */
export class PartialBytes {
  #room: Buffer = Buffer.alloc(0)
  #length = 0

  /** Valid until the next `add`. */
  get all(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  /** Adds the bytes of a piece from `from` up to, but not including, `end`. */
  add(piece: Uint8Array, from = 0, end = piece.length): void {
    const length = this.#makeRoom(end - from)
    // For a few bytes, creating a view costs more than copying them one by one.
    if (end - from > fewBytes) this.#room.set(piece.subarray(from, end), this.#length)
    else for (let at = from; at < end; at++) this.#room[this.#length + at - from] = piece[at] ?? 0
    this.#length = length
  }

  addByte(byte: number): void {
    const length = this.#makeRoom(1)
    this.#room[this.#length] = byte
    this.#length = length
  }

  /** Decodes and clears the bytes. `isBroken`: they are not UTF-8, and the text has replacement characters (FI-11). */
  take(): { readonly text: string; readonly isBroken: boolean } {
    const text = decodeText(this.all)
    const taken = { text: text ?? this.all.toString('utf8'), isBroken: text === undefined }
    this.clear()
    return taken
  }

  clear(): void {
    this.#length = 0
    if (this.#room.length <= maxReusedSize) return
    giveBack(this.#room)
    this.#room = Buffer.alloc(0)
  }

  /** Returns the length with this many bytes more. */
  #makeRoom(more: number): number {
    const length = this.#length + more
    if (length > this.#room.length) this.#grow(Math.max(2 * this.#room.length, length, initialSize))
    return length
  }

  #grow(size: number): void {
    const { all } = this
    const previous = this.#room
    this.#room = Buffer.allocUnsafeSlow(size)
    this.#room.set(all)
    giveBack(previous)
  }
}

/**
 * Whether the text looks like an object or a batch of objects; `[INFO] ready` does not. No regular expression: its
 * last match would keep the text alive.
 */
export function isMessage(text: string): boolean {
  const next = text.slice(1).trimStart().charAt(0)
  if (text.startsWith('{')) return next === '"' || next === '}'
  return text.startsWith('[') && (next === '{' || next === ']')
}

/** A line without its end so far. */
export class PartialLine {
  size = 0
  /** Replaces the bytes once the line exceeds the limit. */
  skipped: EnvelopeScanner | undefined
  /** The beginning of a line above the limit that is not a message. */
  noise = ''
  readonly #bytes: PartialBytes

  constructor(bytes: PartialBytes) {
    this.#bytes = bytes
  }

  add(piece: Uint8Array, maxBytes: number): void {
    this.size += piece.length
    if (this.size > maxBytes) this.#skip(piece)
    else this.#bytes.add(piece)
  }

  clear(): void {
    this.size = 0
    this.skipped = undefined
    this.noise = ''
    this.#bytes.clear()
  }

  #skip(piece: Uint8Array): void {
    this.skipped ??= this.#startSkipping(piece)
    this.skipped.push(piece)
  }

  #startSkipping(piece: Uint8Array): EnvelopeScanner {
    const { all } = this.#bytes
    const start = Buffer.concat([all.subarray(0, 1024), piece.subarray(0, 1024)])
      .toString()
      .trim()
    if (!isMessage(start)) this.noise = sample(start)
    const scanner = new EnvelopeScanner()
    scanner.push(all)
    this.#bytes.clear()
    return scanner
  }
}

/** The body of one message of announced length. Memory is used only for received bytes. */
export class PartialBody {
  readonly length: number
  /** Replaces the bytes when the body exceeds the limit. */
  readonly skipped: EnvelopeScanner | undefined
  missing: number
  readonly #bytes: PartialBytes

  constructor(length: number, maxBytes: number, bytes: PartialBytes) {
    this.length = length
    this.missing = length
    this.#bytes = bytes
    if (length > maxBytes) this.skipped = new EnvelopeScanner()
  }

  add(piece: Uint8Array): void {
    this.missing -= piece.length
    if (this.skipped) this.skipped.push(piece)
    else this.#bytes.add(piece)
  }
}
