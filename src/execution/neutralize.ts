/**
 * What steers a terminal, turns text around or hides it from the person who reads along is taken out of what a model gets,
 * and a last line says so (T16, T17). What writing needs stays: joiners, marks of direction, emoji with all their parts.
 */
export function neutralize(text: string): string {
  const { text: clean, removed } = removeHidden(text)
  if (removed.length === 0) return clean
  return `${clean}\n[hidden characters were removed: ${removed.join(', ')}]`
}

/** The codes for colors and the like, whole; bounded, so that an endless one costs nothing. */
const CODE = '\\u001B\\[[0-?]{0,64}[ -/]{0,8}[@-~]'
const CODES = new RegExp(CODE, 'g')
const RUN = new RegExp(
  `(?:${CODE}|(?![\\n\\t])[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB])+`,
  'gu',
)
/** Nothing to look for: what nearly every text is. */
const PLAIN = /^[\n\t -~\u00A0-\u00AC\u00AE-\u033F]*$/

/** The same text without what is hidden in it, and the kinds of what was. Done twice, it changes nothing more. */
export function removeHidden(text: string): { readonly text: string; readonly removed: readonly string[] } {
  if (PLAIN.test(text)) return { text, removed: [] }
  const removed = new Set<Kind>()
  // Half characters first: taking out what stands between two of them would join them.
  const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD').replace(/\r\n?/g, '\n')
  const clean = whole.replace(RUN, (run: string, offset: number) =>
    keepOf(run, characterBefore(whole, offset), removed),
  )
  return { text: clean, removed: [...removed].sort() }
}

type Kind =
  | 'control characters'
  | 'direction overrides'
  | 'tag characters'
  | 'annotation marks'
  | 'terminal codes'
  | 'variation selectors'
  | 'zero-width characters'

const BLACK_FLAG = '\u{1F3F4}'
/** England, Scotland and Wales: the only flags that are written with tags. */
const TAGS_OF_FLAG =
  /^\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u
/** Writing never has more of them in a row. */
const longestKept = 2

/** What of a run of hidden characters belongs to the writing around it. */
function keepOf(run: string, before: string, removed: Set<Kind>): string {
  const flag = before === BLACK_FLAG ? (TAGS_OF_FLAG.exec(run)?.[0] ?? '') : ''
  const rest = run.slice(flag.length).replace(CODES, '')
  if (flag.length + rest.length < run.length) removed.add('terminal codes')
  const kept: string[] = []
  for (const [index, character] of Array.from(rest).entries()) {
    const kind = kindOf(character, index === 0 ? before : '')
    if (kind === undefined) kept.push(character)
    else removed.add(kind)
  }
  if (kept.length <= longestKept) return flag + kept.join('')
  removed.add('zero-width characters')
  return flag
}

/** The kind of what never stays; `undefined` for what may. */
function kindOf(character: string, before: string): Kind | undefined {
  const code = character.codePointAt(0) ?? 0
  if (code < 0xa0 && code !== 0xad) return 'control characters'
  if (isIn(code, 0x202a, 0x202e) || isIn(code, 0x2066, 0x206f)) return 'direction overrides'
  if (isIn(code, 0xfff9, 0xfffb)) return 'annotation marks'
  // They pick the look of a character: one, right after it. Hidden messages are written with them elsewhere.
  if (isIn(code, 0xfe00, 0xfe0f)) return varies.test(before) ? undefined : 'variation selectors'
  if (isIn(code, 0xe0100, 0xe01ef)) return ideograph.test(before) ? undefined : 'variation selectors'
  return code >= 0xe0000 ? 'tag characters' : undefined
}

const varies = /^(?:[0-9#*]|[^\0-\u00A8\s])/u
const ideograph = /^\p{Script=Han}/u

function isIn(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}

function characterBefore(text: string, offset: number): string {
  const last = text.charCodeAt(offset - 1)
  return isIn(last, 0xdc00, 0xdfff)
    ? text.slice(offset - 2, offset)
    : text.slice(Math.max(offset - 1, 0), offset)
}
