import { renderDispatch } from '../../execution/render/dispatch.ts'
import type { Block, CallResult } from '../../index.ts'
import type { ToolResult } from './contracts.ts'
import type { McpContentItem } from './service.ts'

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

/** D20: every item as text, joined by line ends. */
export function flattenContent(content: readonly McpContentItem[]): string {
  const blocks = content as unknown as readonly Block[] // an item is a block whose fields have been named
  return renderDispatch({ blocks, failed: false })
}
