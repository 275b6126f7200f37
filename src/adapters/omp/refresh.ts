import type { CustomTool } from './custom-tool.ts'
import type { MCPLoadResult, MCPManager } from './mcp-manager.ts'

/** An agent's session that replaces its own MCP tools. */
export interface MCPSession {
  refreshMCPTools(tools: CustomTool[]): void | Promise<void>
}

/** Whatever a program keeps its tools in, by name; those of others stay as they are. */
export type ToolRegistry = Map<string, { readonly name: string }>

/** Puts these in the place of every MCP tool there is, in one step; of equal names the last counts (O13, O18). */
export async function refreshMCPTools(
  target: MCPSession | ToolRegistry,
  tools: readonly CustomTool[],
): Promise<void> {
  if (!(target instanceof Map)) return target.refreshMCPTools([...tools])
  for (const [name, tool] of target)
    if (name.startsWith('mcp_') || 'mcpServerName' in tool) target.delete(name)
  for (const tool of tools) target.set(tool.name, tool)
  return undefined
}

/** What omp does after each change of its configuration: everything anew, without a new session (O18). */
export async function reloadMCP(
  manager: MCPManager,
  target: MCPSession | ToolRegistry,
): Promise<MCPLoadResult> {
  await manager.disconnectAll()
  const result = await manager.discoverAndConnect()
  await refreshMCPTools(target, manager.getTools())
  return result
}
