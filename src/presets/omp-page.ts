import type { PresetMapping, PresetPage } from '../model/preset.ts'

const files: readonly PresetMapping[] = [
  {
    named: 'src/mcp/types.ts',
    ours: 'src/adapters/omp/omp-server-config.ts',
    note: 'canonical: src/model/server.ts',
  },
  { named: 'src/mcp/config.ts', ours: 'src/adapters/omp/omp-configs.ts, omp-server-config.ts' },
  { named: 'src/mcp/config-writer.ts', ours: 'src/adapters/omp/omp-config-file.ts' },
  {
    named: 'src/mcp/tool-bridge.ts',
    ours: 'src/adapters/omp/custom-tool.ts',
    note: 'names: src/catalog/tool-names.ts',
  },
  { named: 'src/mcp/manager.ts', ours: 'src/adapters/omp/mcp-manager.ts', note: 'uses src/host/' },
  { named: 'src/mcp/loader.ts', ours: 'src/adapters/omp/load-tools.ts' },
  {
    named: 'src/discovery/mcp-json.ts',
    ours: 'src/sources/clients/oh-my-pi/oh-my-pi.ts',
    note: 'its places: src/sources/places.ts',
  },
  {
    named: 'src/capability/index.ts',
    ours: 'src/config/discover.ts',
    note: 'merging: src/config/merge-readings.ts',
  },
  {
    named: 'src/config/resolve-config-value.ts',
    ours: 'src/config/values/resolve-values.ts, command-values.ts',
  },
  {
    named: 'src/modes/controllers/mcp-command-controller.ts',
    ours: 'src/surfaces/cli/, src/surfaces/shell/',
    note: 'add, remove or rm, enable, disable, test, reauth, unauth, reload',
  },
]

const names: readonly PresetMapping[] = [
  { named: 'MCPServer', ours: 'Server (plugboard)' },
  { named: 'MCPServerConfig', ours: 'MCPServerConfig (plugboard/omp)' },
  { named: 'validateServerConfig()', ours: 'validateServerConfig() (plugboard/omp)' },
  { named: 'loadAllMCPConfigs()', ours: 'loadAllMCPConfigs() (plugboard/omp)' },
  { named: 'loadCapability(mcpCapability.id)', ours: 'discover({ preset: "omp" })' },
  { named: 'convertToLegacyConfig()', ours: 'toConfig() in src/adapters/omp/omp-configs.ts' },
  {
    named: 'expandEnvVarsDeep()',
    ours: 'expandEnvVarsDeep() in src/adapters/omp/omp-configs.ts',
    note: 'for a connection: src/config/values/resolve-values.ts, only for trusted entries',
  },
  { named: 'writeMCPConfigFile()', ours: 'writeMCPConfigFile() (plugboard/omp)', note: 'keeps comments' },
  { named: 'MCPManager', ours: 'MCPManager (plugboard/omp)' },
  { named: 'MCPManager.prepareConfig()', ours: 'resolveServer() (plugboard/config)' },
  { named: 'MCPManager.#resolveAuthConfig()', ours: 'withCredential() in src/login/named-credential.ts' },
  {
    named: 'auth storage',
    ours: 'createHost({ credentials })',
    note: 'a function from credentialId to token',
  },
  { named: 'resolveConfigValue()', ours: 'resolveValues() in src/config/values/resolve-values.ts' },
  {
    named: 'createHttpTransport',
    ours: 'openRemote() in src/connections/open-remote.ts',
    note: 'sse tries real HTTP+SSE first (C6)',
  },
  { named: 'mcpManager.discoverAndConnect()', ours: 'MCPManager.discoverAndConnect()' },
  { named: 'mcpManager.disconnectAll()', ours: 'MCPManager.disconnectAll()' },
  { named: 'mcpManager.getTools()', ours: 'MCPManager.getTools()' },
  { named: 'MCPTool, DeferredMCPTool', ours: 'MCPTool, DeferredMCPTool (plugboard/omp)' },
  { named: 'CustomTool', ours: 'CustomTool (plugboard/omp)', note: 'the fields a server’s tool needs' },
  {
    named: 'convertSchema()',
    ours: 'properties: "always" of the preset',
    note: 'src/catalog/offered-tool.ts',
  },
  { named: 'ToolAbortError', ours: 'ToolAbortError (plugboard/omp)' },
  { named: '#reloadMCP()', ours: 'reloadMCP(manager, session) (plugboard/omp)' },
  { named: 'session.refreshMCPTools()', ours: 'refreshMCPTools(session or registry, tools) (plugboard/omp)' },
  { named: 'AgentSession', note: 'stays in omp: anything with refreshMCPTools(), or a Map by name' },
  { named: 'discoverAndLoadMCPTools()', ours: 'discoverAndLoadMCPTools() (plugboard/omp)' },
]

export const ompPage: PresetPage = {
  notes: [{ id: 'O22', reason: 'advice for authors: docs/guide/authoring.md' }],
  mappings: [...files, ...names],
}
