import { isList, isObject } from './json.ts'
import type { Finding } from './finding.ts'
import type { Json, JsonObject } from './json.ts'

export interface TextBlock extends JsonObject {
  readonly type: 'text'
  readonly text: string
}

export interface ImageBlock extends JsonObject {
  readonly type: 'image'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

export interface AudioBlock extends JsonObject {
  readonly type: 'audio'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

/** A resource with its content: `text`, or `blob` in base64. */
export interface ResourceBlock extends JsonObject {
  readonly type: 'resource'
  readonly resource: JsonObject & { readonly uri: string }
}

export interface ResourceLinkBlock extends JsonObject {
  readonly type: 'resource_link'
  readonly uri: string
}

/** The content blocks of the protocol. */
export type KnownBlock = TextBlock | ImageBlock | AudioBlock | ResourceBlock | ResourceLinkBlock

/** A block of a later revision, or one of an unknown type. */
export interface OtherBlock extends JsonObject {
  readonly type: string
}

/** One part of a result as the server sent it; its fields are unchecked. `isBlock` checks them. */
export type Block = KnownBlock | OtherBlock

export type BlockType = KnownBlock['type']

/** Checks the required fields of each block type. A new type here makes the compiler report every place that lists them. */
const blockFields: { readonly [T in BlockType]: (block: JsonObject) => boolean } = {
  text: ({ text }) => typeof text === 'string',
  image: ({ data, mimeType }) => typeof data === 'string' && typeof mimeType === 'string',
  audio: ({ data, mimeType }) => typeof data === 'string' && typeof mimeType === 'string',
  resource: ({ resource }) => isObject(resource) && typeof resource['uri'] === 'string',
  resource_link: ({ uri }) => typeof uri === 'string',
}

/** The declared type of a block, if the protocol has it; its fields are unchecked. */
export function blockTypeOf({ type }: Block): BlockType | 'other' {
  return Object.hasOwn(blockFields, type) ? (type as BlockType) : 'other' // a key of the table
}

/** Where a block has its base64: in its own `data`, or in the `blob` of its resource. */
const base64Keys: { readonly [T in BlockType | 'other']: 'data' | 'blob' | undefined } = {
  text: undefined,
  image: 'data',
  audio: 'data',
  resource: 'blob',
  resource_link: undefined,
  other: undefined,
}

/** The key of a block's base64, by its declared type. */
export function base64KeyOf(block: Block): 'data' | 'blob' | undefined {
  return base64Keys[blockTypeOf(block)]
}

/**
 * Whether a block is of this type and complete.
 *
 * @example
 * for (const block of result.blocks) if (isBlock(block, 'image')) show(block.mimeType, block.data)
 */
export function isBlock<T extends BlockType>(
  block: Block,
  type: T,
): block is Extract<KnownBlock, { readonly type: T }> {
  return block.type === type && blockFields[type](block)
}

/** The result of a call. The blocks are kept as received; the text renders them for a model (D-10). */
export interface CallResult {
  readonly text: string
  readonly blocks: readonly Block[]
  readonly structured?: Json
  /** The tool reported a failure, or the server answered with an error. */
  readonly failed: boolean
  readonly rpcError?: { readonly code: number; readonly message: string; readonly data?: Json }
  /** The file with the complete result, if it is too large for a model. */
  readonly spilled?: { readonly path: string; readonly bytes: number }
  /** A part of the result was left out, and no file has it. */
  readonly isIncomplete?: boolean
  /** What was sent, if a person changed the arguments before allowing the call. */
  readonly editedArgs?: JsonObject
  /** Why a person should look at the call: with it, private data could reach strangers (T15). */
  readonly risk?: string
  /**
   * What the scanner found in its text, at medium or above: the text contains instructions, or hides something. Set with
   * `scanResults`; the text is as it was (T16).
   */
  readonly findings?: readonly Finding[]
  /**
   * The result as the server sent it, with known secrets masked: of a call that was passed on for another client (`forward`), of
   * a tool with an app, and of a call of an app.
   */
  readonly raw?: Json
  readonly ref: string
  readonly ms: number
  /** How long a person took to allow it, which is not a part of `ms`. */
  readonly waitedMs?: number
}

/** The size of a result: of the whole text, and of images and sounds. */
export function bytesOfResult({
  text,
  blocks,
  spilled,
  raw,
}: Pick<CallResult, 'text' | 'blocks' | 'spilled' | 'raw'>): number {
  if (spilled) return spilled.bytes
  if (raw !== undefined) return bytesOfRaw(raw)
  const base64 = blocks.reduce((sum, { data }) => sum + (typeof data === 'string' ? data.length : 0), 0)
  return Buffer.byteLength(text) + Math.floor((base64 * 3) / 4)
}

/** Without writing it as JSON again, unless it has no content: most results are one text. */
function bytesOfRaw(raw: Json): number {
  const content = isObject(raw) ? raw['content'] : undefined
  if (!isList(content) || content.length === 0) return Buffer.byteLength(JSON.stringify(raw))
  return content.reduce<number>((sum, block) => sum + (isObject(block) ? bytesOfBlock(block) : 0), 0)
}

function bytesOfBlock({ text, data, blob, resource }: JsonObject): number {
  const base64 = [data, blob].find((each) => typeof each === 'string')
  if (typeof base64 === 'string') return Math.floor((base64.length * 3) / 4)
  if (typeof text === 'string') return Buffer.byteLength(text)
  return isObject(resource) ? bytesOfBlock(resource) : 0
}
