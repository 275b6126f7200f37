import { isEqual, isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Block } from '../../model/result.ts'
import { parseJson } from './json-text.ts'

/** What a result is shown as so far: its blocks, and the texts that stand for them. */
export interface Shown {
  readonly blocks: readonly Block[]
  readonly texts: readonly string[]
}

/** At most this many texts are compared with the whole value: comparing each of many with a large one takes minutes. */
const maxTexts = 100

/**
 * Whether what is structured, or its only member, is shown already as a whole: as a text, as the JSON of one in any
 * spacing, or as all the blocks. Words that merely stand somewhere in a text say nothing: `{ "open": 3, "closed": 3 }`
 * is not said by "There are 3 open issues."
 */
export function isSaid(structured: Json, shown: Shown): boolean {
  const members = isObject(structured) ? Object.values(structured) : []
  const [only] = members
  return isShown(structured, shown) || (members.length === 1 && only !== undefined && isShown(only, shown))
}

function isShown(value: Json, { blocks, texts }: Shown): boolean {
  const whole = texts.length > 1 ? [texts.join('\n'), ...texts.slice(0, maxTexts)] : texts
  if (whole.some((text) => says(text, value))) return true
  if (!isList(value) || value.length === 0 || value.length !== blocks.length) return false
  return value.every((item, at) => isBlock(item, blocks[at]) || says(texts[at] ?? '', item))
}

function says(text: string, value: Json): boolean {
  if (typeof value === 'string' && text.trim() === value.trim()) return true
  // Most texts are no JSON, and one look tells.
  const first = typeof value === 'object' && value !== null ? /^\s*[[{]/ : /^\s*["\-\dtfn]/
  return first.test(text) && isEqual(parseJson(text), value)
}

/** What is only about a block is not shown of it. */
function isBlock(value: Json, block: Block | undefined): boolean {
  return isObject(value) && block !== undefined && isEqual(withoutNotes(value), withoutNotes(block))
}

function withoutNotes(block: JsonObject): JsonObject {
  const { annotations: _, _meta: __, ...rest } = block
  return rest
}
