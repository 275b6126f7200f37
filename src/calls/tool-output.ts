import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
import { base64KeyOf } from '../model/result.ts'
import type { Block } from '../model/result.ts'

/** The output of a call, before it is limited and rendered. */
export interface Output {
  readonly blocks: readonly Block[]
  readonly structured?: Json
  readonly failed: boolean
  /** The result as it came, if it is passed on, or shown by an app. */
  readonly raw?: Json
  /** The server answered with an error instead of a result. */
  readonly rpcError?: { readonly code: number; readonly message: string; readonly data?: Json }
}

/** Reads the result of `tools/call`. Many servers send malformed results; nothing they send is dropped. */
export function readOutput(result: Json): Output {
  if (!isObject(result)) return { blocks: [toBlock(result)], failed: false }
  const { content, structuredContent, toolResult } = result
  const structured = structuredContent ?? toolResult ?? undefined
  const list = listOf(content)
  const blocks = isBlocks(list) ? list : list.map(toBlock)
  const failed = result['isError'] === true
  return structured === undefined ? { blocks, failed } : { blocks, structured, failed }
}

function listOf(content: Json | undefined): readonly Json[] {
  if (content === undefined || content === null) return []
  return Array.isArray(content) ? (content as readonly Json[]) : [content] // isArray does not narrow a readonly union
}

function isBlocks(list: readonly Json[]): list is readonly Block[] {
  return list.every((item) => isObject(item) && isBlock(item))
}

function toBlock(item: Json): Block {
  if (typeof item === 'string') return { type: 'text', text: item }
  if (!isObject(item)) return { type: 'unknown', value: item }
  return isBlock(item) ? item : { ...item, type: 'unknown' }
}

function isBlock(item: JsonObject): item is Block {
  return typeof item['type'] === 'string'
}

type RpcError = NonNullable<Output['rpcError']>

/** Masks secrets: a server may return those that it was given, and they must not leave the host (D-9). */
export function maskOutput(output: Output, mask: Mask): Output {
  const { blocks, structured, rpcError, raw } = output
  return {
    ...output,
    blocks: blocks.map((block) => maskBlock(block, mask)),
    ...(structured !== undefined && { structured: maskTexts(structured, mask) }),
    ...(rpcError && { rpcError: maskError(rpcError, mask) }),
    ...(raw !== undefined && { raw: maskTexts(raw, mask, true) }),
  }
}

function maskBlock(block: Block, mask: Mask): Block {
  // Base64 is data and not text.
  const hasBytes = base64KeyOf(block) !== undefined
  return maskTexts(block, mask, hasBytes) as Block // masking changes only strings
}

function maskError({ code, message, data }: RpcError, mask: Mask): RpcError {
  return { code, message: mask(message), ...(data !== undefined && { data: maskTexts(data, mask) }) }
}
