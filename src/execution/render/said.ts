import { isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Block } from '../../model/result.ts'
import { resourceOf } from './blocks.ts'
import { parseJson } from './json-text.ts'
import { Looks } from './looks.ts'
import { dataOf, isMedia } from './marks.ts'
import { Prose } from './prose.ts'
import { Data } from './within.ts'

/** What a result is shown as so far: its blocks, and the texts that stand for them. */
export interface Shown {
  readonly blocks: readonly Block[]
  readonly texts: readonly string[]
}

/**
 * Whether everything that is structured is said already: as JSON, as a block, or each text, number and word of it by
 * itself. Where that takes too many looks, it is not.
 */
export function isSaid(structured: Json, shown: Shown): boolean {
  const says = createSays(shown)
  const rest: Json[] = [structured]
  while (rest.length > 0) {
    const value = rest.pop() ?? null
    if (says(value)) continue
    const members = membersOf(value)
    // That a list is empty is something, too, and only JSON says it.
    if (members.length === 0) return false
    for (let at = members.length - 1; at >= 0; at--) rest.push(members[at]!)
  }
  return true
}

function membersOf(value: Json): readonly Json[] {
  if (isList(value)) return value
  return isObject(value) ? Object.values(value) : []
}

/** For each character that is shown or stands behind what is, and for those who say little. */
const allowed = { each: 16, least: 1_000_000 } as const

/** More texts are not compared as a whole: only each with each tells long ones of the same length apart. */
const maxWhole = 100

function createSays({ blocks, texts }: Shown): (value: Json) => boolean {
  const bytes = dataOf(blocks).map((each) => each.data)
  const length = [...texts, ...bytes].reduce((sum, each) => sum + each.length, 0)
  const looks = new Looks(allowed.least + allowed.each * length)
  const read = texts.map((text) => ({ text: text.trim(), value: readJson(text) }))
  // Data is compared as data: the words of `{"a":1,"b":2}` do not say that b is 1.
  const [data, prose] = [read.filter(isData), read.filter((each) => !isData(each))]
  const inData = new Data(
    data.map(({ value }) => value),
    looks,
  )
  const inBlocks = new Data(blocks.flatMap(shownOf), looks)
  const inProse = new Prose(prose.map(({ text }) => text).join('\n'), looks)
  const whole = new Set<Json | undefined>([
    ...bytes,
    ...data.slice(0, maxWhole).map(({ text }) => text),
    ...prose.slice(0, maxWhole).map(({ value }) => value),
  ])
  return (value) => {
    if (looks.areSpent) return false
    if (isList(value)) return inData.holds(value)
    if (isObject(value)) return inData.holds(value) || (isBlockLike(value) && inBlocks.holds(value))
    const words = String(value).trim()
    return words === '' || whole.has(value) || whole.has(words) || inProse.says(words)
  }
}

interface Read {
  readonly text: string
  readonly value: Json | undefined
}

function isData(read: Read): read is Read & { readonly value: Json } {
  return isList(read.value) || isObject(read.value)
}

function readJson(text: string): Json | undefined {
  // Most texts are no JSON, and one look tells.
  return /^\s*[[{"\-\d]/.test(text) ? parseJson(text) : undefined
}

/** Its kind alone is no block. */
function isBlockLike(value: JsonObject): boolean {
  return Object.hasOwn(value, 'type') && Object.keys(value).length > 1
}

/** What a text shows of a block: not what is only about it, and of a resource with a text nothing but that. */
function shownOf(block: Block): readonly Json[] {
  const { type, text, data, mimeType = '' } = block
  if (type === 'text') return [{ type, text: text ?? '' }]
  if (isMedia(type)) return [{ type, data: data ?? '', mimeType }]
  if (type !== 'resource') return []
  const { text: inside, uri = '', mimeType: kind = '', blob = '' } = resourceOf(block)
  return [{ type, resource: inside === undefined ? { uri, mimeType: kind, blob } : { text: inside } }]
}
