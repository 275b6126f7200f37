import { createRender } from '../../calls/render/render.ts'
import type { Block, CallResult } from '../../index.ts'
import { isObject } from '../../model/json.ts'
import { dispatchPreset } from '../../presets/dispatch.ts'
import type { ToolResult } from './kernel-contracts.ts'
import type { McpContentItem } from './mcp-service.ts'

/** D20: a resource is its text or `[resource: <uri>]`, and no content is an empty text. */
export const renderDispatch = createRender(dispatchPreset.calling.render)

/** D18: the text, and whether it tells of a failure. */
export function toToolResult({ text, failed }: Pick<CallResult, 'text' | 'failed'>): ToolResult {
  return failed ? { content: text, isError: true } : { content: text }
}

/** A call that did not run, or nobody knows whether it did: a model is told, and nothing is thrown. */
export function toFailedResult(error: unknown, redact: (text: string) => string): ToolResult {
  return { content: redact(messageOf(error)), isError: true }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** D20: every item as text, joined by line ends. A client hands on what a server sent, so it may be anything. */
export function flattenContent(content: readonly McpContentItem[]): string {
  const items: unknown = content
  return renderDispatch({ blocks: Array.isArray(items) ? items.filter(isBlock) : [], failed: false })
}

function isBlock(item: unknown): item is Block {
  return isObject(item) && typeof item['type'] === 'string'
}
