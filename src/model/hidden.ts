import { hiddenKindOf, RunContext } from './hidden-kinds.ts'
import type { HiddenKind } from './hidden-kinds.ts'
import type { Json, JsonObject } from './json.ts'

/** The codes for colors and the like, whole; bounded, so that an endless one costs nothing. */
const CODE = '\\u001B\\[[0-?]{0,64}[ -/]{0,8}[@-~]'
const codes = () => new RegExp(CODE, 'g')
/** Made when it is needed: looking the classes up takes longer than listing tools. */
const hiddenRuns = () =>
  new RegExp(`(?:${CODE}|(?![\\n\\t])[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB])+`, 'gu')
/** Nothing to look for: what nearly every text is. */
const PLAIN = /^[\n\t -~\u00A0-\u00AC\u00AE-\u033F]*$/

const nothing: readonly string[] = []

/** The same text without what is hidden in it, and the kinds of what was. Done twice, it changes nothing more. */
export function removeHidden(text: string): { readonly text: string; readonly removed: readonly string[] } {
  if (PLAIN.test(text)) return { text, removed: nothing }
  const removed = new Set<HiddenKind>()
  // Half characters first: taking out what stands between two of them would join them.
  const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD').replace(/\r\n?/g, '\n')
  const clean = whole.replace(hiddenRuns(), (run: string, offset: number) =>
    keepOf(run, new RunContext(whole, offset, offset + run.length), removed),
  )
  return { text: clean, removed: [...removed].sort() }
}

const BLACK_FLAG = '\u{1F3F4}'
/** England, Scotland and Wales: the only flags that are written with tags. */
const TAGS_OF_FLAG =
  /^\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u
/** Writing never has more of them in a row. */
const longestKept = 2

/** What of a run of hidden characters belongs to the writing around it. */
function keepOf(run: string, context: RunContext, removed: Set<HiddenKind>): string {
  const flag = context.before === BLACK_FLAG ? (TAGS_OF_FLAG.exec(run)?.[0] ?? '') : ''
  const rest = run.slice(flag.length).replace(codes(), '')
  if (flag.length + rest.length < run.length) removed.add('terminal codes')
  const kept: string[] = []
  for (const [index, character] of Array.from(rest).entries()) {
    const kind = hiddenKindOf(character, context, index === 0)
    if (kind === undefined) kept.push(character)
    else removed.add(kind)
  }
  if (kept.length <= longestKept) return flag + kept.join('')
  removed.add('zero-width characters')
  return flag
}

/** Everything that may hide anything, and halves of characters; some of what stays is among it. */
const risky = [
  '\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E',
  '\\u2060-\\u206F\\u3164\\uD800-\\uDFFF\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFF',
]
const RISKY = new RegExp(`[${risky.join('')}]`)
/** In a longer text that nobody wrote, there may be more of the others than it pays to pick out. */
const longText = 4 * 1024 * 1024

/**
 * Whether no text within this JSON can hide anything: one quick look, before anybody looks at each of them. What is
 * written as an escape is not looked at any closer here.
 */
export function isPlainJson(json: string): boolean {
  if (/\\[bfru]/.test(json)) return false
  // Nearly all is ASCII, and what is not is found in half the time that it takes to look at all.
  return !RISKY.test(json.length > longText ? json : json.replace(/[\0-~]+/g, ''))
}

/** Deeper than anything that is read. */
const maxDepth = 300

/** The same JSON without what is hidden in its texts; the very same object where there is nothing. */
export function withoutHidden<T extends Json>(value: T): T {
  // To write it down once more and look at that is quicker than to look at each part of it.
  if (isPlainJson(JSON.stringify(value))) return value
  return cleanOf(value, maxDepth) as T // only texts are other ones
}

function cleanOf(value: Json, depth: number): Json {
  if (typeof value === 'string') return PLAIN.test(value) ? value : removeHidden(value).text
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return cleanList(value as readonly Json[], depth) // isArray does not narrow a readonly union
  return cleanObject(value as JsonObject, depth) // neither null nor an array
}

function cleanList(list: readonly Json[], depth: number): readonly Json[] {
  const clean = list.map((item) => cleanOf(item, depth - 1))
  return clean.every((item, at) => item === list[at]) ? list : clean
}

function cleanObject(object: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(object)
  const clean = entries.map(([key, value]): [string, Json] => [
    PLAIN.test(key) ? key : removeHidden(key).text,
    key === 'pattern' && typeof value === 'string' ? visible(value) : cleanOf(value, depth - 1),
  ])
  const isSame = clean.every(([key, value], at) => key === entries[at]?.[0] && value === entries[at]?.[1])
  return isSame ? object : Object.fromEntries(clean)
}

/** A pattern means what it meant: what nobody sees in it is written as regular expressions write it. */
function visible(pattern: string): string {
  if (PLAIN.test(pattern)) return pattern
  const hidden = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Surrogate}\uFFF9-\uFFFB]/gu
  return pattern.replace(hidden, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
