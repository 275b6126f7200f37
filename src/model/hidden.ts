import { hiddenKindOf, RunContext } from './hidden-kinds.ts'
import type { HiddenKind } from './hidden-kinds.ts'
import type { Json, JsonObject } from './json.ts'

/** A terminal escape sequence such as a color code. Its length is bounded, so that an endless one costs little. */
const TERMINAL_CODE = '\\u001B\\[[0-?]{0,64}[ -/]{0,8}[@-~]'
const terminalCodes = () => new RegExp(TERMINAL_CODE, 'g')
/** Compiled on first use: looking up the Unicode classes takes longer than listing tools. */
const hiddenRuns = () =>
  new RegExp(
    `(?:${TERMINAL_CODE}|(?![\\n\\t])[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB])+`,
    'gu',
  )
/** Matches texts that cannot hide anything, which nearly all texts are. */
const PLAIN = /^[\n\t -~\u00A0-\u00AC\u00AE-\u033F]*$/

const nothing: readonly string[] = []

/** Removes hidden characters from a text and names the kinds removed. Idempotent: a second pass changes nothing. */
export function removeHidden(text: string): { readonly text: string; readonly removed: readonly string[] } {
  if (PLAIN.test(text)) return { text, removed: nothing }
  const removed = new Set<HiddenKind>()
  // Replace lone surrogates first: removing hidden characters between two of them would join them to a character.
  const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD').replace(/\r\n?/g, '\n')
  const clean = whole.replace(hiddenRuns(), (run: string, offset: number) =>
    keepNeeded(run, new RunContext(whole, offset, offset + run.length), removed),
  )
  return { text: clean, removed: [...removed].sort() }
}

const BLACK_FLAG = '\u{1F3F4}'
/** England, Scotland and Wales: the only flags that are encoded with tag characters. */
const TAGS_OF_FLAG =
  /^\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u
/** No script needs more hidden characters than this in a row. */
const maxKept = 2

/** The characters of a hidden run that the text around it needs; the kinds of the others are added to `removed`. */
function keepNeeded(run: string, context: RunContext, removed: Set<HiddenKind>): string {
  const flag = context.before === BLACK_FLAG ? (TAGS_OF_FLAG.exec(run)?.[0] ?? '') : ''
  const rest = run.slice(flag.length).replace(terminalCodes(), '')
  if (flag.length + rest.length < run.length) removed.add('terminal codes')
  const kept: string[] = []
  for (const [index, character] of Array.from(rest).entries()) {
    const kind = hiddenKindOf(character, context, index === 0)
    if (kind === undefined) kept.push(character)
    else removed.add(kind)
  }
  if (kept.length <= maxKept) return flag + kept.join('')
  removed.add('zero-width characters')
  return flag
}

/** Every character that may hide something, and surrogates. `removeHidden` keeps some of them. */
const risky = [
  '\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E',
  '\\u2060-\\u206F\\u3164\\uD800-\\uDFFF\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFF',
]
const RISKY = new RegExp(`[${risky.join('')}]`)
/** Longer texts are tested directly: they may be mostly non-ASCII, where stripping ASCII first does not pay. */
const longText = 4 * 1024 * 1024

/**
 * A quick test of serialized JSON: true if none of its texts can hide anything. Any escape that could stand for a hidden
 * character gives false; the caller then examines each text.
 */
export function isPlainJson(json: string): boolean {
  if (/\\[bfru]/.test(json)) return false
  // Nearly all text is ASCII: stripping it first takes half the time of testing every character.
  return !RISKY.test(json.length > longText ? json : json.replace(/[\0-~]+/g, ''))
}

/** Deeper than any message that is accepted. */
const maxDepth = 300

/** The JSON value without hidden characters in its texts; the identical object if there are none. */
export function withoutHidden<T extends Json>(value: T): T {
  // Serializing the value and testing the result once is faster than testing each part.
  if (isPlainJson(JSON.stringify(value))) return value
  return cleanValue(value, maxDepth) as T // only texts change, never the shape
}

function cleanValue(value: Json, depth: number): Json {
  if (typeof value === 'string') return PLAIN.test(value) ? value : removeHidden(value).text
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return cleanList(value as readonly Json[], depth) // isArray does not narrow a readonly union
  return cleanObject(value as JsonObject, depth) // neither null nor an array
}

function cleanList(list: readonly Json[], depth: number): readonly Json[] {
  const clean = list.map((item) => cleanValue(item, depth - 1))
  return clean.every((item, at) => item === list[at]) ? list : clean
}

function cleanObject(object: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(object)
  const clean = entries.map(([key, value]): [string, Json] => [
    PLAIN.test(key) ? key : removeHidden(key).text,
    key === 'pattern' && typeof value === 'string' ? escapeHidden(value) : cleanValue(value, depth - 1),
  ])
  const isSame = clean.every(([key, value], at) => key === entries[at]?.[0] && value === entries[at]?.[1])
  return isSame ? object : Object.fromEntries(clean)
}

/** Writes hidden characters of a regular expression as `\uXXXX`: removing them would change what it matches. */
function escapeHidden(pattern: string): string {
  if (PLAIN.test(pattern)) return pattern
  const hidden = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Surrogate}\uFFF9-\uFFFB]/gu
  return pattern.replace(hidden, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
