import { readEscape } from '../../model/secrets/escaped-character.ts'

/** A text that was written in another encoding inside a text. */
export interface DecodedText {
  readonly how: string
  readonly text: string
}

/** Encoded pieces of one text that are decoded. */
const maxPieces = 32
const maxPiece = 16 * 1024

/** Everything in a text that may be another text in disguise. */
export function decodeAll(text: string, visible: string): readonly DecodedText[] {
  return [
    ...decodeTags(text),
    ...decodeSelectors(text),
    ...decodeZeroWidth(text),
    ...decodeBase64(visible),
    ...decodeHex(visible),
    ...decodeNumbers(visible),
    ...decodeEscapes(visible),
    ...decodeComments(visible),
    ...decodeSwapped(visible),
  ]
}

/** Tag characters stand for ASCII. */
function decodeTags(text: string): readonly DecodedText[] {
  if (!text.includes('\udb40')) return []
  const runs = text.match(/[\u{E0020}-\u{E007E}]{3,4096}/gu) ?? []
  const whole = runs.map((run) =>
    Array.from(run, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)).join(''),
  )
  return whole.length === 0 ? [] : [{ how: 'tag characters', text: whole.join(' ') }]
}

/** A byte a selector: U+FE00 is 0, U+E0100 is 16. */
function decodeSelectors(text: string): readonly DecodedText[] {
  const runs = text.match(/[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{4,8192}/gu) ?? []
  return runs.slice(0, maxPieces).flatMap((run) => {
    const bytes = Array.from(run, (selector) => {
      const code = selector.codePointAt(0) ?? 0
      return code < 0xff00 ? code - 0xfe00 : code - 0xe0100 + 16
    })
    return readable('variation selectors', Buffer.from(bytes).toString('utf8'))
  })
}

/** A bit a character: two kinds of zero-width characters. */
function decodeZeroWidth(text: string): readonly DecodedText[] {
  const run = (text.match(/[\u200B-\u200F\u2060-\u2064\uFEFF]/g) ?? []).slice(0, maxPiece)
  if (run.length < 24) return []
  const signs = [...new Set(run)].sort()
  if (signs.length < 2) return []
  return [0, 1].flatMap((one) => {
    const bits = run
      .filter((sign) => sign === signs[0] || sign === signs[1])
      .map((sign) => (sign === signs[one] ? '1' : '0'))
    const bytes: number[] = []
    for (let at = 0; at + 8 <= bits.length; at += 8)
      bytes.push(Number.parseInt(bits.slice(at, at + 8).join(''), 2))
    return readable('zero-width characters', Buffer.from(bytes).toString('utf8'))
  })
}

function decodeBase64(text: string): readonly DecodedText[] {
  const pieces = text.match(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,16384}={0,2}/g) ?? []
  return pieces
    .slice(0, maxPieces)
    .filter((piece) => /[A-Z]/.test(piece) && /[a-z]/.test(piece))
    .flatMap((piece) =>
      readable(
        'base64',
        Buffer.from(
          piece.replace(/=+$/, ''),
          piece.includes('-') || piece.includes('_') ? 'base64url' : 'base64',
        ).toString('utf8'),
      ),
    )
}

function decodeHex(text: string): readonly DecodedText[] {
  const pieces = text.match(/(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}[ :,-]?){12,4096}(?![0-9A-Za-z])/g) ?? []
  return pieces
    .slice(0, maxPieces)
    .flatMap((piece) =>
      readable('hexadecimal', Buffer.from(piece.replace(/^0x|[^0-9A-Fa-f]/g, ''), 'hex').toString('utf8')),
    )
}

/** `73, 103, 110`: character codes. */
function decodeNumbers(text: string): readonly DecodedText[] {
  const pieces = text.match(/(?<!\d)(?:\d{2,3}[ ,;]{1,2}){11,4096}\d{2,3}(?!\d)/g) ?? []
  return pieces
    .slice(0, maxPieces)
    .flatMap((piece) =>
      readable(
        'character codes',
        (piece.match(/\d+/g) ?? []).map((code) => String.fromCharCode(Number(code))).join(''),
      ),
    )
}

/**
 * `%69`, `&#105;`, `\\u0069`, `\\x69`. Only sentences with escapes were unreadable; what stands around them was not hidden. Honest
 * texts escape blanks and signs in addresses, and no letter of ASCII.
 */
function decodeEscapes(text: string): readonly DecodedText[] {
  if ((text.match(escapes)?.length ?? 0) < 3) return []
  const decoded = text
    // Not at semicolons: entities have them.
    .split(/(?<=[.!?]) |\n/)
    .map((sentence) => ({ sentence, ...unescape(sentence) }))
    .filter(
      ({ sentence, hasLetters }) =>
        hasLetters || (sentence.replace(addresses, '').match(escapes)?.length ?? 0) >= 3,
    )
  return decoded.length === 0
    ? []
    : readable('escapes', decoded.map((each) => each.text.replaceAll('+', ' ')).join(' '))
}

