import { isEqual, isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { blockTypeOf } from '../../model/result.ts'
import type { Block, BlockType } from '../../model/result.ts'
import { renderBlock, renderMedia, resourceOf, toJsonText } from './blocks.ts'

/** What a result is shown as so far: its blocks, and the texts that stand for them. */
export interface ShownResult {
  readonly blocks: readonly Block[]
  readonly texts: readonly string[]
}

/** Structured content as fenced JSON, unless what is shown already says the same. */
export function renderStructured(structured: Json | undefined, shown: ShownResult): string | undefined {
  const value = structuredTextNotShown(structured, shown)
  if (value === undefined) return undefined
  const json = toJsonText(value)
  const fence = '`'.repeat(Math.max(3, longestRun(json) + 1))
  return `${fence}json\n${json}\n${fence}`
}

/** All of what is structured where any of it is not said yet, but for bytes; nothing where all is. */
export function structuredTextNotShown(structured: Json | undefined, shown: ShownResult): Json | undefined {
  if (structured === undefined) return undefined
  try {
    return isSaid(structured, shown) ? undefined : markData(structured, shown.blocks)
  } catch {
    return '(nested too deep to be shown)'
  }
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** At most this many texts are compared with the whole value: comparing each of many with a large one takes minutes. */
const maxTexts = 100

/**
 * Whether what is structured, or its only member, is shown already as a whole: as a text, as the JSON of one in any
 * spacing, or as all the blocks. Words that merely stand somewhere in a text say nothing: `{ "open": 3, "closed": 3 }`
 * is not said by "There are 3 open issues."
 */
function isSaid(structured: Json, shown: ShownResult): boolean {
  const members = isObject(structured) ? Object.values(structured) : []
  const [only] = members
  return isShown(structured, shown) || (members.length === 1 && only !== undefined && isShown(only, shown))
}

function isShown(value: Json, { blocks, texts }: ShownResult): boolean {
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

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // what it gives is JSON
  } catch {
    return undefined
  }
}

interface Datum {
  readonly data: string
  /** What is shown in its place. */
  readonly mark: string
}

type Marks = ReadonlyMap<string, string>

/** More of them are not looked for: long texts of the same length can only be told apart by comparing each with each. */
const maxData = 100

/** The base64 of the first blocks that have some. */
function dataOf(blocks: readonly Block[]): readonly Datum[] {
  const found: Datum[] = []
  for (const block of blocks) {
    const data = base64Of(block)
    if (typeof data === 'string' && data !== '') found.push({ data, mark: renderBlock(block) })
    if (found.length === maxData) break
  }
  return found
}

/** What a block holds in base64. */
function base64Of(block: Block): Json | undefined {
  return holdsData[blockTypeOf(block)] ? block['data'] : resourceOf(block)['blob']
}

/** Whether a block has its base64 in `data` of its own. */
const holdsData: { readonly [T in BlockType | 'other']: boolean } = {
  text: false,
  image: true,
  audio: true,
  resource: false,
  resource_link: false,
  other: false,
}

/** The same with a mark in the place of every datum that a block has, here or in it: nobody reads base64. */
function markData(value: Json, blocks: readonly Block[]): Json {
  return mark(value, new Map(dataOf(blocks).map((each) => [each.data, each.mark])))
}

/** The very same value where there is nothing to mark. */
function mark(value: Json, marks: Marks): Json {
  if (typeof value === 'string') return marks.get(value) ?? value
  if (isList(value)) {
    const items = value.map((item) => mark(item, marks))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  return isObject(value) ? markMembers(value, marks) : value
}

function markMembers(object: JsonObject, marks: Marks): JsonObject {
  const own = ownMark(object)
  const marked: [string, Json][] = []
  for (const key of Object.keys(object)) {
    const item = object[key]!
    const shown = own?.key === key ? own.mark : mark(item, marks)
    if (shown !== item) marked.push([key, shown])
  }
  return marked.length === 0 ? object : { ...object, ...Object.fromEntries(marked) }
}

/** A block that only what is structured has. */
function ownMark(value: JsonObject): { readonly key: string; readonly mark: string } | undefined {
  const { type, mimeType = '', data, uri, blob } = value
  if (isMedia(type) && mimeType !== '' && isBase64(data)) {
    return { key: 'data', mark: renderMedia({ type, mimeType, data }) }
  }
  if (typeof uri !== 'string' || !isBase64(blob)) return undefined
  return { key: 'blob', mark: renderBlock({ type: 'resource', resource: { uri, mimeType, blob } }) }
}

function isMedia(type: Json | undefined): type is 'image' | 'audio' {
  return type === 'image' || type === 'audio'
}

function isBase64(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[\w+/=\s-]+$/.test(value)
}
