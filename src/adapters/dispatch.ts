export { createMcpExt, mcpExt } from './dispatch/extension.ts'
export type { McpExtOptions } from './dispatch/options.ts'
export { adaptTool } from './dispatch/adapt-tool.ts'
export { flattenContent } from './dispatch/answers.ts'
export { framing } from './dispatch/framing.ts'
export { resolveMcpConfig } from './dispatch/resolve-config.ts'
export type { ResolveConfigOptions, ResolvedConfig } from './dispatch/resolve-config.ts'
export { toolsFilter } from './dispatch/contracts.ts'
export type {
  DispatchHost,
  Extension,
  Logger,
  Manifest,
  ToolAssembly,
  ToolContract,
  ToolExecuteContext,
  ToolResult,
} from './dispatch/contracts.ts'
export { mcpServiceHandle } from './dispatch/service.ts'
export type {
  ConfigSource,
  McpCallResult,
  McpClient,
  McpContentItem,
  McpServerConfig,
  McpServerStatus,
  McpService,
  McpSkill,
  McpToolInfo,
  ResolvedMcpServer,
} from './dispatch/service.ts'