const escapes = /%[0-9A-Fa-f]{2}|&(?:#\w{1,8}|[a-z]{2,8});|\\[ux][0-9A-Fa-f{]/g
const addresses = /\bhttps?:\/\/[^\s"'`<>()]+/g

function unescape(text: string): { readonly text: string; readonly hasLetters: boolean } {
  let decoded = ''
  let hasLetters = false
  for (let at = 0; at < text.length;) {
    const sign = text.charCodeAt(at)
    const escape = sign === 0x25 || sign === 0x26 || sign === 0x5c ? readEscape(text, at) : undefined
    const letter = escape ? String.fromCodePoint(Math.min(escape.code, 0x10ffff)) : text.charAt(at)
    hasLetters ||= escape !== undefined && /[A-Za-z]/.test(letter)
    decoded += letter
    at = escape ? escape.end : at + 1
  }
  return { text: decoded, hasLetters }
}

/** Comments of HTML and Markdown, and elements that a page does not show. */
function decodeComments(text: string): readonly DecodedText[] {
  if (!text.includes('<') && !text.includes(']:')) return []
  const markdown = [
    ...text.matchAll(/^\[[^\]\n]{0,40}\]:[ \t]{0,4}(?:#|<>)[ \t]{0,4}["'(]([^\n]{1,2000})/gm),
  ].map((match) => match[1] ?? '')
  return [...notShown(text), ...markdown]
    .slice(0, maxPieces)
    .filter((comment) => /[A-Za-z]{2}/.test(comment))
    .map((comment) => ({ how: 'comment', text: comment.trim() }))
}

/** Texts of comments and of elements that a page does not show. */
export function notShown(text: string): readonly string[] {
  return [...htmlComments(text), ...hiddenElements(text)].slice(0, maxPieces)
}

function htmlComments(text: string): readonly string[] {
  const comments: string[] = []
  for (let at = text.indexOf('<!--'); at >= 0 && comments.length < maxPieces;) {
    const end = text.indexOf('-->', at + 4)
    // An open comment hides the rest.
    comments.push(text.slice(at + 4, end < 0 ? at + 4 + maxPiece : end))
    at = end < 0 ? -1 : text.indexOf('<!--', end + 3)
  }
  return comments
}

const hidingStyle =
  /display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?!\d|\.)|opacity\s{0,3}:\s{0,3}0(?!\.)|color\s{0,3}[:=]\s{0,3}["']?(?:white|#fff|transparent|rgba\(0, ?0, ?0, ?0)|\shidden(?:\s|>|=)|aria-hidden/i

/** Pieces do not overlap: an element that is not closed takes what follows, and hidden elements inside of it with it. */
function hiddenElements(text: string): readonly string[] {
  const found: string[] = []
  let next = 0
  for (const match of text.matchAll(/<[a-z][^<>]{1,300}>/gi)) {
    if (found.length >= maxPieces) break
    if (match.index < next || !hidingStyle.test(match[0])) continue
    const from = match.index + match[0].length
    const end = text.indexOf('</', from)
    next = end < 0 ? from + maxPiece : end
    found.push(text.slice(from, next))
  }
  return found
}

/** Letters turned by 13 places, and texts written backwards: known by their most common words. */
function decodeSwapped(text: string): readonly DecodedText[] {
  const found: DecodedText[] = []
  if (/\b(?:gur|naq|lbh|lbhe|vafgehpgvbaf|vtaber|svyr|ernq|fraq|guvf|jvgu|sebz|gung|hfre|gbby)\b/i.test(text))
    found.push({ how: 'ROT13', text: rot13(text) })
  if (/\b(?:eht|dna|uoy|erongi|elif|daer|dnes|tsum|llac|loot)\b/i.test(text))
    found.push({ how: 'reversed', text: Array.from(text.slice(0, maxPiece)).reverse().join('') })
  return found
}

function rot13(text: string): string {
  return text.slice(0, maxPiece).replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

/** The decoded text if it reads like a text: mostly letters, and at least one blank or path. */
function readable(how: string, decoded: string): readonly DecodedText[] {
  const text = decoded.slice(0, maxPiece)
  if (text.length < 8 || text.includes('\uFFFD')) return []
  const plain = text.match(/[A-Za-z ,.'\n]/g)?.length ?? 0
  const isEncoded = /^[A-Za-z0-9+/_-]{24,}={0,2}$/.test(text)
  return isEncoded || (plain / text.length >= 0.7 && /[\s/~=]/.test(text)) ? [{ how, text }] : []
}
