import type { CustomTool } from './custom-tool.ts'
import { MCPManager } from './mcp-manager.ts'
import type { MCPLoadResult, MCPManagerOptions } from './mcp-manager.ts'
import type { MCPSource } from './omp-configs.ts'

export interface LoadedMCPTool {
  /** `mcp:<server> via <provider name>` */
  readonly path: string
  readonly resolvedPath: string
  readonly tool: CustomTool
  readonly source?: MCPSource
}

export interface MCPToolsLoadResult {
  readonly manager: MCPManager
  readonly tools: LoadedMCPTool[]
  readonly errors: { readonly path: string; readonly error: string }[]
  readonly connectedServers: string[]
}

/** All tools of all servers, with an error for each server that has none; also for programs without a user interface (O19). */
export async function discoverAndLoadMCPTools(
  cwd: string,
  options: MCPManagerOptions = {},
): Promise<MCPToolsLoadResult> {
  const manager = new MCPManager(cwd, options)
  try {
    const { tools, errors, connectedServers } = await manager.discoverAndConnect()
    return {
      manager,
      tools: tools.map((tool) => toLoaded(tool, manager)),
      errors: [...errors].map(([server, error]) => ({ path: `mcp:${server}`, error })),
      connectedServers,
    }
  } catch (error) {
    await manager.disconnectAll()
    throw error
  }
}

function toLoaded(tool: CustomTool, manager: MCPManager): LoadedMCPTool {
  const source = manager.getSource(tool.mcpServerName)
  const via = source ? ` via ${source.providerName}` : ''
  return {
    path: `mcp:${tool.mcpServerName}${via}`,
    resolvedPath: `mcp:${tool.name}`,
    tool,
    ...(source && { source }),
  }
}

/** An agent's session that replaces its own MCP tools. */
export interface MCPSession {
  refreshMCPTools(tools: CustomTool[]): void | Promise<void>
}

/** A program's tools by name. Tools that are not MCP tools stay as they are. */
export type ToolRegistry = Map<string, { readonly name: string }>

/** Replaces all MCP tools of the target at once; of tools with equal names the last one counts (O13, O18). */
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

/** Reconnects everything in the same session, as omp does after each change of its configuration (O18). */
export async function reloadMCP(
  manager: MCPManager,
  target: MCPSession | ToolRegistry,
): Promise<MCPLoadResult> {
  await manager.disconnectAll()
  const result = await manager.discoverAndConnect()
  await refreshMCPTools(target, manager.getTools())
  return result
}
