import { sample } from './decode.ts'
import type { Bytes } from './frames-bytes.ts'
import { EnvelopeScanner } from './envelope-scanner.ts'

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
