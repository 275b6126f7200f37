/**
 * Characters that control a terminal or that a reader cannot see: C0, DEL and C1, line and paragraph separators, lone surrogates, bidi
 * controls, zero-width and tag characters, variation selectors and fillers (all Default_Ignorable), interlinear marks.
 * A variation selector stays where it only selects the style of an emoji, and a single joiner where it is needed: between
 * two emoji, after the virama of an Indic script, and between letters that are written joined (RFC 5892, A.1 and A.2).
 * The pattern is compiled on first use: looking up the character classes takes 2 ms.
 */
const ofEmoji = String.raw`(?!(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F])(?!(?<=[0-9#*])\uFE0F\u20E3)`
const betweenEmoji = String.raw`(?!(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic}))`
const afterVirama = String.raw`(?!(?<=[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA])[\u200C\u200D](?![\u200C\u200D]))`
const betweenJoined = String.raw`(?!(?<=[\p{Script=Arabic}\p{Script=Syriac}]\p{Mn}{0,3})\u200C(?=[\p{Script=Arabic}\p{Script=Syriac}]))`
const hidden = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]`
let signs: RegExp | undefined
const hiddenSigns = () =>
  (signs ??= new RegExp(`${ofEmoji}${betweenEmoji}${afterVirama}${betweenJoined}${hidden}`, 'gu'))

/** Fast path: nearly every text has nothing to escape. */
const PLAIN = /^[\n\t -~]*$/
const PLAIN_LINE = /^[ -~]*$/
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Escapes a text of a server or a config for a terminal; every such text passes here (T18). Line ends and tabs
 * stay, every other hidden character becomes visible, and nothing is dropped (T10). Escaping twice changes nothing.
 */
export function escapeText(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(hiddenSigns(), (hidden) =>
    hidden === '\n' || hidden === '\t' ? hidden : visible(hidden),
  )
}

/** Like escapeText, but also escapes line ends and tabs. */
export function escapeLine(text: string): string {
  if (PLAIN_LINE.test(text)) return text
  return text.replace(hiddenSigns(), visible)
}

/** Serialized JSON with its hidden characters as \uXXXX: it parses to the same value. */
export function escapeJson(json: string): string {
  // Serialized JSON has raw line ends only between tokens; every other hidden character is inside a string.
  if (PLAIN.test(json)) return json
  return json.replace(hiddenSigns(), (hidden) => (hidden === '\n' ? hidden : [...codeUnits(hidden)].join('')))
}

function visible(hidden: string): string {
  const short = SHORT[hidden]
  if (short !== undefined) return short
  const hex = (hidden.codePointAt(0) ?? 0).toString(16).padStart(2, '0')
  return hex.length === 2 ? `\\x${hex}` : `\\u{${hex}}`
}

function* codeUnits(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) yield `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
}
