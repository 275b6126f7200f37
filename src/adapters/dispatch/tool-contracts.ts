import type { CallLine } from '../../calls/call-line.ts'
import { createRender } from '../../calls/render/render.ts'
import type { Block, CallResult, View } from '../../index.ts'
import { isObject } from '../../model/json.ts'
import { dispatchPreset } from '../../presets/dispatch-preset.ts'
import type { ToolContract, ToolParameterSchema, ToolResult } from './kernel-contracts.ts'
import type { McpClient, McpContentItem, McpToolInfo } from './mcp-service.ts'

/**
 * L7: a server's tool as a Dispatch tool. It depends only on the given client; `execute` never throws.
 */
export function adaptTool(
  serverId: string,
  { name, description = '', inputSchema }: McpToolInfo,
  client: Pick<McpClient, 'callTool'>,
): ToolContract {
  return {
    name: `${serverId}__${name}`,
    description: `[${serverId}] ${description}`,
    parameters: toParameters(inputSchema),
    async execute(args, { signal }) {
      try {
        const call = () => client.callTool(name, args, signal)
        const { content, isError = false } = await (await lineOf(client)).run({ kind: 'alone', signal }, call)
        return toToolResult({ text: flattenContent(content), failed: isError })
      } catch (error) {
        return toFailedResult(error, (text) => text)
      }
    },
    concurrencySafe: false,
  }
}

/** D19: the calls of one client wait for each other. */
const lines = new WeakMap<object, Promise<CallLine>>()

function lineOf(client: Pick<McpClient, 'callTool'>): Promise<CallLine> {
  const line = lines.get(client) ?? createLine()
  lines.set(client, line)
  return line
}

/** Imported on demand: importing the extension loads nothing of connections. */
async function createLine(): Promise<CallLine> {
  const loaded = await import('../../calls/call-line.ts')
  return new loaded.CallLine()
}

/** D18: the whole schema is passed through, including `$defs`. */
export function toParameters(inputSchema: McpToolInfo['inputSchema']): ToolParameterSchema {
  // The connection drops definitions whose schema is not of type "object".
  return inputSchema as ToolParameterSchema
}

const ops = ['list_resources', 'read_resource'] as const

/** D21: the servers' resources as one tool. */
export function createResourceTool(execute: ToolContract['execute']): ToolContract {
  return {
    name: 'mcp',
    description: 'Lists and reads the resources of MCP servers.',
    parameters: {
      type: 'object',
      properties: {
        op: { type: 'string', enum: ops, description: 'The operation.' },
        server: { type: 'string', description: 'Only resources of this server.' },
        query: { type: 'string', description: 'list_resources: only resources that contain this text.' },
        uri: { type: 'string', description: 'read_resource: the address of the resource.' },
      },
      required: ['op'],
      additionalProperties: false,
    },
    execute,
    concurrencySafe: false,
  }
}

export async function runResourceOp(view: View, args: unknown, signal: AbortSignal): Promise<ToolResult> {
  const { op, ...rest } = isObject(args) ? args : { op: undefined }
  const known = ops.find((each) => each === op)
  if (!known) return { content: `"op" must be one of ${ops.join(', ')}.`, isError: true }
  return toToolResult(await view.call(known, rest, { signal, isSerial: true }))
}

/** D20: a resource is its text or `[resource: <uri>]`, and no content is an empty text. */
export const renderDispatch = createRender(dispatchPreset.calling.render)

/** D18: the text, and whether the call failed. */
export function toToolResult({ text, failed }: Pick<CallResult, 'text' | 'failed'>): ToolResult {
  return failed ? { content: text, isError: true } : { content: text }
}

/** For a call that did not run, or may not have run: the model gets the message, and nothing is thrown. */
export function toFailedResult(error: unknown, redact: (text: string) => string): ToolResult {
  return { content: redact(messageOf(error)), isError: true }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** D20: all items as text, joined by newlines. The content comes from the server unchecked, so it may be anything. */
export function flattenContent(content: readonly McpContentItem[]): string {
  const items: unknown = content
  return renderDispatch({ blocks: Array.isArray(items) ? items.filter(isBlock) : [], failed: false })
}

function isBlock(item: unknown): item is Block {
  return isObject(item) && typeof item['type'] === 'string'
}
