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

/** Source, variable, the file that is read when it names `cfg` in the project, and a server in it. */
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
  const look = async (env: Env, options: DiscoverOptions = {}, cwd = 'project') => {
    const platform = { os: 'linux', home: at('home'), cwd: at(cwd), env, systemRoot: at('system') } as const
    const { servers, trust } = await discover({ ...options, platform })
    return servers.map((found) => [found.name, found.origin.authority, trust.get(found)])
  }
  return { at, look }
}

describe('T01 a variable that leads into the project does not make its files the person’s', () => {
  test.each(moves)('%s: %s', async (source, variable, file, text) => {
    const { at, look } = machine({
      [join('project/cfg', file)]: text,
      [join('elsewhere/cfg', file)]: text,
    })
    symlinkSync(at('project'), at('link'))
    const sources = [source]
    const projects = [['s', 'project', 'pending']]
    expect(await look({ [variable]: at('project/cfg') }, { sources })).toEqual(projects)
    expect(await look({ [variable]: at('link/cfg') }, { sources })).toEqual(projects)
    const [[, authority, trust] = []] = await look({ [variable]: at('elsewhere/cfg') }, { sources })
    expect([authority !== 'project', trust]).toEqual([true, 'trusted'])
  })

  test.each(moves.filter(([, , file]) => file !== ''))(
    '%s: a relative %s counts as unset',
    async (source, variable, file, text) => {
      const { look } = machine({ [join('project/cfg', file)]: text })
      expect(await look({ [variable]: 'cfg' }, { sources: [source] })).toEqual([])
    },
  )

  test('a file at its usual place stays the person’s, also for one who stands in a repository of dotfiles', async () => {
    const { at, look } = machine({
      'home/.config/.git/HEAD': '',
      'home/.config/plugboard/mcp.json': common,
    })
    const own = [['s', 'user', 'trusted']]
    expect(await look({}, {}, 'home/.config')).toEqual(own)
    symlinkSync(at('home'), at('house'))
    expect(await look({ XDG_CONFIG_HOME: at('house/.config') }, {}, 'home/.config')).toEqual(own)
  })

  test('what the operator names with --config, or by BooCode’s own rule, stays theirs', async () => {
    const { at, look } = machine({ 'project/cfg.json': common })
    expect(await look({}, { config: 'cfg.json' })).toEqual([['s', 'explicit', 'trusted']])
    expect(await look({ MCP_CONFIG_PATH: at('project/cfg.json') }, { preset: 'boocode' })).toMatchObject([
      ['s', 'explicit', 'trusted'],
    ])
  })
})
