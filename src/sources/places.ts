import { dirname, join, resolve } from 'node:path'
import {
  claudeManaged,
  crushData,
  gemini,
  geminiSystem,
  mcporterImports,
  opencodeManaged,
  piImports,
  plugboardManaged,
  qwen,
} from './owner-places.ts'
import {
  appData,
  appFile,
  codeUser,
  configHome,
  explicit,
  here,
  home,
  inFolderFromVariable,
  movable,
  markMoved,
  fileFromVariable,
  place,
  configFileOr,
  system,
  upward,
  userOf,
} from './place-builders.ts'
import type { FilePlace, World } from './source.ts'

/** The files of every client, highest rank first. One table, so that `list` can count them without loading a reader. */
const places = {
  plugboard: (w) => [
    ...(w.config === undefined ? [] : [place(resolve(w.cwd, w.config), { ...explicit, root: w.cwd })]),
    ...fileFromVariable(w, 'PLUGBOARD_CONFIG'),
    system(w, plugboardManaged(w), { scope: 'managed', authority: 'managed' }),
    ...upward(w, ['.mcp.json', 'mcp.json']),
    configHome(w, 'plugboard/mcp.json'),
  ],
  boocode: (w) => {
    const path = w.env['MCP_CONFIG_PATH']
    if (path) return [place(resolve(w.cwd, path), { ...explicit, root: w.cwd })]
    return [
      system(w, 'data/mcp.json', { scope: 'system', authority: 'explicit' }),
      place(join(w.cwd, 'data/mcp.json'), { scope: 'project', authority: 'explicit', root: w.cwd }),
    ]
  },
  dispatch: (w) => [here(w, '.dispatch/mcp.json'), here(w, 'opencode.json', { role: 'fallback' })],
  'oh-my-pi': (w) => [
    ...upward(w, ['.omp/mcp.json', '.omp/.mcp.json'], { role: 'native' }),
    // These have a root of their own, so that a new entry goes into ~/.omp/mcp.json, the file that omp documents (O7).
    home(w, '.omp/agent/mcp.json', { role: 'native', root: join(w.home, '.omp/agent') }),
    home(w, '.omp/agent/.mcp.json', { role: 'native', root: join(w.home, '.omp/agent') }),
    home(w, '.omp/mcp.json', { role: 'native' }),
    ...upward(w, ['.claude/.mcp.json', '.claude/mcp.json'], { role: 'claude' }),
    home(w, '.claude.json', { role: 'claude' }),
    home(w, '.claude/mcp.json', { role: 'claude' }),
    ...upward(w, ['.cursor/mcp.json'], { role: 'cursor' }),
    home(w, '.cursor/mcp.json', { role: 'cursor' }),
    ...upward(w, ['.vscode/mcp.json'], { role: 'vscode' }),
    ...upward(w, ['mcp.json', '.mcp.json'], { role: 'root' }),
  ],
  'claude-desktop': (w) => [appFile(w, 'Claude/claude_desktop_config.json')],
  'claude-code': (w) => [
    system(w, claudeManaged(w, 'managed-mcp.json'), { scope: 'managed', authority: 'managed' }),
    system(w, claudeManaged(w, 'managed-settings.json'), {
      scope: 'managed',
      authority: 'managed',
      role: 'managed-settings',
    }),
    ...upward(w, ['.claude/settings.local.json', '.claude/settings.json'], { role: 'settings' }),
    home(w, '.claude/settings.json', { role: 'settings' }),
    ...upward(w, ['.mcp.json']),
    movable(w, 'CLAUDE_CONFIG_DIR', '', '.claude.json', { role: 'main' }),
    home(w, '.claude/plugins/cache/*/*/*/.mcp.json', { scope: 'plugin', role: 'plugin' }),
    home(w, '.claude/plugins/cache/*/*/*/.claude-plugin/plugin.json', {
      scope: 'plugin',
      role: 'plugin',
      names: { key: 'mcpServers', levels: 1 },
    }),
  ],
  cursor: (w) => [...upward(w, ['.cursor/mcp.json']), home(w, '.cursor/mcp.json')],
  vscode: (w) => [
    ...upward(w, ['.vscode/mcp.json']),
    ...upward(w, ['.mcp.json'], { role: 'dotmcp' }),
    codeUser(w, 'mcp.json'),
    codeUser(w, 'profiles/*/mcp.json'),
    codeUser(w, 'mcp.json', 'Code - Insiders'),
  ],
  'visual-studio': (w) => [
    home(w, '.mcp.json'),
    ...upward(w, ['.vs/mcp.json'], { scope: 'project-user' }),
    ...upward(w, ['.mcp.json', '.vscode/mcp.json']),
    ...upward(w, ['.cursor/mcp.json'], { role: 'cursor' }),
  ],
  windsurf: (w) => [
    home(w, '.codeium/windsurf/mcp_config.json'),
    home(w, '.codeium/windsurf-next/mcp_config.json'),
    home(w, '.codeium/mcp_config.json'),
  ],
  'gemini-cli': (w) => [
    geminiSystem(w, gemini, 'settings.json'),
    ...upward(w, ['.gemini/settings.json']),
    home(w, '.gemini/settings.json'),
    geminiSystem(w, gemini, 'system-defaults.json'),
    home(w, '.gemini/extensions/*/gemini-extension.json', { scope: 'extension', role: 'extension' }),
    home(w, '.gemini/mcp-server-enablement.json', { role: 'enablement' }),
  ],
  codex: (w) => [
    system(w, 'etc/codex/managed_config.toml', { scope: 'managed', authority: 'managed' }),
    ...upward(w, ['.codex/config.toml']),
    movable(w, 'CODEX_HOME', '.codex', 'config.toml'),
    system(w, 'etc/codex/config.toml', { scope: 'system', authority: 'managed' }),
  ],
  opencode: (w) => [
    ...opencodeManaged(w),
    ...upward(w, ['.opencode/opencode.json', '.opencode/opencode.jsonc']),
    ...upward(w, ['opencode.json']),
    ...upward(w, ['opencode.jsonc']),
    ...fileFromVariable(w, 'OPENCODE_CONFIG'),
    ...inFolderFromVariable(w, 'OPENCODE_CONFIG_DIR', ['opencode.json', 'opencode.jsonc']),
    // Only here opencode loads the file with comments last.
    configHome(w, 'opencode/opencode.jsonc'),
    configHome(w, 'opencode/opencode.json'),
    configHome(w, 'opencode/config.json'),
  ],
  zed: (w) => [
    ...upward(w, ['.zed/settings.json']),
    w.os === 'win32'
      ? appData(w, 'Zed/settings.json')
      : w.os === 'darwin'
        ? home(w, '.config/zed/settings.json')
        : configHome(w, 'zed/settings.json'),
  ],
  cline: (w) => [
    codeUser(w, 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
    movable(w, 'CLINE_DIR', '.cline', 'data/settings/cline_mcp_settings.json', { role: 'cli' }),
  ],
  'roo-code': (w) => [
    ...upward(w, ['.roo/mcp.json']),
    codeUser(w, 'globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
  ],
  'kilo-code': (w) => [
    ...upward(w, [
      '.kilo/kilo.jsonc',
      '.kilo/kilo.json',
      'kilo.jsonc',
      'kilo.json',
      'opencode.jsonc',
      'opencode.json',
    ]),
    configHome(w, 'kilo/kilo.jsonc'),
    configHome(w, 'kilo/kilo.json'),
    ...upward(w, ['.kilo/mcp.json', '.kilocode/mcp.json'], { role: 'legacy' }),
    { ...codeUser(w, 'globalStorage/kilocode.kilo-code/settings/mcp_settings.json'), role: 'legacy' },
  ],
  goose: (w) => {
    const rooted = inFolderFromVariable(w, 'GOOSE_PATH_ROOT', ['config/config.yaml'])
    if (rooted.length > 0) return rooted
    if (w.os === 'win32') return [appData(w, 'Block/goose/config/config.yaml')]
    return [home(w, '.config/goose/config.yaml')]
  },
  amp: (w) => [
    ...upward(w, ['.amp/settings.jsonc', '.amp/settings.json']),
    home(w, '.config/amp/settings.jsonc'),
    home(w, '.config/amp/settings.json'),
  ],
  continue: (w) => [
    home(w, '.continue/config.yaml'),
    home(w, '.continue/mcpServers/*.yaml'),
    home(w, '.continue/mcpServers/*.json'),
    ...upward(w, [
      // The file for new servers: Continue reads every file of the folder, whatever its name.
      '.continue/mcpServers/mcp.yaml',
      '.continue/mcpServers/*.yaml',
      '.continue/mcpServers/*.yml',
      '.continue/mcpServers/*.json',
    ]),
  ],
  'lm-studio': (w) => [
    home(w, '.lmstudio/mcp.json'),
    home(w, '.cache/lm-studio/mcp.json', { role: 'old-home' }),
  ],
  kiro: (w) => [
    ...upward(w, ['.kiro/settings/mcp.json']),
    home(w, '.kiro/settings/mcp.json'),
    ...upward(w, ['.kiro/agents/*.json'], { scope: 'agent', role: 'agent' }),
    home(w, '.kiro/agents/*.json', { scope: 'agent', role: 'agent' }),
  ],
  junie: (w) => [...upward(w, ['.junie/mcp/mcp.json']), home(w, '.junie/mcp/mcp.json')],
  'copilot-cli': (w) => [
    ...upward(w, ['.mcp.json', '.github/mcp.json']),
    movable(w, 'COPILOT_HOME', '.copilot', 'mcp-config.json'),
  ],
  'copilot-coding-agent': (w) => [
    // The repository's settings are on the web; a pasted copy is read only when --config names it.
    ...(w.config === undefined ? [] : [configFileOr(w, w.config, { scope: 'remote-repo' })]),
    ...upward(w, ['.github/agents/*.md'], { scope: 'agent', role: 'agent', format: 'markdown' }),
  ],
  warp: (w) => [
    home(w, '.warp/.mcp.json'),
    ...upward(w, ['.warp/.mcp.json']),
    home(w, '.agents/.mcp.json', { role: 'shared' }),
    ...upward(w, ['.agents/.mcp.json', '.mcp.json'], { role: 'shared' }),
    home(w, '.claude.json', { role: 'shared' }),
    ...upward(w, ['.codex/config.toml'], { role: 'codex' }),
    home(w, '.codex/config.toml', { role: 'codex' }),
  ],
  'factory-droid': (w) => [
    home(w, '.factory/mcp.json'),
    home(w, '.droid/mcp.json'),
    ...upward(w, ['.factory/mcp.json']),
  ],
  'qwen-code': (w) => [
    geminiSystem(w, qwen, 'settings.json'),
    ...upward(w, ['.qwen/settings.json'], { scope: 'workspace' }),
    ...upward(w, ['.mcp.json'], { role: 'dotmcp' }),
    home(w, '.qwen/settings.json'),
    geminiSystem(w, qwen, 'system-defaults.json'),
  ],
  crush: (w) => [
    ...upward(w, ['.crush.json', 'crush.json']),
    ...crushData(w),
    inFolderFromVariable(w, 'CRUSH_GLOBAL_CONFIG', ['crush.json'])[0] ?? configHome(w, 'crush/crush.json'),
    system(w, 'etc/crush/crush.json', { scope: 'system', authority: 'managed' }),
  ],
  mcporter: (w) => [
    ...fileFromVariable(w, 'MCPORTER_CONFIG'),
    ...upward(w, ['config/mcporter.json', 'config/mcporter.jsonc']),
    home(w, '.mcporter/mcporter.json'),
    home(w, '.mcporter/mcporter.jsonc'),
    ...mcporterImports(w),
  ],
  pi: (w) => [
    ...upward(w, ['.pi/mcp.json', '.mcp.json']),
    movable(w, 'PI_CODING_AGENT_DIR', '.pi/agent', 'mcp.json'),
    home(w, '.agents/mcp.json', { scope: 'shared-user' }),
    home(w, '.agents/mcp/mcp.json', { scope: 'shared-user' }),
    home(w, '.config/mcp/mcp.json', { scope: 'shared-user' }),
    ...piImports(w),
  ],
  inspector: (w) => {
    const usual = home(w, '.mcp-inspector/mcp.json')
    const path = w.env['MCP_CATALOG_PATH']
    return [path ? markMoved(w, place(resolve(w.cwd, path), userOf(w)), usual.path) : usual]
  },
  'sep-2633': (w) => upward(w, ['mcp.json']),
  // Files to add servers from: they are read when --config names them, and never discovered.
  'registry-server-json': (w) => [configFileOr(w, 'server.json', { scope: 'template' })],
  mcpb: (w) => [configFileOr(w, 'manifest.json', { scope: 'bundle' })],
  'agent-plugins': (w) => {
    const mcp = configFileOr(w, 'mcp.json', { scope: 'plugin' })
    return [mcp, { ...mcp, path: join(dirname(mcp.path), 'plugin.json'), role: 'manifest' }]
  },
} satisfies Record<string, (world: World) => readonly FilePlace[]>

export type SourceId = keyof typeof places

export const sourceIds = Object.keys(places) as readonly SourceId[] // the keys of a literal

/** Sources that are never discovered: their files are read only when `--config` or a command names them. */
export const namedOnly: ReadonlySet<SourceId> = new Set<SourceId>([
  'registry-server-json',
  'mcpb',
  'agent-plugins',
])

/** Sources whose row in the table handles `--config` itself. */
const readsConfig: ReadonlySet<SourceId> = new Set<SourceId>([
  'plugboard',
  'copilot-coding-agent',
  ...namedOnly,
])

/** The places of a source's files. A file of `--config` ranks first and is read in the source's dialect. */
export function placesOf(id: SourceId, w: World): readonly FilePlace[] {
  if (w.config === undefined || readsConfig.has(id)) return places[id](w)
  return [place(resolve(w.cwd, w.config), { ...explicit, root: w.cwd }), ...places[id](w)]
}
