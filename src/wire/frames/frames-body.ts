import type { Bytes } from './frames-bytes.ts'
import { EnvelopeScanner } from './envelope-scanner.ts'

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
