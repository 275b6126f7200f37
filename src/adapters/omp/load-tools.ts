import type { CustomTool } from './custom-tool.ts'
import type { MCPSource } from './omp-configs.ts'
import { MCPManager } from './mcp-manager.ts'
import type { MCPManagerOptions } from './mcp-manager.ts'

export interface LoadedMCPTool {
  /** `mcp:<server> via <whose file>` */
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

/** All tools of all servers, and why some have none; for programs without a person in front of them (O19). */
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
