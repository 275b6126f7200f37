import { describe, expect, test } from 'vitest'
import { project, read } from '../../../../test/support/read.ts'

const main = '~/.claude.json'

describe('Claude Code: entries', () => {
  test('a url without a type, and unknown, unsupported or internal transports are refused', async () => {
    const { names, problems } = await read('claude-code', {
      [main]: {
        mcpServers: {
          untyped: { url: 'https://a.example.com/mcp' },
          socket: { type: 'ws', url: 'wss://a.example.com' },
          odd: { type: 'grpc', url: 'https://a.example.com' },
          inner: { type: 'sdk', name: 'inner' },
          nowhere: { type: 'http' },
          nothing: {},
          notes: 'npx notes',
          fine: { type: 'streamable-http', url: 'https://a.example.com/mcp' },
        },
      },
    })
    expect(names).toEqual(['fine'])
    expect(problems).toEqual([
      'error missing-endpoint /mcpServers/nothing',
      'error missing-endpoint /mcpServers/nowhere',
      'error unknown-transport /mcpServers/odd/type',
      'error unsupported-transport /mcpServers/socket/type',
      'error url-missing-type /mcpServers/untyped',
      'error wrong-type /mcpServers/notes',
      'info not-launchable /mcpServers/inner',
    ])
  })

  test('a timeout below one second is reported as ignored', async () => {
    const { servers, problems } = await read('claude-code', {
      [main]: { mcpServers: { a: { command: 'a', timeout: 999 }, b: { command: 'b', timeout: 1000 } } },
    })
    expect([servers['a']?.['timeoutMs'], servers['b']?.['timeoutMs']]).toEqual([null, 1000])
    expect(problems).toEqual(['warn timeout-ignored /mcpServers/a/timeout'])
  })

  test('keys of the other transport are reported as unknown', async () => {
    const { servers, problems } = await read('claude-code', {
      [main]: {
        mcpServers: {
          local: { command: 'a', alwaysLoad: true, headers: { X: '1' }, headersHelper: 'h', oauth: {} },
          remote: {
            type: 'http',
            url: 'https://a.example.com/mcp',
            env: { X: '1' },
            args: ['x'],
            displayName: 'Remote',
            tools: [{ name: 't', permission_policy: 'always_allow' }],
            toolPermissions: {},
          },
        },
      },
    })
    expect(servers['local']).toMatchObject({ transport: 'stdio', headers: {} })
    expect(servers['local']).not.toHaveProperty('auth')
    expect(servers['remote']).toMatchObject({ title: 'Remote', env: {}, args: [] })
    expect(problems).toEqual([
      'warn unknown-key /mcpServers/local/headers',
      'warn unknown-key /mcpServers/local/headersHelper',
      'warn unknown-key /mcpServers/local/oauth',
      'warn unknown-key /mcpServers/remote/args',
      'warn unknown-key /mcpServers/remote/env',
    ])
  })

  test('oauth scopes must be one string, and the metadata url must be https', async () => {
    const remote = { type: 'http', url: 'https://a.example.com/mcp' }
    const { servers, problems } = await read('claude-code', {
      [main]: {
        mcpServers: {
          list: { ...remote, oauth: { clientId: 'c', scopes: ['a', 'b'] } },
          plain: { ...remote, oauth: { authServerMetadataUrl: 'http://login.example.com' } },
        },
      },
    })
    expect(servers['list']?.['auth']).toEqual({ type: 'oauth', clientId: 'c', scopes: ['a', 'b'] })
    expect(servers['plain']).toBeUndefined()
    expect(problems).toEqual([
      'error insecure-url /mcpServers/plain/oauth/authServerMetadataUrl',
      'warn wrong-type /mcpServers/list/oauth/scopes',
    ])
  })

  test('an unset variable keeps its placeholder; an empty one counts as set', async () => {
    const { servers, problems } = await read(
      'claude-code',
      {
        [main]: {
          mcpServers: {
            a: { command: 'a', args: ['${NOT_SET}', '$BARE'] },
            b: { command: 'b', args: ['--mode=${EMPTY:-full}'] },
          },
        },
      },
      { env: { EMPTY: '' } },
    )
    expect(servers['a']).not.toHaveProperty('resolved')
    expect(servers['b']?.['resolved']).toEqual({ args: ['--mode='] })
    expect(problems).toEqual([
      'info no-expansion-in-client /mcpServers/a/args/1',
      'warn missing-env /mcpServers/a/args/0',
    ])
  })

  test('comments make a file of servers or settings unreadable', async () => {
    const { names, diagnostics } = await read('claude-code', {
      '.mcp.json': '{ "mcpServers": { "a": { "command": "a" } } } // ours',
      '.claude/settings.json': '{ "enableAllProjectMcpServers": true, }',
      [main]: { mcpServers: { b: { command: 'b' } } },
    })
    expect(names).toEqual(['b'])
    expect(diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ['parse-error', `${project}/.claude/settings.json`],
      ['parse-error', `${project}/.mcp.json`],
    ])
  })

  test('servers in the form of Visual Studio in .mcp.json are read with a warning', async () => {
    const { names, problems } = await read('claude-code', {
      '.mcp.json': { servers: { a: { command: 'a' } } },
      '.claude/settings.json': { enableAllProjectMcpServers: true },
    })
    expect(names).toEqual(['a'])
    expect(problems).toEqual(['warn wrong-root-key /servers'])
  })
})

describe('Claude Code: scopes', () => {
  const named = (command: string) => ({ mcpServers: { a: { command } } })

  test('local hides project, user and plugin, and each hidden entry is listed', async () => {
    const { servers, shadowed } = await read('claude-code', {
      [main]: { ...named('user'), projects: { [project]: named('local') } },
      '.mcp.json': named('project'),
      '~/.claude/plugins/cache/acme/deploy/1.0.0/.mcp.json': named('plugin'),
    })
    expect(servers['a']).toMatchObject({ command: 'local' })
    expect(shadowed.map(({ scope, by }) => [scope, (by as { scope: string }).scope])).toEqual([
      ['project', 'local'],
      ['user', 'local'],
      ['plugin', 'local'],
    ])
  })

  test('CLAUDE_CONFIG_DIR replaces the file in the home directory', async () => {
    const texts = { [main]: named('home'), '/cfg/.claude.json': named('dir') }
    const { servers } = await read('claude-code', texts, { env: { CLAUDE_CONFIG_DIR: '/cfg' } })
    expect(servers['a']).toMatchObject({ command: 'dir' })
  })

  test('an explicit file ranks above all except the managed one', async () => {
    const texts = { 'extra.json': named('extra'), [main]: { projects: { [project]: named('local') } } }
    const { servers } = await read('claude-code', texts, { config: 'extra.json' })
    expect(servers['a']).toMatchObject({ command: 'extra' })
  })
})
