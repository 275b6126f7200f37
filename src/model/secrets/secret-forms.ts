/** A text to search for. Letters are lower case, because the search ignores the case of ASCII letters. */
export interface SecretForm {
  readonly text: string
  /** Only letters: such a text may occur by chance. */
  readonly isWord: boolean
  /** The character before or after it holds bits of the secret, too (base64). */
  readonly before?: boolean
  readonly after?: boolean
}

/**
 * Shorter secrets, and shorter lines of secrets, are not searched: they occur in other texts by chance. The encodings of
 * eight characters have ten or more, so they need no limit of their own.
 */
export const shortestMasked = 8

/** The texts to search for a secret: itself, its lines, and its hexadecimal and base64 encodings. */
export function formsOf(value: string): readonly SecretForm[] {
  const bytes = Buffer.from(value)
  const plain = [value, ...linesOf(value)].flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()])
  return [
    ...plain.map((text) => toForm(text)),
    toForm(bytes.toString('hex')),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ]
}

/** Programs print a text of several lines line by line. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/)
  if (lines.length === 1) return []
  return lines
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestMasked && !isPublicLine(line))
}

/** The first and last line of a key, and rulers. */
function isPublicLine(line: string): boolean {
  return /^-----[A-Z ]+-----$/.test(line) || !/[\p{L}\p{N}]/u.test(line)
}

/**
 * The characters of base64 that depend on the secret alone, if `offset` bytes modulo 3 precede it. Those at its ends hold
 * bits of its neighbors as well, such as of the user name in `user:secret`.
 */
function base64Forms(bytes: Buffer, offset: number): readonly SecretForm[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
  const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6)]
  const ends = { before: offset > 0, after: (padded.length * 8) % 6 > 0 }
  return (['base64', 'base64url'] as const).map((encoding) => ({
    ...toForm(padded.toString(encoding).slice(from, to)),
    ...ends,
  }))
}

function toForm(text: string): SecretForm {
  return { text: foldCase(text), isWord: /^[a-z]+$/i.test(text) }
}

/** Lower-cases ASCII letters only: the length must not change. */
function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
