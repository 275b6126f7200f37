import { giveBack } from '../../platform/give-back.ts'
import { decodeText, sample } from './decode.ts'
import { EnvelopeScanner } from './envelope-scanner.ts'

const smallest = 4 * 1024
/** So much room is kept for what comes next. */
const kept = 16 * 1024

/** Bytes that come in pieces. They take at most twice their size, and none of it waits for a collection. */
export class Bytes {
  #room: Buffer = Buffer.alloc(0)
  #length = 0

  /** They are good until the next piece. */
  get all(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#room.length) this.#grow(Math.max(2 * this.#room.length, length, smallest))
    this.#room.set(piece, this.#length)
    this.#length = length
  }

  /** Their text; none of them is kept. What is not UTF-8 is broken, and has replacement characters (FI-11). */
  take(): { readonly text: string; readonly isBroken: boolean } {
    const text = decodeText(this.all)
    const taken = { text: text ?? this.all.toString('utf8'), isBroken: text === undefined }
    this.clear()
    return taken
  }

  clear(): void {
    this.#length = 0
    if (this.#room.length <= kept) return
    giveBack(this.#room)
    this.#room = Buffer.alloc(0)
  }

  #grow(size: number): void {
    const { all } = this
    const outgrown = this.#room
    this.#room = Buffer.allocUnsafeSlow(size)
    this.#room.set(all)
    giveBack(outgrown)
  }
}

/** An object, or a batch of them; `[INFO] ready` is neither. No pattern: one that matched would keep the text alive. */
export function isMessage(text: string): boolean {
  const next = text.slice(1).trimStart().charAt(0)
  if (text.startsWith('{')) return next === '"' || next === '}'
  return text.startsWith('[') && (next === '{' || next === ']')
}

/** The line that has not ended yet. */
export class Line {
  size = 0
  /** Reads on in place of the bytes once the line is beyond the cap. */
  skipped: EnvelopeScanner | undefined
  /** How a line beyond the cap begins that is no message. */
  noise = ''
  readonly #bytes: Bytes

  constructor(bytes: Bytes) {
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

/** The body of one message whose length was announced. Only what has come takes memory. */
export class Body {
  readonly length: number
  /** In place of the bytes when there are too many to keep. */
  readonly skipped: EnvelopeScanner | undefined
  missing: number
  readonly #bytes: Bytes

  constructor(length: number, maxBytes: number, bytes: Bytes) {
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
