import type { PresetMapping, PresetPage } from '../model/preset.ts'

const files: readonly PresetMapping[] = [
  {
    named: '<cwd>/.dispatch/mcp.json, <cwd>/opencode.json',
    ours: 'src/sources/clients/dispatch/dispatch-source.ts',
  },
  { named: 'packages/mcp/', ours: 'plugboard/dispatch', note: 'one import: docs/guide/dispatch.md' },
  { named: 'src/config.ts', ours: 'src/adapters/dispatch/dispatch-config.ts' },
  {
    named: 'src/transport.ts',
    ours: 'src/connections/open-process.ts, src/connections/open-remote.ts',
    note: 'channels: src/wire/stdio.ts, src/wire/http/',
  },
  {
    named: 'src/framing.ts',
    ours: 'src/adapters/dispatch/dispatch-framing.ts',
    note: 'uses src/wire/frames/frames.ts; newline-delimited by default (C1)',
  },
  { named: 'src/rpc.ts', ours: 'src/wire/rpc.ts' },
  { named: 'src/client.ts', ours: 'src/adapters/dispatch/dispatch-server.ts', note: 'uses src/connections/' },
  {
    named: 'src/manager.ts',
    ours: 'src/adapters/dispatch/working-directories.ts, working-directory.ts',
    note: 'one host per working directory: src/host/',
  },
  {
    named: 'src/registry.ts',
    ours: 'src/adapters/dispatch/tool-contracts.ts, turn-tools.ts',
    note: 'names: src/catalog/tool-names.ts; results: src/calls/render/render.ts',
  },
  { named: 'src/types.ts', ours: 'src/adapters/dispatch/mcp-service.ts' },
  { named: 'src/extension.ts', ours: 'src/adapters/dispatch/extension.ts' },
  { named: 'src/index.ts', ours: 'src/adapters/dispatch.ts' },
  { named: 'src/*.test.ts', ours: 'test/systems/dispatch-*.test.ts' },
  {
    named: 'packages/kernel/src/contracts/tool.ts, extension.ts',
    ours: 'src/adapters/dispatch/kernel-contracts.ts',
    note: 'structural types; nothing is imported from Dispatch',
  },
  {
    named: 'packages/session-orchestrator/src/tools-filter.ts',
    ours: 'toolsFilter, ToolAssembly (plugboard/dispatch)',
  },
  { named: 'GLOSSARY.md', ours: 'GLOSSARY.md', note: 'MCP, MCP server, MCP host' },
  {
    named: 'packages/host-bin/src/main.ts: CORE_EXTENSIONS',
    note: 'stays in Dispatch: add mcpExt to it (L10)',
  },
  { named: 'tsconfig.json, bun.lock', note: 'stay in Dispatch: a package needs no project reference (L10)' },
  { named: 'packages/lsp/, .dispatch/lsp.json, lspExt', note: 'another extension, the model for this one' },
  {
    named: '.dispatch/rules/, package-agent.md, extension-agent.md',
    note: 'Dispatch’s rules for its authors',
  },
  { named: 'bin/up', ours: 'test/systems/dispatch-live.test.ts', note: 'the same check (L12)' },
]

const names: readonly PresetMapping[] = [
  { named: 'mcpExt', ours: 'mcpExt, createMcpExt(options) (plugboard/dispatch)' },
  { named: 'activate(host), deactivate()', ours: 'activate(host), deactivate() of mcpExt' },
  { named: 'HostAPI', ours: 'DispatchHost (plugboard/dispatch)', note: 'the methods that are used' },
  {
    named: 'host.defineTool, getTools, addFilter, provideService, defineService',
    ours: 'called by mcpExt; createDispatchHost() (plugboard/testing) has them',
  },
  { named: 'mcpServiceHandle', ours: 'mcpServiceHandle (plugboard/dispatch)' },
  { named: 'toolsFilter, ToolAssembly', ours: 'toolsFilter, ToolAssembly (plugboard/dispatch)' },
  { named: 'ToolContract, ToolResult', ours: 'ToolContract, ToolResult (plugboard/dispatch)' },
  { named: 'ToolParameterSchema', ours: 'ToolContract["parameters"]', note: 'the server’s schema, whole' },
  {
    named: 'resolveTools(), runTurn',
    ours: 'turn() of createDispatchHost()',
    note: 'for tests; the real ones stay in Dispatch',
  },
  {
    named: 'McpManager',
    ours: 'McpService',
    note: 'status(cwd), getClient(serverId, cwd?), shutdownAll()',
  },
  { named: 'initialize(), listTools(), callTool()', ours: 'McpClient (plugboard/dispatch)' },
  { named: 'adaptTool(serverId, mcpTool, client)', ours: 'adaptTool (plugboard/dispatch)' },
  { named: 'flattenContent', ours: 'flattenContent (plugboard/dispatch)' },
  {
    named: 'the mcp tool: list_resources, read_resource',
    ours: 'createMcpExt({ resources: "tool" })',
    note: 'off by default (D21)',
  },
  {
    named: 'prompts as skills',
    ours: 'createMcpExt({ prompts: "skills" }); skills(), readSkill() of McpService',
    note: 'off by default (D21)',
  },
  {
    named: 'sampling/createMessage, roots, elicitation',
    ours: 'createMcpExt({ sample, roots, elicit })',
    note: 'off by default (D22)',
  },
  {
    named: 'the surface that switches servers in a conversation',
    ours: 'switchServer() of McpService',
    note: 'the surface itself stays in Dispatch (D7)',
  },
  {
    named: 'StdioTransport, HttpTransport',
    ours: 'openProcess(), openRemote()',
    note: 'both use the platform given to createMcpExt({ platform })',
  },
  {
    named: 'request, notify, onNotification; writeFn',
    ours: 'Rpc in src/wire/rpc.ts',
    note: 'writes to the Channel it is given',
  },
  {
    named: 'McpServerConfig, McpServerStatus, McpService, McpToolInfo, McpContentItem',
    ours: 'the same names (plugboard/dispatch)',
  },
  {
    named: 'ResolvedMcpServer, shadowed',
    ours: 'resolveMcpConfig(cwd) (plugboard/dispatch)',
    note: 'returns { servers, shadowed, diagnostics }',
  },
  {
    named: 'GET /conversations/:id/lsp-equivalent',
    ours: 'status(cwd) of McpService',
    note: 'the route stays in Dispatch',
  },
  { named: '“send shutdown”', note: 'MCP has no such request: closing stdin ends a server (C15)' },
  { named: '@modelcontextprotocol/sdk', note: 'not used on the wire (D29, C20)' },
]

export const dispatchPage: PresetPage = {
  notes: [
    { id: 'D28', reason: 'its terms are in GLOSSARY.md' },
    { id: 'D29', reason: 'superseded by C20: the wire has no dependency, logins use the official client' },
    {
      id: 'D31',
      reason: 'the files of its module; the table above maps each of them (C34)',
    },
    { id: 'L1', reason: 'superseded: all phases are built, the later ones are off by default' },
    { id: 'L10', reason: 'a remark about its own list of extensions and versions' },
    { id: 'L11', reason: 'how it tests: real processes and pipes, no mocks of our own modules' },
    { id: 'L13', reason: 'its quality gates; ours are types, lint, format and all tests, in one command' },
    { id: 'L14', reason: 'what its first phase leaves out and no other id names' },
  ],
  mappings: [...files, ...names],
}
