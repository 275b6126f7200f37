import { EnvelopeScanner } from './skip.ts'

/** The body of one message whose length was announced. Only what has come takes memory, and at most twice that. */
export class Body {
  readonly length: number
  /** In place of the bytes when there are too many to keep. */
  readonly skipped: EnvelopeScanner | undefined
  #bytes: Uint8Array = new Uint8Array(0)
  #filled = 0

  constructor(length: number, maxBytes: number) {
    this.length = length
    if (length > maxBytes) this.skipped = new EnvelopeScanner()
  }

  get missing(): number {
    return this.length - this.#filled
  }

  /** What has come; bytes of the chunks themselves are only borrowed. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#filled)
  }

  push(piece: Uint8Array): void {
    if (this.skipped) this.skipped.push(piece)
    else if (piece.length === this.length) this.#bytes = piece
    else this.#copy(piece)
    this.#filled += piece.length
  }

  #copy(piece: Uint8Array): void {
    const needed = this.#filled + piece.length
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.length, Math.max(2 * this.#bytes.length, needed)))
      larger.set(this.bytes)
      this.#bytes = larger
    }
    this.#bytes.set(piece, this.#filled)
  }
}
