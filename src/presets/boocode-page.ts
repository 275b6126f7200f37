import type { PresetPage } from '../model/preset.ts'

export const boocodePage: PresetPage = {
  notes: [
    { id: 'P9', reason: 'no switch for a session, as the document says; hosts of ours have one (D6)' },
    { id: 'P10', reason: 'superseded by B26: setting one of the variables is a diagnostic' },
    { id: 'P17', reason: 'what the document leaves open: placeholders of C17, and the blocks are kept' },
    { id: 'B6', reason: 'the claim about another client’s file is wrong (C2); entries of either load' },
    { id: 'B25', reason: 'later there; our rules and approvals stand for the permission tables' },
    { id: 'B28', reason: 'a remark about that release' },
  ],
  mappings: [
    {
      named: '/data/mcp.json, data/mcp.json',
      ours: 'the source boocode; src/sources/clients/boocode/boocode-source.ts',
    },
    { named: 'MCP_CONFIG_PATH', ours: 'the source boocode: the only file read where it is set' },
    {
      named: '/data/AGENTS.md',
      ours: 'listAgents({ preset: "boocode" }), host.scope({ agent })',
      note: 'also data/AGENTS.md, and the one beside MCP_CONFIG_PATH',
    },
    { named: 'data/mcp.json of the package', ours: 'data/mcp.json', note: 'Context7, disabled' },
    {
      named: '~/.opencode/config.json',
      note: 'no such file there: the source opencode reads the real ones (C2)',
    },
    {
      named: 'config.ts: MCP_CONTEXT7_URL, MCP_CONTEXT7_API_KEY',
      note: 'deleted there, too; setting one is a diagnostic with the entry to paste (B26)',
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
      note: 'our own wire (C20); lines of JSON',
    },
    { named: 'initialize()', ours: 'initialize of createBoocodeTools', note: 'gives the host' },
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
      note: 'one list for good, sorted in place',
    },
    {
      named: 'TOOLS_BY_NAME',
      ours: 'TOOLS_BY_NAME of createBoocodeTools',
      note: 'a Map: names are the servers’',
    },
    { named: 'READ_ONLY_TOOL_NAMES', ours: 'READ_ONLY_TOOL_NAMES of createBoocodeTools' },
    { named: 'appendMcpTools(tools)', ours: 'appendMcpTools of createBoocodeTools' },
    { named: 'toolToServer', ours: 'toolToServer of createBoocodeTools', note: 'a Map to server and tool' },
    { named: 'agents.ts: refreshToolNames()', ours: 'refreshToolNames of createBoocodeTools' },
    { named: 'agents.ts: DEFAULT_TOOLS', ours: 'DEFAULT_TOOLS of createBoocodeTools' },
    { named: 'matchToolGlob', ours: 'matchToolGlob of plugboard/boocode' },
    {
      named: 'stream-phase.ts',
      note: 'stays BooCode’s: it filters ALL_TOOLS with matchToolGlob, or takes the tools of host.scope',
    },
    { named: 'session.web_search_enabled', note: 'BooCode’s own; tools of servers have no such switch (P9)' },
    {
      named: 'permissions, agent_permissions, session_permissions',
      ours: 'the options policy and approve',
      note: 'no tables (B24, B25)',
    },
    {
      named: 'mcp_servers',
      ours: 'host.servers()',
      note: 'no table: in memory, found anew at each start (B24)',
    },
  ],
}
