const percent = 0x25
const ampersand = 0x26
const backslash = 0x5c

/** A character that a text writes as an escape. */
export interface EscapedCharacter {
  readonly code: number
  /** The position after the escape. */
  readonly end: number
}

/** Whether a character can begin an escape. */
export function isEscapeStart(code: number): boolean {
  return code === percent || code === backslash || code === ampersand
}

/** Reads the escape at a position: `%2F` (UTF-8), `\u002f`, `\u{2f}`, `\x2f`, `\/`, `&#47;`, `&#x2f;`, `&sol;`. */
export function readEscape(text: string, at: number): EscapedCharacter | undefined {
  const start = text.charCodeAt(at)
  if (start === percent) return readPercent(text, at + 1)
  if (start === backslash) return readBackslash(text, at)
  return start === ampersand ? readEntity(text, at + 1) : undefined
}

/** Reads an escape that was escaped again by the same rule: `%252F`, `&amp;#47;`. Backslashes are read so by `readEscape`. */
export function readNestedEscape(text: string, at: number): EscapedCharacter | undefined {
  const start = text.charCodeAt(at)
  const again = start === percent ? '25' : 'amp;'
  if (start === backslash || !text.startsWith(again, at + 1)) return undefined
  let from = at + 1
  for (let level = 0; level < maxNested && text.startsWith(again, from); level++) {
    from += again.length
    const found = start === percent ? readPercent(text, from) : readEntity(text, from)
    if (found && !text.startsWith(again, from)) return found
  }
  return undefined
}

/** How many times an escape may be escaped again. */
const maxNested = 4
/** Four times escaped. A longer run is read from a later position. */
const maxBackslashes = 16

function readPercent(text: string, from: number): EscapedCharacter | undefined {
  const first = hexAt(text, from, 2)
  if (first < 0x80) return first < 0 ? undefined : { code: first, end: from + 2 }
  // UTF-8: the first byte tells how many follow.
  const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0
  let code = first & (0x3f >> more)
  let end = from + 2
  for (let index = 0; index < more; index++) {
    const byte = text.charCodeAt(end) === percent ? hexAt(text, end + 1, 2) : -1
    if (byte >> 6 !== 2) return undefined
    code = (code << 6) | (byte & 0x3f)
    end += 3
  }
  return more === 0 ? undefined : { code, end }
}

const letterEscapes: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
)

/** A run of backslashes that stands for backslashes is not read here: its length is ambiguous. */
function readBackslash(text: string, at: number): EscapedCharacter | undefined {
  let next = at + 1
  while (text.charCodeAt(next) === backslash) if (++next - at > maxBackslashes) return undefined
  const sign = text.charCodeAt(next)
  if (sign === 0x75) return readUnicode(text, next + 1)
  if (sign === 0x78) return toCharacter(hexAt(text, next + 1, 2), next + 3)
  const code = letterEscapes.get(sign)
  if (code !== undefined) return { code, end: next + 1 }
  // Any other letter or digit is not escaped, punctuation is.
  return isAlphanumeric(sign) || Number.isNaN(sign) ? undefined : { code: sign, end: next + 1 }
}

function readUnicode(text: string, at: number): EscapedCharacter | undefined {
  if (text.charAt(at) !== '{') return toCharacter(hexAt(text, at, 4), at + 4)
  const length = text.slice(at, at + 10).indexOf('}') - 1
  return length < 1 ? undefined : toCharacter(hexAt(text, at + 1, length), at + length + 2)
}

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    tab: '\t',
    newline: '\n',
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    plus: '+',
    comma: ',',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    equals: '=',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
    rsqb: ']',
    rbrack: ']',
    hat: '^',
    lowbar: '_',
    grave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    rcub: '}',
    rbrace: '}',
    hyphen: '-',
    dash: '-',
  }),
)
/** The longest escape after `&`: a number with leading zeros, or a name. */
const maxEntity = 12

function readEntity(text: string, from: number): EscapedCharacter | undefined {
  const length = text.slice(from, from + maxEntity).indexOf(';')
  if (length < 2) return undefined
  const name = text.slice(from, from + length).toLowerCase()
  if (!name.startsWith('#')) return toCharacter(entities.get(name)?.charCodeAt(0) ?? -1, from + length + 1)
  const isHex = name.charAt(1) === 'x'
  const code = isHex ? hexAt(name, 2, length - 2) : /^#\d+$/.test(name) ? Number(name.slice(1)) : -1
  return toCharacter(code, from + length + 1)
}

function toCharacter(code: number, end: number): EscapedCharacter | undefined {
  return code >= 0 && code <= 0x10ffff ? { code, end } : undefined
}

/** The number that `length` hexadecimal digits stand for; -1 if they are not there. */
function hexAt(text: string, at: number, length: number): number {
  let value = length > 0 ? 0 : -1
  for (let index = at; index < at + length; index++) {
    const digit = hexDigit(text.charCodeAt(index))
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

function isAlphanumeric(code: number): boolean {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a)
}
