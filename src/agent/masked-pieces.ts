import type { Mask } from '../model/mask-texts.ts'

/** At least this much is held back: shorter beginnings of a secret are not recognized as such. */
const minHeld = 4
/** In JSON a gap is a sign that a secret may have too: then more is held back than most secrets have. */
const minHeldJson = 64
/** Longer texts without a gap are passed on, except for their end. */
const maxHeld = 20_000
const tail = 1000

/**
 * Masks secrets in a text that arrives in pieces: a secret of 20 characters is in no piece of four. The last word is
 * held back, and more while it may be the beginning of a secret. Call `end` for the rest.
 */
export class MaskedPieces {
  readonly #mask: Mask
  readonly #isJson: boolean
  #held = ''

  constructor(mask: Mask, form: 'text' | 'json' = 'text') {
    this.#mask = mask
    this.#isJson = form === 'json'
  }

  /** The masked text that can be shown now, empty if there is none. */
  take(piece: string): string {
    this.#held += piece
    return this.#release(this.#safeLength())
  }

  end(): string {
    return this.#release(this.#held.length)
  }

  #release(length: number): string {
    if (length <= 0) return ''
    const text = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return this.#mask(text)
  }

  /** How much of the beginning cannot be changed by what follows. */
  #safeLength(): number {
    const text = this.#held
    const end = this.#isJson ? beforeLastValue(text) : beforeLastWord(text)
    const length = beforePrivateKey(text, end)
    if (length <= 0 || this.#isOpen(text, length)) return text.length > maxHeld ? text.length - tail : 0
    return length
  }

  /** Whether the text ends with the beginning of a secret, or has one across `length`. */
  #isOpen(text: string, length: number): boolean {
    const masked = this.#mask(text)
    if (this.#mask(`${text}…`) !== `${masked}…`) return true
    return this.#mask(text.slice(0, length)) + this.#mask(text.slice(length)) !== masked
  }
}

/**
 * Where the last word begins, with the `Bearer` before it. Each character beyond ASCII is a gap: many languages have no
 * spaces.
 */
function beforeLastWord(text: string): number {
  let at = skipWord(text, text.length)
  if (/bearer $/i.test(text.slice(Math.max(0, at - 7), at))) at -= 7
  at = Math.min(at, text.length - minHeld)
  const isSecondHalf = (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return isSecondHalf ? at - 1 : at
}

/** Where the last value or name begins, well before the end. */
function beforeLastValue(text: string): number {
  let at = text.length - minHeldJson
  while (at > 0 && !/[\s"',:[\]{}]/.test(text.charAt(at - 1))) at--
  return at
}

function skipWord(text: string, end: number): number {
  let at = end
  while (at > 0 && isInWord(text.charCodeAt(at - 1))) at--
  return at
}

function isInWord(code: number): boolean {
  return code > 0x20 && code < 0x7f
}

/** A private key has spaces and lines: it is held back from its first line to its last one. */
function beforePrivateKey(text: string, length: number): number {
  const start = text.lastIndexOf('-----BEGIN', length)
  const isOpen = start >= 0 && start < length && !/-----END [A-Z ]{0,32}-----/.test(text.slice(start, length))
  return isOpen ? start : length
}
