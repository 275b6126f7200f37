import { isEqual, isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { base64KeyOf } from '../../model/result.ts'
import type { Block } from '../../model/result.ts'
import { renderBlock, renderMedia, resourceOf, toJsonText } from './blocks.ts'

/** What is already shown of a result: its blocks and their texts. */
export interface ShownResult {
  readonly blocks: readonly Block[]
  readonly texts: readonly string[]
}

/** Structured content as fenced JSON; undefined if the blocks show all of it. */
export function renderStructured(structured: Json | undefined, shown: ShownResult): string | undefined {
  const value = structuredTextNotShown(structured, shown)
  if (value === undefined) return undefined
  const json = toJsonText(value)
  const fence = '`'.repeat(Math.max(3, longestRun(json) + 1))
  return `${fence}json\n${json}\n${fence}`
}

/** The whole structured content, with placeholders for base64, if any of it is not shown yet; undefined if all is. */
export function structuredTextNotShown(structured: Json | undefined, shown: ShownResult): Json | undefined {
  if (structured === undefined) return undefined
  try {
    return isFullyShown(structured, shown) ? undefined : replaceData(structured, shown.blocks)
  } catch {
    return '(nested too deep to be shown)'
  }
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Limit of texts that are compared with the whole value: comparing many texts with a large value would take minutes. */
const maxTexts = 100

/**
 * Whether the structured content, or its only member, is already shown as a whole: as a text, as JSON in any spacing, or
 * as all the blocks together. A value that merely occurs in a text does not count: "There are 3 open issues." does not
 * show `{ "open": 3, "closed": 3 }`.
 */
function isFullyShown(structured: Json, shown: ShownResult): boolean {
  const members = isObject(structured) ? Object.values(structured) : []
  const [only] = members
  return (
    isValueShown(structured, shown) ||
    (members.length === 1 && only !== undefined && isValueShown(only, shown))
  )
}

function isValueShown(value: Json, { blocks, texts }: ShownResult): boolean {
  const whole = texts.length > 1 ? [texts.join('\n'), ...texts.slice(0, maxTexts)] : texts
  if (whole.some((text) => isTextOf(text, value))) return true
  if (!isList(value) || value.length === 0 || value.length !== blocks.length) return false
  return value.every((item, at) => equalsBlock(item, blocks[at]) || isTextOf(texts[at] ?? '', item))
}

/** Whether a text is the value itself or its JSON. */
function isTextOf(text: string, value: Json): boolean {
  if (typeof value === 'string' && text.trim() === value.trim()) return true
  // Most texts are not JSON; the first character shows it without parsing.
  const first = typeof value === 'object' && value !== null ? /^\s*[[{]/ : /^\s*["\-\dtfn]/
  return first.test(text) && isEqual(parseJson(text), value)
}

/** Annotations and metadata are not compared: they are never shown. */
function equalsBlock(value: Json, block: Block | undefined): boolean {
  return isObject(value) && block !== undefined && isEqual(withoutMetadata(value), withoutMetadata(block))
}

function withoutMetadata(block: JsonObject): JsonObject {
  const { annotations: _, _meta: __, ...rest } = block
  return rest
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // the result of parsing is JSON
  } catch {
    return undefined
  }
}

/** The texts to show in place of base64 data, by that data. */
type Placeholders = ReadonlyMap<string, string>

/** Limit of blocks whose data is looked for: long strings of equal length have to be compared one by one. */
const maxData = 100

/** Placeholders for the base64 of the first blocks that have some. */
function placeholdersOf(blocks: readonly Block[]): Placeholders {
  const found: (readonly [string, string])[] = []
  for (const block of blocks) {
    const data = base64Of(block)
    if (typeof data === 'string' && data !== '') found.push([data, renderBlock(block)])
    if (found.length === maxData) break
  }
  return new Map(found)
}

/** The base64 content of a block. */
function base64Of(block: Block): Json | undefined {
  return base64KeyOf(block) === 'data' ? block['data'] : resourceOf(block)['blob']
}

/** Replaces the base64 of the blocks, and of blocks within the value, by placeholders: base64 is useless as text. */
function replaceData(value: Json, blocks: readonly Block[]): Json {
  return replaceIn(value, placeholdersOf(blocks))
}

/** Returns the same object if there is nothing to replace. */
function replaceIn(value: Json, placeholders: Placeholders): Json {
  if (typeof value === 'string') return placeholders.get(value) ?? value
  if (isList(value)) {
    const items = value.map((item) => replaceIn(item, placeholders))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  return isObject(value) ? replaceInMembers(value, placeholders) : value
}

function replaceInMembers(object: JsonObject, placeholders: Placeholders): JsonObject {
  const own = ownPlaceholder(object)
  const replaced: [string, Json][] = []
  for (const key of Object.keys(object)) {
    const item = object[key]!
    const shown = own?.key === key ? own.text : replaceIn(item, placeholders)
    if (shown !== item) replaced.push([key, shown])
  }
  return replaced.length === 0 ? object : { ...object, ...Object.fromEntries(replaced) }
}

/** The placeholder for a block that occurs only in the structured content. */
function ownPlaceholder(value: JsonObject): { readonly key: string; readonly text: string } | undefined {
  const { type, mimeType = '', data, uri, blob } = value
  if (typeof type === 'string' && isMedia(type) && mimeType !== '' && isBase64(data)) {
    return { key: 'data', text: renderMedia({ type, mimeType, data }) }
  }
  if (typeof uri !== 'string' || !isBase64(blob)) return undefined
  return { key: 'blob', text: renderBlock({ type: 'resource', resource: { uri, mimeType, blob } }) }
}

function isMedia(type: string): boolean {
  return base64KeyOf({ type }) === 'data'
}

function isBase64(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[\w+/=\s-]+$/.test(value)
}
