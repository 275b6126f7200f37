export { createMcpExt, mcpExt } from './dispatch/extension.ts'
export type { McpExtOptions, PassedOptions, RequestContext } from './dispatch/extension-options.ts'
export { adaptTool } from './dispatch/tool-contracts.ts'
export { flattenContent } from './dispatch/tool-contracts.ts'
export { framing } from './dispatch/dispatch-framing.ts'
export type { FrameDecoder, Framing } from './dispatch/dispatch-framing.ts'
export { resolveMcpConfig } from './dispatch/dispatch-config.ts'
export type { ResolveConfigOptions, ResolvedConfig } from './dispatch/dispatch-config.ts'
export { toolsFilter } from './dispatch/kernel-contracts.ts'
export type {
  Attributes,
  Capabilities,
  DispatchHost,
  Extension,
  FilterDescriptor,
  Logger,
  Manifest,
  ServiceHandle,
  ToolAssembly,
  ToolContract,
  ToolExecuteContext,
  ToolParameterSchema,
  ToolResult,
} from './dispatch/kernel-contracts.ts'
export { mcpServiceHandle } from './dispatch/mcp-service.ts'
export type {
  ConfigSource,
  ConversationRef,
  McpCallResult,
  McpClient,
  McpContentItem,
  McpServerConfig,
  McpServerStatus,
  McpService,
  McpSkill,
  McpToolInfo,
  ResolvedMcpServer,
} from './dispatch/mcp-service.ts'
