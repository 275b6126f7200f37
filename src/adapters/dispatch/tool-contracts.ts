import { flattenContent, toFailedResult, toToolResult } from './answers.ts'
import type { ToolContract, ToolParameterSchema } from './kernel-contracts.ts'
import type { McpClient, McpToolInfo } from './mcp-service.ts'

/**
 * L7: a tool of a server as a tool of Dispatch. It calls through whoever is given as the client; nothing else is
 * needed for it, and nothing is thrown.
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
        const { content, isError = false } = await client.callTool(name, args, signal)
        return toToolResult({ text: flattenContent(content), failed: isError })
      } catch (error) {
        return toFailedResult(error, (text) => text)
      }
    },
    concurrencySafe: false,
  }
}

/** D18: passed through as a whole, `$defs` and all. */
export function toParameters(inputSchema: McpToolInfo['inputSchema']): ToolParameterSchema {
  // A connection lets no definition through whose schema is not of an object.
  return inputSchema as ToolParameterSchema
}
