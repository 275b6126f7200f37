import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { discover } from '../config/discover.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import type { Env } from '../platform/platform.ts'
import type { SourceId } from './places.ts'

const server = { command: 'run' }
const common = JSON.stringify({ mcpServers: { s: server } })

/** Source, variable, the file that is read below the folder `cfg` that the variable names, and a server in it. */
const moves: readonly (readonly [SourceId, string, string, string])[] = [
  ['inspector', 'MCP_CATALOG_PATH', '', common],
  ['claude-code', 'CLAUDE_CONFIG_DIR', '.claude.json', common],
  [
    'copilot-cli',
    'COPILOT_HOME',
    'mcp-config.json',
    JSON.stringify({ mcpServers: { s: { ...server, type: 'local', args: [], tools: ['*'] } } }),
  ],
  ['opencode', 'OPENCODE_CONFIG', '', JSON.stringify({ mcp: { s: { type: 'local', command: ['run'] } } })],
  [
    'opencode',
    'OPENCODE_CONFIG_DIR',
    'opencode.json',
    JSON.stringify({ mcp: { s: { type: 'local', command: ['run'] } } }),
  ],
  ['mcporter', 'MCPORTER_CONFIG', '', common],
  ['codex', 'CODEX_HOME', 'config.toml', '[mcp_servers.s]\ncommand = "run"\n'],
  ['pi', 'PI_CODING_AGENT_DIR', 'mcp.json', common],
  ['cline', 'CLINE_DIR', 'data/settings/cline_mcp_settings.json', common],
  [
    'goose',
    'GOOSE_PATH_ROOT',
    'config/config.yaml',
    'extensions:\n  s:\n    type: stdio\n    enabled: true\n    name: s\n    cmd: run\n    args: []\n',
  ],
  [
    'crush',
    'CRUSH_GLOBAL_CONFIG',
    'crush.json',
    JSON.stringify({ mcp: { s: { type: 'stdio', command: 'run' } } }),
  ],
  [
    'crush',
    'XDG_DATA_HOME',
    'crush/crush.json',
    JSON.stringify({ mcp: { s: { type: 'stdio', command: 'run' } } }),
  ],
  ['gemini-cli', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', '', common],
  ['plugboard', 'XDG_CONFIG_HOME', 'plugboard/mcp.json', common],
  ['plugboard', 'PLUGBOARD_CONFIG', '', common],
]

function machine(files: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-moved-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = (path: string) => join(root, path)
  for (const [path, text] of Object.entries({ 'home/x': '', 'project/.git/HEAD': '', ...files })) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  const discoverIn = async (env: Env, options: DiscoverOptions = {}, cwd = 'project') => {
    const platform = { os: 'linux', home: at('home'), cwd: at(cwd), env, systemRoot: at('system') } as const
    const { servers, trust } = await discover({ ...options, platform })
    return servers.map((found) => [found.name, found.origin.authority, trust.get(found)])
  }
  return { at, discoverIn }
}

describe('T01 files that an environment variable moves', () => {
  test.each(moves)(
    '%s: a path inside the project in %s is not the user’s own',
    async (source, variable, file, text) => {
      const { at, discoverIn } = machine({
        [join('project/cfg', file)]: text,
        [join('elsewhere/cfg', file)]: text,
      })
      symlinkSync(at('project'), at('link'))
      const sources = [source]
      // T54: the variables that move our own directories are not used at all.
      const inProject = variable.startsWith('XDG_') ? [] : [['s', 'project', 'pending']]
      expect(await discoverIn({ [variable]: at('project/cfg') }, { sources })).toEqual(inProject)
      expect(await discoverIn({ [variable]: at('link/cfg') }, { sources })).toEqual(inProject)
      const [[, authority, trust] = []] = await discoverIn({ [variable]: at('elsewhere/cfg') }, { sources })
      expect([authority !== 'project', trust]).toEqual([true, 'trusted'])
    },
  )

  test.each(moves.filter(([, , file]) => file !== ''))(
    '%s: a relative %s counts as unset',
    async (source, variable, file, text) => {
      const { discoverIn } = machine({ [join('project/cfg', file)]: text })
      expect(await discoverIn({ [variable]: 'cfg' }, { sources: [source] })).toEqual([])
    },
  )

  test('a file at its usual place keeps user authority, also when the project is a repository of dotfiles', async () => {
    const { at, discoverIn } = machine({
      'home/.config/.git/HEAD': '',
      'home/.config/plugboard/mcp.json': common,
    })
    const own = [['s', 'user', 'trusted']]
    expect(await discoverIn({}, {}, 'home/.config')).toEqual(own)
    symlinkSync(at('home'), at('house'))
    expect(await discoverIn({ XDG_CONFIG_HOME: at('house/.config') }, {}, 'home/.config')).toEqual(own)
  })

  test('a file named by --config, or by MCP_CONFIG_PATH under the boocode preset, is explicit and trusted', async () => {
    const { at, discoverIn } = machine({ 'project/cfg.json': common })
    expect(await discoverIn({}, { config: 'cfg.json' })).toEqual([['s', 'explicit', 'trusted']])
    expect(
      await discoverIn({ MCP_CONFIG_PATH: at('project/cfg.json') }, { preset: 'boocode' }),
    ).toMatchObject([['s', 'explicit', 'trusted']])
  })
})
