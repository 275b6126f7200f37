import { giveBack } from '../../platform/give-back.ts'
import { decodeText } from './decode.ts'

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
