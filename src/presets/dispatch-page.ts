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
    note: 'over src/wire/frames/frames.ts; lines by default (C1)',
  },
  { named: 'src/rpc.ts', ours: 'src/wire/rpc.ts' },
  { named: 'src/client.ts', ours: 'src/adapters/dispatch/dispatch-server.ts', note: 'over src/connections/' },
  {
    named: 'src/manager.ts',
    ours: 'src/adapters/dispatch/working-directories.ts, working-directory.ts',
    note: 'one host for each working directory: src/host/',
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
    note: 'their shapes alone; nothing of Dispatch is imported',
  },
  {
    named: 'packages/session-orchestrator/src/tools-filter.ts',
    ours: 'toolsFilter, ToolAssembly (plugboard/dispatch)',
  },
  { named: 'GLOSSARY.md', ours: 'GLOSSARY.md', note: 'MCP, MCP server, MCP host' },
  {
    named: 'packages/host-bin/src/main.ts: CORE_EXTENSIONS',
    note: 'stays Dispatch’s: mcpExt is put into it (L10)',
  },
  { named: 'tsconfig.json, bun.lock', note: 'stay Dispatch’s: a package needs no project reference (L10)' },
  { named: 'packages/lsp/, .dispatch/lsp.json, lspExt', note: 'another extension: the model of this one' },
  {
    named: '.dispatch/rules/, package-agent.md, extension-agent.md',
    note: 'Dispatch’s rules for its authors',
  },
  { named: 'bin/up', ours: 'test/systems/dispatch-live.test.ts', note: 'the same check (L12)' },
]

const names: readonly PresetMapping[] = [
  { named: 'mcpExt', ours: 'mcpExt, createMcpExt(options) (plugboard/dispatch)' },
  { named: 'activate(host), deactivate()', ours: 'activate(host), deactivate() of mcpExt' },
  { named: 'HostAPI', ours: 'DispatchHost (plugboard/dispatch)', note: 'the calls that are used' },
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
    note: 'for tests; theirs stay Dispatch’s',
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
    note: 'the surface itself stays Dispatch’s (D7)',
  },
  {
    named: 'StdioTransport, HttpTransport',
    ours: 'openProcess(), openRemote()',
    note: 'programs and addresses are opened by the platform that createMcpExt({ platform }) is given',
  },
  {
    named: 'request, notify, onNotification; writeFn',
    ours: 'Rpc in src/wire/rpc.ts',
    note: 'the way to write is a Channel that is passed in',
  },
  {
    named: 'McpServerConfig, McpServerStatus, McpService, McpToolInfo, McpContentItem',
    ours: 'the same names (plugboard/dispatch)',
  },
  {
    named: 'ResolvedMcpServer, shadowed',
    ours: 'resolveMcpConfig(cwd) (plugboard/dispatch)',
    note: 'gives { servers, shadowed, diagnostics }',
  },
  {
    named: 'GET /conversations/:id/lsp-equivalent',
    ours: 'status(cwd) of McpService',
    note: 'the route stays Dispatch’s',
  },
  { named: '“send shutdown”', note: 'MCP has no such request: the end of its input says it (C15)' },
  { named: '@modelcontextprotocol/sdk', note: 'not on the wire (D29, C20)' },
]

export const dispatchPage: PresetPage = {
  notes: [
    { id: 'D28', reason: 'its words are in GLOSSARY.md' },
    { id: 'D29', reason: 'superseded by C20: the wire has no dependency, logins use the official client' },
    {
      id: 'D31',
      reason: 'the files of its module; the table of names says where each one’s work is done (C34)',
    },
    { id: 'L1', reason: 'superseded: all phases are built, the later ones are off until asked for' },
    { id: 'L10', reason: 'a remark about its own list of extensions and versions' },
    { id: 'L11', reason: 'its way of testing: real processes and pipes, no stand-ins for our own parts' },
    { id: 'L13', reason: 'its gates; ours are types, lint, format and every test, in one command' },
    { id: 'L14', reason: 'what its first phase left out, where no other id names it' },
  ],
  mappings: [...files, ...names],
}
