import { blockTypeOf, isBlock, unsaid } from '../../../index.ts'
import type { Block, BlockType, CallResult, Json, JsonObject } from '../../../index.ts'

/** What a tool answered, in the words of the protocol. */
export function toProtocol({ blocks, structured, failed }: CallResult): JsonObject {
  return {
    content: blocks,
    ...(structured !== undefined && { structuredContent: structured }),
    ...(failed && { isError: true }),
  }
}

/** Where pieces of a result were saved, by their places in it. */
export type SavedFiles = ReadonlyMap<number, string>

/** For reading: texts as they are, everything else named. `--json` has it whole. */
export function drawResult(
  { blocks, structured }: Pick<CallResult, 'blocks' | 'structured'>,
  saved: SavedFiles = new Map(),
): string {
  const texts = blocks.map((block, at) => drawBlock(block, saved.get(at)))
  const rest = unsaid(structured, { blocks, texts })
  if (rest !== undefined) texts.push(JSON.stringify(rest, undefined, 2))
  return texts.join('\n') || '(no output)'
}

/** For a page: images are shown where they were saved, code and data stand in fences. */
export function drawMarkdown(
  { blocks, structured }: Pick<CallResult, 'blocks' | 'structured'>,
  saved: SavedFiles = new Map(),
): string {
  const texts = blocks.map((block, at) => drawMarkdownBlock(block, saved.get(at)))
  const rest = unsaid(structured, { blocks, texts })
  if (rest !== undefined) texts.push(fence(JSON.stringify(rest, undefined, 2), 'json'))
  return texts.join('\n\n') || '(no output)'
}

/** The content itself: texts, and the bytes of everything else. */
export function bytesOfResult({ blocks, structured }: Pick<CallResult, 'blocks' | 'structured'>): Buffer {
  const parts = blocks.flatMap((block) => {
    const text = textIn(block)
    return text === undefined ? (blobOf(block)?.bytes ?? []) : Buffer.from(text)
  })
  if (parts.length === 0 && structured !== undefined) return Buffer.from(JSON.stringify(structured))
  return Buffer.concat(parts)
}

/** What no text can hold: the bytes of an image, a sound or a resource. */
export function blobOf(block: Block): { readonly bytes: Buffer; readonly mimeType: string } | undefined {
  const { data, mimeType } = block
  const resource = fieldsOf(block['resource'])
  const base64 = typeof data === 'string' ? data : resource['blob']
  if (typeof base64 !== 'string') return undefined
  return { bytes: Buffer.from(base64, 'base64'), mimeType: textOf(mimeType ?? resource['mimeType']) }
}

function drawBlock(block: Block, path: string | undefined): string {
  const text = textIn(block)
  if (text !== undefined) return text
  const { type, mimeType, uri } = block
  const resource = fieldsOf(block['resource'])
  const blob = blobOf(block)
  const details = [
    type === 'unknown' ? 'unknown content' : type,
    textOf(mimeType ?? resource['mimeType']),
    textOf(uri ?? resource['uri']),
    blob ? `${blob.bytes.length} bytes` : '',
    path === undefined ? '' : `saved as ${path}`,
  ]
  return `[${details.filter(Boolean).join(', ')}]`
}

function drawMarkdownBlock(block: Block, path: string | undefined): string {
  return markdown[blockTypeOf(block)](block, path)
}

const markdown: { readonly [T in BlockType | 'other']: (block: Block, path: string | undefined) => string } =
  {
    text: (block, path) => (isBlock(block, 'text') ? block.text : drawEmbedded(block, path)),
    image: (block, path) => (path === undefined ? drawEmbedded(block, path) : `![image](${path})`),
    audio: drawEmbedded,
    resource: drawEmbedded,
    resource_link: ({ name, uri }) => `[${textOf(name) || textOf(uri)}](${textOf(uri)})`,
    other: drawEmbedded,
  }

function drawEmbedded(block: Block, path: string | undefined): string {
  if (path !== undefined) return `[${block.type}](${path})`
  const inside = textIn(block)
  return inside === undefined ? `\`${drawBlock(block, undefined)}\`` : fence(inside, '')
}

/** Longer than any fence within. */
function fence(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}

function textIn(block: Block): string | undefined {
  const found = blockTypeOf(block) === 'text' ? block['text'] : fieldsOf(block['resource'])['text']
  return typeof found === 'string' ? found : undefined
}

/** A text of a server's object; empty where it is another kind of value. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {} // looked at right here
}
