import { blockTypeOf, isBlock, structuredTextNotShown } from '../../../index.ts'
import type { Block, BlockType, CallResult, Json, JsonObject } from '../../../index.ts'

/** The result of a call in the form of the protocol. */
export function toProtocol({ blocks, structured, failed }: CallResult): JsonObject {
  return {
    content: blocks,
    ...(structured !== undefined && { structuredContent: structured }),
    ...(failed && { isError: true }),
  }
}

/** Paths of saved blocks, by their index in the result. */
export type SavedFiles = ReadonlyMap<number, string>

/** The result as plain text: texts as they are, other blocks as a short description. `--json` has the whole result. */
export function drawResult(
  { blocks, structured }: Pick<CallResult, 'blocks' | 'structured'>,
  saved: SavedFiles = new Map(),
): string {
  const texts = blocks.map((block, at) => drawBlock(block, saved.get(at)))
  const rest = structuredTextNotShown(structured, { blocks, texts })
  if (rest !== undefined) texts.push(JSON.stringify(rest, undefined, 2))
  return texts.join('\n') || '(no output)'
}

/** The result as Markdown: saved images are embedded, code and data are fenced. */
export function drawMarkdown(
  { blocks, structured }: Pick<CallResult, 'blocks' | 'structured'>,
  saved: SavedFiles = new Map(),
): string {
  const texts = blocks.map((block, at) => drawMarkdownBlock(block, saved.get(at)))
  const rest = structuredTextNotShown(structured, { blocks, texts })
  if (rest !== undefined) texts.push(fence(JSON.stringify(rest, undefined, 2), 'json'))
  return texts.join('\n\n') || '(no output)'
}

/** The raw content: texts, and the bytes of binary blocks. */
export function bytesOfResult({ blocks, structured }: Pick<CallResult, 'blocks' | 'structured'>): Buffer {
  const parts = blocks.flatMap((block) => {
    const text = textIn(block)
    return text === undefined ? (blobOf(block)?.bytes ?? []) : Buffer.from(text)
  })
  if (parts.length === 0 && structured !== undefined) return Buffer.from(JSON.stringify(structured))
  return Buffer.concat(parts)
}

/** The bytes of a binary block: an image, audio or a resource. */
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

/** A code fence longer than any fence in the text. */
function fence(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}

function textIn(block: Block): string | undefined {
  const found = blockTypeOf(block) === 'text' ? block['text'] : fieldsOf(block['resource'])['text']
  return typeof found === 'string' ? found : undefined
}

/** A string from a server's object; empty if the value is not a string. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {} // checked here
}
