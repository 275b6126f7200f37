export { loadAllMCPConfigs } from './omp/omp-configs.ts'
export type { MCPConfigOptions, MCPConfigs, MCPSource } from './omp/omp-configs.ts'
export { validateServerConfig, validateServerName } from './omp/omp-server-config.ts'
export type {
  MCPAuthConfig,
  MCPConfigFile,
  MCPHttpServerConfig,
  MCPServerConfig,
  MCPSseServerConfig,
  MCPStdioServerConfig,
  SharedConfig,
} from './omp/omp-server-config.ts'
export {
  addMCPServer,
  getMCPServer,
  listMCPServers,
  readMCPConfigFile,
  removeMCPServer,
  setServerDisabled,
  updateMCPServer,
  writeMCPConfigFile,
} from './omp/omp-config-file.ts'
export { DeferredMCPTool, MCPTool, ToolAbortError } from './omp/custom-tool.ts'
export type { CustomTool, CustomToolContent, CustomToolResult, MCPToolDetails } from './omp/custom-tool.ts'
export { MCPManager } from './omp/mcp-manager.ts'
export type { MCPLoadResult, MCPManagerOptions, MCPStatusEvent } from './omp/mcp-manager.ts'
export { discoverAndLoadMCPTools } from './omp/load-tools.ts'
export type { LoadedMCPTool, MCPToolsLoadResult } from './omp/load-tools.ts'
export { refreshMCPTools, reloadMCP } from './omp/load-tools.ts'
export type { MCPSession, ToolRegistry } from './omp/load-tools.ts'
export { ompWords } from '../presets/omp-words.ts'
