import { blockTypeOf } from '../../index.ts'
import type { Block, CallResult, Json } from '../../index.ts'
import { isObject, removeHidden } from '../../internal.ts'
import type { ResultFacts } from '../api/tool-routes.ts'
import { toBoundedJson } from './bounded-json.ts'
import { showFindings } from './findings/shown-finding.ts'

type BlockFacts = ResultFacts['blocks'][number]

/** Longer texts come as head and tail; `textOfBlock` has the rest. */
const longText = 64_000
const headLength = 32_000
const tailLength = 8000
/** Binary content beyond this is only described. */
const maxDataBytes = 4 * 1024 * 1024
/** Blocks beyond these become one text: each one costs a page more than its text. */
const maxBlocks = 100
/** Structured content beyond this is a text with pages. */
const maxStructuredLength = 256_000

export type ShownResult = Pick<
  CallResult,
  'blocks' | 'structured' | 'failed' | 'rpcError' | 'spilled' | 'findings'
>

/** A result as terminal and page show it: what is long is cut, and nothing hidden is in a text. */
export function toResultFacts(result: ShownResult): ResultFacts {
  const { blocks, structured, failed, rpcError, spilled, findings } = result
  const isLarge = structured !== undefined && !toBoundedJson(structured, maxStructuredLength).isWhole
  return {
    isFailed: failed,
    blocks: [
      ...blocks.slice(0, maxBlocks).map(describeBlock),
      ...(blocks.length > maxBlocks ? [describeMore(blocks)] : []),
      ...(rpcError ? [cutText({ type: 'error' }, `${rpcError.message} (${rpcError.code})`)] : []),
      ...(isLarge ? [cutText({ type: 'structured' }, structuredText(structured))] : []),
    ],
    ...(structured !== undefined && !isLarge && { structured }),
    bytes: bytesOf(result),
    ...(spilled && { spilled }),
    ...(findings && { findings: showFindings(findings) }),
  }
}

/** The size of a result: its texts as UTF-8, and its binary content. */
export function bytesOf({ blocks, structured }: Pick<ShownResult, 'blocks' | 'structured'>): number {
  const sizes = blocks.map((block) => {
    const text = textIn(block)
    return text === undefined ? (binaryOf(block)?.bytes ?? 0) : Buffer.byteLength(text)
  })
  const sum = sizes.reduce((all, size) => all + size, 0)
  return sum > 0 || structured === undefined ? sum : Buffer.byteLength(structuredText(structured))
}

/** A part of the text of a block; undefined if the block has none. Blocks count as in `toResultFacts`. */
export function textOfBlock(
  { blocks, structured, rpcError }: ShownResult,
  index: number,
): string | undefined {
  const block = index < maxBlocks ? blocks[index] : undefined
  if (block) return textIn(block)
  const more = [
    ...(blocks.length > maxBlocks ? [restText(blocks)] : []),
    ...(rpcError ? [rpcError.message] : []),
    ...(structured === undefined ? [] : [structured]),
  ]
  const found = more[index - Math.min(blocks.length, maxBlocks)]
  return found === undefined || typeof found === 'string' ? found : structuredText(found)
}

/** The text of a large value, which takes a while to write. */
const written = new WeakMap<object, string>()

function structuredText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const known = written.get(value)
  if (known !== undefined) return known
  const text = JSON.stringify(value, undefined, 2)
  written.set(value, text)
  return text
}

function describeMore(blocks: readonly Block[]): BlockFacts {
  const name = `${blocks.length - maxBlocks} more parts`
  return cutText({ type: 'more', name }, restText(blocks))
}

/** The blocks after the first ones: a line for each that is no text. */
function restText(blocks: readonly Block[]): string {
  return blocks
    .slice(maxBlocks)
    .map((block) => textIn(block) ?? `[${block.type.slice(0, 100)}]`)
    .join('\n')
}

function describeBlock(block: Block): BlockFacts {
  const { type } = block
  const resource = isObject(block['resource']) ? block['resource'] : {}
  const [mimeType, uri, name] = [
    block['mimeType'] ?? resource['mimeType'],
    block['uri'] ?? resource['uri'],
    block['title'] ?? block['name'],
  ].map((value) => (typeof value === 'string' ? clean(value.slice(0, 2000)) : undefined))
  const facts = {
    type: clean(type.slice(0, 100)),
    ...(mimeType !== undefined && { mimeType }),
    ...(uri !== undefined && { uri }),
    ...(name !== undefined && { name }),
  }
  const text = textIn(block)
  if (text !== undefined) return cutText(facts, text)
  const binary = binaryOf(block)
  if (binary)
    return { ...facts, bytes: binary.bytes, ...(binary.bytes <= maxDataBytes && { data: binary.data }) }
  return blockTypeOf(block) === 'other' ? cutText(facts, toBoundedJson(block, headLength, '  ').text) : facts
}

function cutText(facts: BlockFacts, text: string): BlockFacts {
  const { length } = text
  if (length <= longText) return { ...facts, text: clean(text), length }
  return {
    ...facts,
    text: clean(text.slice(0, lineEndBefore(text, headLength))),
    tail: clean(text.slice(lineStartAfter(text, length - tailLength))),
    length,
    isCut: true,
  }
}

/** The end of the last line before a position, unless that line is very long. */
function lineEndBefore(text: string, position: number): number {
  const end = text.lastIndexOf('\n', position)
  return end > position / 2 ? end + 1 : position
}

function lineStartAfter(text: string, position: number): number {
  const end = text.indexOf('\n', position)
  return end >= 0 && end < position + tailLength / 2 ? end + 1 : position
}

/** Without terminal codes, invisible and direction-changing characters. */
export function clean(text: string): string {
  return removeHidden(text).text
}

function textIn(block: Block): string | undefined {
  const { text, resource } = block
  if (blockTypeOf(block) === 'text') return typeof text === 'string' ? text : undefined
  const inside = isObject(resource) ? resource['text'] : undefined
  return typeof inside === 'string' ? inside : undefined
}

function binaryOf(block: Block): { readonly data: string; readonly bytes: number } | undefined {
  const { data, resource } = block
  const base64 = typeof data === 'string' ? data : isObject(resource) ? resource['blob'] : undefined
  if (typeof base64 !== 'string') return undefined
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return { data: base64, bytes: Math.max(0, Math.floor((base64.length * 3) / 4) - padding) }
}
