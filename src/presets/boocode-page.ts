import type { PresetPage } from '../model/preset.ts'

export const boocodePage: PresetPage = {
  notes: [
    { id: 'P9', reason: 'the document has no switch per session; our host has one (D6)' },
    { id: 'P10', reason: 'superseded by B26: setting one of the variables is a diagnostic' },
    {
      id: 'P17',
      reason: 'left open by the document: the placeholders of C17 are used, and the blocks are kept',
    },
    { id: 'B6', reason: 'the claim about another client’s file is wrong (C2); entries of both formats load' },
    { id: 'B25', reason: 'planned for later; rules and approvals take the place of the permission tables' },
    { id: 'B28', reason: 'a remark about that release' },
  ],
  mappings: [
    {
      named: '/data/mcp.json, data/mcp.json',
      ours: 'the source boocode; src/sources/clients/boocode/boocode-source.ts',
    },
    { named: 'MCP_CONFIG_PATH', ours: 'the source boocode: if set, the only file read' },
    {
      named: '/data/AGENTS.md',
      ours: 'listAgents({ preset: "boocode" }), host.scope({ agent })',
      note: 'also data/AGENTS.md, and the one beside MCP_CONFIG_PATH',
    },
    { named: 'data/mcp.json of the package', ours: 'data/mcp.json', note: 'Context7, disabled' },
    {
      named: '~/.opencode/config.json',
      note: 'opencode has no such file: the source opencode reads its real ones (C2)',
    },
    {
      named: 'config.ts: MCP_CONTEXT7_URL, MCP_CONTEXT7_API_KEY',
      note: 'removed in BooCode as well; setting one is a diagnostic with the entry to paste (B26)',
    },
    { named: 'CHANGELOG', ours: 'CHANGELOG.md', note: 'the migration of B26' },
    {
      named: 'StreamableHTTPClientTransport',
      ours: 'src/wire/http/streamable.ts',
      note: 'our own wire (C20); the same messages',
    },
    {
      named: 'StdioClientTransport',
      ours: 'src/wire/stdio.ts, src/connections/open-process.ts',
      note: 'our own wire (C20); newline-delimited JSON',
    },
    { named: 'initialize()', ours: 'initialize of createBoocodeTools', note: 'returns the host' },
    { named: "app.addHook('onClose')", ours: "app.addHook('onClose', () => host.close())" },
    { named: 'ToolDef', ours: 'ToolDef, McpToolDef of plugboard/boocode' },
    {
      named: 'ToolDef.inputSchema: z.record(z.unknown())',
      ours: 'McpToolDef.inputSchema',
      note: 'zod, a peer',
    },
    { named: 'ToolDef.jsonSchema', ours: 'McpToolDef.jsonSchema', note: 'the server’s schema, unchanged' },
    { named: 'the execute wrapper', ours: 'McpToolDef.execute' },
    {
      named: 'ALL_TOOLS',
      ours: 'ALL_TOOLS of createBoocodeTools',
      note: 'always the same array, sorted in place',
    },
    {
      named: 'TOOLS_BY_NAME',
      ours: 'TOOLS_BY_NAME of createBoocodeTools',
      note: 'a Map, because servers choose the names',
    },
    { named: 'READ_ONLY_TOOL_NAMES', ours: 'READ_ONLY_TOOL_NAMES of createBoocodeTools' },
    { named: 'appendMcpTools(tools)', ours: 'appendMcpTools of createBoocodeTools' },
    {
      named: 'toolToServer',
      ours: 'toolToServer of createBoocodeTools',
      note: 'a Map from name to server and tool',
    },
    { named: 'agents.ts: refreshToolNames()', ours: 'refreshToolNames of createBoocodeTools' },
    { named: 'agents.ts: DEFAULT_TOOLS', ours: 'DEFAULT_TOOLS of createBoocodeTools' },
    { named: 'matchToolGlob', ours: 'matchToolGlob of plugboard/boocode' },
    {
      named: 'stream-phase.ts',
      note: 'stays in BooCode: it filters ALL_TOOLS with matchToolGlob, or uses the tools of host.scope',
    },
    {
      named: 'session.web_search_enabled',
      note: 'stays in BooCode; servers’ tools have no such switch (P9)',
    },
    {
      named: 'permissions, agent_permissions, session_permissions',
      ours: 'the options policy and approve',
      note: 'no tables (B24, B25)',
    },
    {
      named: 'mcp_servers',
      ours: 'host.servers()',
      note: 'no table: kept in memory, discovered again at each start (B24)',
    },
  ],
}
