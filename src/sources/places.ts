import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Authority } from '../model/server.ts'
import type { Format } from './format/doc.ts'
import type { FilePlace, World } from './source.ts'

/** Where every client keeps its files, highest in rank first. One table, so that `list` can count them without loading a reader. */
const places = {
  plugboard: (w) => [
    ...(w.config === undefined ? [] : [place(resolve(w.cwd, w.config), { ...explicit, root: w.cwd })]),
    ...namedForUs(w),
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
    home(w, '.omp/agent/mcp.json', { role: 'native' }),
    home(w, '.omp/agent/.mcp.json', { role: 'native' }),
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
    place(
      w.env['CLAUDE_CONFIG_DIR']
        ? join(w.env['CLAUDE_CONFIG_DIR'], '.claude.json')
        : join(w.home, '.claude.json'),
      {
        scope: 'user',
        authority: 'user',
        root: w.home,
        role: 'main',
      },
    ),
    home(w, '.claude/plugins/cache/*/*/*/.mcp.json', { scope: 'plugin', role: 'plugin' }),
    home(w, '.claude/plugins/cache/*/*/*/.claude-plugin/plugin.json', { scope: 'plugin', role: 'plugin' }),
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
    place(join(w.env['CODEX_HOME'] ?? join(w.home, '.codex'), 'config.toml'), userOf(w)),
    system(w, 'etc/codex/config.toml', { scope: 'system', authority: 'managed' }),
  ],
  opencode: (w) => [
    ...opencodeManaged(w),
    ...upward(w, ['.opencode/opencode.jsonc', '.opencode/opencode.json', 'opencode.jsonc', 'opencode.json']),
    ...named(w, 'OPENCODE_CONFIG'),
    ...(w.env['OPENCODE_CONFIG_DIR']
      ? ['opencode.jsonc', 'opencode.json'].map((file) =>
          place(join(w.env['OPENCODE_CONFIG_DIR'] ?? '', file), userOf(w)),
        )
      : []),
    configHome(w, 'opencode/opencode.jsonc'),
    configHome(w, 'opencode/opencode.json'),
    configHome(w, 'opencode/config.json'),
  ],
  zed: (w) => [
    ...upward(w, ['.zed/settings.json']),
    w.os === 'win32'
      ? place(join(appData(w), 'Zed/settings.json'), userOf(w))
      : w.os === 'darwin'
        ? home(w, '.config/zed/settings.json')
        : configHome(w, 'zed/settings.json'),
  ],
  cline: (w) => [
    codeUser(w, 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
    place(
      join(w.env['CLINE_DIR'] ?? join(w.home, '.cline'), 'data/settings/cline_mcp_settings.json'),
      userOf(w, { role: 'cli' }),
    ),
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
    const root = w.env['GOOSE_PATH_ROOT']
    if (root) return [place(join(root, 'config/config.yaml'), userOf(w))]
    if (w.os === 'win32') return [place(join(appData(w), 'Block/goose/config/config.yaml'), userOf(w))]
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
    place(join(w.env['COPILOT_HOME'] ?? join(w.home, '.copilot'), 'mcp-config.json'), userOf(w)),
  ],
  'copilot-coding-agent': (w) => [
    // The repository's settings live on the web; a pasted copy is read where a person names it.
    ...(w.config === undefined ? [] : [pointedAt(w, w.config, { scope: 'remote-repo' })]),
    ...upward(w, ['.github/agents/*.md'], { scope: 'agent', role: 'agent', format: 'markdown' }),
  ],
  warp: (w) => [
    home(w, '.warp/.mcp.json'),
    ...upward(w, ['.warp/.mcp.json']),
    home(w, '.agents/.mcp.json', { role: 'shared' }),
    ...upward(w, ['.agents/.mcp.json', '.mcp.json'], { role: 'shared' }),
    home(w, '.claude.json', { role: 'shared' }),
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
    w.env['CRUSH_GLOBAL_CONFIG']
      ? place(join(w.env['CRUSH_GLOBAL_CONFIG'], 'crush.json'), userOf(w))
      : configHome(w, 'crush/crush.json'),
    system(w, 'etc/crush/crush.json', { scope: 'system', authority: 'managed' }),
  ],
  mcporter: (w) => [
    ...named(w, 'MCPORTER_CONFIG'),
    ...upward(w, ['config/mcporter.json', 'config/mcporter.jsonc']),
    home(w, '.mcporter/mcporter.json'),
    home(w, '.mcporter/mcporter.jsonc'),
    ...upward(w, ['.cursor/mcp.json'], { scope: 'import:cursor', role: 'import:cursor' }),
    home(w, '.cursor/mcp.json', { scope: 'import:cursor', role: 'import:cursor' }),
    home(w, '.claude.json', { scope: 'import:claude-code', role: 'import:claude-code' }),
    {
      ...appFile(w, 'Claude/claude_desktop_config.json'),
      scope: 'import:claude-desktop',
      role: 'import:claude-desktop',
    },
    home(w, '.codex/config.toml', { scope: 'import:codex', role: 'import:codex' }),
    home(w, '.codeium/windsurf/mcp_config.json', { scope: 'import:windsurf', role: 'import:windsurf' }),
    ...upward(w, ['opencode.jsonc', 'opencode.json'], { scope: 'import:opencode', role: 'import:opencode' }),
    ...upward(w, ['.vscode/mcp.json'], { scope: 'import:vscode', role: 'import:vscode' }),
  ],
  pi: (w) => [
    ...upward(w, ['.pi/mcp.json', '.mcp.json']),
    place(join(w.env['PI_CODING_AGENT_DIR'] ?? join(w.home, '.pi/agent'), 'mcp.json'), userOf(w)),
    home(w, '.agents/mcp.json', { scope: 'shared-user' }),
    home(w, '.agents/mcp/mcp.json', { scope: 'shared-user' }),
    home(w, '.config/mcp/mcp.json', { scope: 'shared-user' }),
    ...piImports(w),
  ],
  inspector: (w) => [
    place(resolve(w.cwd, w.env['MCP_CATALOG_PATH'] ?? join(w.home, '.mcp-inspector/mcp.json')), userOf(w)),
  ],
  'sep-2633': (w) => upward(w, ['mcp.json']),
  // Things one adds from: they are read where a person names them, and found nowhere by themselves.
  'registry-server-json': (w) => [pointedAt(w, 'server.json', { scope: 'template' })],
  mcpb: (w) => [pointedAt(w, 'manifest.json', { scope: 'bundle' })],
  'agent-plugins': (w) => {
    const mcp = pointedAt(w, 'mcp.json', { scope: 'plugin' })
    return [mcp, { ...mcp, path: join(dirname(mcp.path), 'plugin.json'), role: 'manifest' }]
  },
} satisfies Record<string, (world: World) => readonly FilePlace[]>

export type SourceId = keyof typeof places

export const sourceIds = Object.keys(places) as readonly SourceId[] // the keys of a literal

/** Sources that are never looked for: their files mean something only when a person points at them. */
export const namedOnly: ReadonlySet<SourceId> = new Set<SourceId>([
  'registry-server-json',
  'mcpb',
  'agent-plugins',
])

/** Sources that read the file of `--config` in a way of their own. */
const readsConfig: ReadonlySet<SourceId> = new Set<SourceId>([
  'plugboard',
  'copilot-coding-agent',
  ...namedOnly,
])

/** Where a source's files may be. A file of `--config` is read first, in the dialect of the source it is used with. */
export function placesOf(id: SourceId, w: World): readonly FilePlace[] {
  if (w.config === undefined || readsConfig.has(id)) return places[id](w)
  return [place(resolve(w.cwd, w.config), { ...explicit, root: w.cwd }), ...places[id](w)]
}

interface PlaceOptions {
  readonly scope: string
  readonly authority: Authority
  readonly root: string
  readonly role?: string
  readonly format?: Format
}

export function place(path: string, options: PlaceOptions): FilePlace {
  return { path, role: 'servers', format: formatOf(path), ...options }
}

/** The relative paths of this table are in order already; `join` would go through each of them again. */
function under(folder: string, path: string): string {
  if (sep !== '/') return join(folder, path)
  return folder.endsWith('/') ? folder + path : `${folder}/${path}`
}

function formatOf(path: string): Format {
  if (path.endsWith('.toml')) return 'toml'
  if (/\.ya?ml$/.test(path)) return 'yaml'
  return path.endsWith('.md') ? 'markdown' : 'json'
}

/** In the working directory only. */
function here(w: World, path: string, options: Partial<PlaceOptions> = {}): FilePlace {
  return place(join(w.cwd, path), { scope: 'project', authority: 'project', root: w.cwd, ...options })
}

/** The file of `--config`, read as this source's; else its usual name in the working directory. */
function pointedAt(w: World, usual: string, options: Partial<PlaceOptions>): FilePlace {
  const authority = w.config === undefined ? 'project' : 'explicit'
  return here(w, relative(w.cwd, resolve(w.cwd, w.config ?? usual)), { authority, ...options })
}

/** In every directory from the working directory to the repository's root: the nearest directory first. */
function upward(
  w: World,
  paths: readonly string[],
  options: Partial<PlaceOptions> = {},
): readonly FilePlace[] {
  return w.dirs.flatMap((dir) =>
    paths.map((path) =>
      place(under(dir, path), { scope: 'project', authority: 'project', root: dir, ...options }),
    ),
  )
}

function userOf(w: World, options: Partial<PlaceOptions> = {}): PlaceOptions {
  return { scope: 'user', authority: 'user', root: w.home, ...options }
}

function home(w: World, path: string, options: Partial<PlaceOptions> = {}): FilePlace {
  return place(under(w.home, path), userOf(w, options))
}

function configHome(w: World, path: string): FilePlace {
  return place(under(w.env['XDG_CONFIG_HOME'] ?? under(w.home, '.config'), path), userOf(w))
}

function appData(w: World): string {
  return w.env['APPDATA'] ?? join(w.home, 'AppData/Roaming')
}

/** Where desktop programs of each system keep their settings. */
function appFile(w: World, path: string): FilePlace {
  if (w.os === 'darwin') return home(w, join('Library/Application Support', path))
  return w.os === 'win32' ? place(join(appData(w), path), userOf(w)) : configHome(w, path)
}

function codeUser(w: World, path: string, product = 'Code'): FilePlace {
  return appFile(w, join(product, 'User', path))
}

function system(
  w: World,
  path: string,
  options: { scope: string; authority: Authority; role?: string },
): FilePlace {
  return place(under(w.systemRoot, path), { root: w.systemRoot, ...options })
}

const explicit = { scope: 'explicit', authority: 'explicit' } as const

/** D-8: a file the operator names is trusted, unless it is one of the project's own. */
function namedForUs(w: World): readonly FilePlace[] {
  return named(w, 'PLUGBOARD_CONFIG').map((found) => {
    const inside = w.dirs.some((dir) => found.path.startsWith(join(dir, '/')))
    return inside ? { ...found, authority: 'project' } : found
  })
}

function plugboardManaged(w: World): string {
  if (w.os === 'darwin') return 'Library/Application Support/Plugboard/managed-mcp.json'
  return w.os === 'win32' ? 'Program Files/Plugboard/managed-mcp.json' : 'etc/plugboard/managed-mcp.json'
}

/** A file named by an environment variable: the operator's word. */
function named(w: World, variable: string): readonly FilePlace[] {
  const path = w.env[variable]
  return path ? [place(resolve(w.cwd, path), { ...explicit, root: w.cwd })] : []
}

function claudeManaged(w: World, file: string): string {
  if (w.os === 'darwin') return `Library/Application Support/ClaudeCode/${file}`
  return w.os === 'win32' ? `Program Files/ClaudeCode/${file}` : `etc/claude-code/${file}`
}

const gemini = { variable: 'GEMINI_CLI_SYSTEM', folder: 'gemini-cli', macFolder: 'GeminiCli' }
const qwen = { variable: 'QWEN_CODE_SYSTEM', folder: 'qwen-code', macFolder: 'QwenCode' }

/** Settings above and below those of people, for Gemini CLI and its fork. */
function geminiSystem(
  w: World,
  { variable, folder, macFolder }: typeof gemini,
  file: 'settings.json' | 'system-defaults.json',
): FilePlace {
  const above = file === 'settings.json'
  const options = { scope: above ? 'system' : 'system-defaults', authority: 'managed' } as const
  const override = w.env[`${variable}_${above ? 'SETTINGS' : 'DEFAULTS'}_PATH`]
  if (override && isAbsolute(override)) return place(override, { root: dirname(override), ...options })
  if (w.os === 'darwin') return system(w, `Library/Application Support/${macFolder}/${file}`, options)
  return system(w, w.os === 'win32' ? `ProgramData/${folder}/${file}` : `etc/${folder}/${file}`, options)
}

function opencodeManaged(w: World): readonly FilePlace[] {
  const folder =
    w.os === 'darwin'
      ? 'Library/Application Support/opencode'
      : w.os === 'win32'
        ? 'ProgramData/opencode'
        : 'etc/opencode'
  return ['opencode.jsonc', 'opencode.json'].map((file) =>
    system(w, join(folder, file), { scope: 'managed', authority: 'managed' }),
  )
}

/** Other clients' files where pi-mcp-adapter looks for them, which is not always where they are. */
function piImports(w: World): readonly FilePlace[] {
  const from = (kind: string) => ({ scope: `import:${kind}`, role: `import:${kind}` })
  return [
    home(w, '.cursor/mcp.json', from('cursor')),
    home(w, '.claude/mcp.json', from('claude-code')),
    home(w, '.claude.json', from('claude-code')),
    home(w, 'Library/Application Support/Claude/claude_desktop_config.json', from('claude-desktop')),
    home(w, '.codex/config.toml', from('codex')),
    ...upward(w, ['opencode.json'], from('opencode')),
    home(w, '.config/opencode/opencode.json', from('opencode')),
    home(w, '.windsurf/mcp.json', from('windsurf')),
    ...upward(w, ['.vscode/mcp.json'], from('vscode')),
  ]
}

function crushData(w: World): readonly FilePlace[] {
  const folder =
    w.os === 'win32'
      ? (w.env['LOCALAPPDATA'] ?? join(w.home, 'AppData/Local'))
      : (w.env['XDG_DATA_HOME'] ?? join(w.home, '.local/share'))
  return [place(join(folder, 'crush/crush.json'), userOf(w, { scope: 'data' }))]
}
