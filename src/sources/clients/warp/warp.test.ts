import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

describe('Warp: approval', () => {
  test('only servers of the user’s own file need no approval', async () => {
    const { servers, problems } = await read('warp', {
      '~/.warp/.mcp.json': { mcpServers: { own: { command: 'a' } } },
      '.warp/.mcp.json': { mcpServers: { project: { command: 'b' } } },
      '~/.agents/.mcp.json': { mcpServers: { agents: { command: 'c' } } },
      '.mcp.json': { mcpServers: { shared: { command: 'd' } } },
      '~/.claude.json': { mcpServers: { claude: { type: 'http', url: 'https://c.example' } }, projects: {} },
    })
    expect(Object.entries(servers).map(([name, { approval }]) => [name, approval])).toEqual([
      ['own', undefined],
      ['project', 'pending'],
      ['agents', 'pending'],
      ['shared', 'pending'],
      ['claude', 'pending'],
    ])
    expect(problems).toEqual([
      'warn untrusted-project /mcpServers/project',
      'warn untrusted-project /mcpServers/shared',
    ])
  })
})

describe('Warp: files of Codex', () => {
  test('tables are read by Codex’s rules and need approval', async () => {
    const { servers, problems } = await read('warp', {
      '~/.codex/config.toml':
        '[mcp_servers.far]\nurl = "https://a.example/mcp"\nhttp_headers = { X = "1" }\ntool_timeout_sec = 5\n',
      '.codex/config.toml': '[mcp_servers.near]\ncommand = "n"\n[mcp_servers.other]\nenabled = false\n',
    })
    expect(servers['far']).toMatchObject({ headers: { X: '1' }, timeoutMs: 5000, approval: 'pending' })
    expect(servers['near']).toMatchObject({ command: 'n', approval: 'pending' })
    expect(problems).toEqual(['warn untrusted-project /mcp_servers/near'])
  })
})

describe('Warp: entries', () => {
  test('a relative command without working_directory is reported', async () => {
    const { problems } = await read('warp', {
      '~/.warp/.mcp.json': {
        mcpServers: {
          dot: { command: './a' },
          up: { command: '../a' },
          inside: { command: 'bin/a' },
          placed: { command: './a', working_directory: '/srv' },
          onPath: { command: 'npx' },
          absolute: { command: '/bin/a' },
          home: { command: '~/a' },
          drive: { command: 'C:\\a.exe' },
        },
      },
    })
    expect(problems).toEqual([
      'warn relative-path /mcpServers/dot/command',
      'warn relative-path /mcpServers/inside/command',
      'warn relative-path /mcpServers/up/command',
    ])
  })

  test('a type is read only in files shared with other programs', async () => {
    const entry = { type: 'sse', url: 'https://a.example/sse' }
    const { servers, problems } = await read('warp', {
      '~/.warp/.mcp.json': { mcpServers: { own: entry } },
      '.mcp.json': {
        mcpServers: { shared: { ...entry, alwaysLoad: true }, ws: { type: 'ws', url: 'wss://a' } },
      },
    })
    expect(servers['own']).toMatchObject({ transport: 'http', fallback: 'sse' })
    expect(servers['shared']).toMatchObject({ transport: 'sse' })
    expect(problems).toEqual([
      'error unknown-transport /mcpServers/ws/type',
      'warn unknown-key /mcpServers/own/type',
      'warn untrusted-project /mcpServers/shared',
    ])
  })

  test('"cwd" is unknown, and Visual Studio’s root key is read with a warning', async () => {
    const { servers, problems } = await read('warp', {
      '~/.warp/.mcp.json': { servers: { a: { command: 'a', cwd: '/x' } } },
    })
    expect(servers['a']).toMatchObject({ cwd: null })
    expect(problems).toEqual(['warn unknown-key /servers/a/cwd', 'warn wrong-root-key /servers'])
  })
})
