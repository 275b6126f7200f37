import { decodeText, sample, toBuffer } from './decode.ts'
import { EnvelopeScanner } from './skip.ts'

/** An object, or a batch of them; `[INFO] ready` is neither. No pattern: one that matched would keep the text alive. */
export function isMessage(text: string): boolean {
  const next = text.slice(1).trimStart().charAt(0)
  if (text.startsWith('{')) return next === '"' || next === '}'
  return text.startsWith('[') && (next === '{' || next === ']')
}

/** The line that has not ended yet. Its text is a rope: pieces are joined once, when somebody reads it. */
export class Line {
  /** Of noise beyond the cap only a sample, of a message beyond it nothing. */
  text = ''
  /** In bytes. */
  size = 0
  /** It was not UTF-8. */
  isBroken = false
  /** Reads on in place of the text once the line is beyond the cap. */
  skipped: EnvelopeScanner | undefined

  add(piece: Uint8Array, maxBytes: number): void {
    this.size += piece.length
    if (this.size > maxBytes) this.#skip(piece)
    else this.text += decodeText(piece) ?? this.#decodeBroken(piece)
  }

  clear(): void {
    this.text = ''
    this.size = 0
    this.isBroken = false
    this.skipped = undefined
  }

  #decodeBroken(piece: Uint8Array): string {
    this.isBroken = true
    return toBuffer(piece).toString('utf8')
  }

  #skip(piece: Uint8Array): void {
    if (!this.skipped) {
      this.skipped = new EnvelopeScanner()
      this.skipped.pushText(this.text)
      // Only its beginning: the whole would be copied.
      const start = (this.text.trimStart().slice(0, 1024) + toBuffer(piece).toString('utf8', 0, 1024)).trim()
      this.text = isMessage(start) ? '' : sample(start)
    }
    this.skipped.push(piece)
  }
}
