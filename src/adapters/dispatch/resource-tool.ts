import type { View } from '../../index.ts'
import { isObject } from '../../model/json.ts'
import { toToolResult } from './answers.ts'
import type { ToolContract, ToolResult } from './kernel-contracts.ts'

const ops = ['list_resources', 'read_resource'] as const

/** D21: what servers offer to be read, as one tool. */
export function createResourceTool(execute: ToolContract['execute']): ToolContract {
  return {
    name: 'mcp',
    description: 'Lists and reads the resources of MCP servers.',
    parameters: {
      type: 'object',
      properties: {
        op: { type: 'string', enum: ops, description: 'What to do.' },
        server: { type: 'string', description: 'Only of this server.' },
        query: { type: 'string', description: 'list_resources: only those that hold this text.' },
        uri: { type: 'string', description: 'read_resource: which one.' },
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
  if (!known) return { content: `"op" is one of ${ops.join(', ')}.`, isError: true }
  return toToolResult(await view.call(known, rest, { signal }))
}
