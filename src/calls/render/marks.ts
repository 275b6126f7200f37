import { isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Block } from '../../model/result.ts'
import { renderBlock, renderMedia, resourceOf } from './blocks.ts'

interface Datum {
  readonly data: string
  /** What is shown in its place. */
  readonly mark: string
}

type Marks = ReadonlyMap<string, string>

/** More of them are not looked for: long texts of the same length can only be told apart by comparing each with each. */
const maxData = 100

/** The base64 of the first blocks that have some. */
export function dataOf(blocks: readonly Block[]): readonly Datum[] {
  const found: Datum[] = []
  for (const block of blocks) {
    const data = isMedia(block.type) ? block['data'] : resourceOf(block)['blob']
    if (typeof data === 'string' && data !== '') found.push({ data, mark: renderBlock(block) })
    if (found.length === maxData) break
  }
  return found
}

/** The same with a mark in the place of every datum that a block has, here or in it: nobody reads base64. */
export function markData(value: Json, blocks: readonly Block[]): Json {
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

export function isMedia(type: Json | undefined): type is 'image' | 'audio' {
  return type === 'image' || type === 'audio'
}

function isBase64(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[\w+/=\s-]+$/.test(value)
}
