import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const piFile = '~/.pi/agent/mcp.json'
const note = 'info no-builtin-mcp'

describe('pi-mcp-adapter: entries', () => {
  test('every known key is read', async () => {
    const { servers, problems } = await read(
      'pi',
      {
        [piFile]: {
          mcpServers: {
            local: {
              description: 'files',
              command: 'files',
              args: ['--root', '~'],
              cwd: '~/work',
              env: { KEY: '${KEY:-none}' },
              lifecycle: 'lazy-keep-alive',
              includeTools: ['read_*'],
              excludeTools: ['read_secret'],
              approveTools: ['read_file'],
              directTools: 'search',
              toolPrefix: 'short',
              tasks: false,
            },
            remote: {
              url: 'https://a.example/mcp',
              headers: { 'X-Team': '$env:TEAM' },
              caFile: '/etc/ca.pem',
              httpTransport: 'streamable-http',
              protocolVersion: '2026-07-28',
              auth: 'oauth',
              oauth: { clientId: 'c', scope: 'read write' },
            },
          },
        },
      },
      { env: { TEAM: 'blue' } },
    )
    expect(problems).toEqual([note])
    expect(servers['local']).toEqual({
      name: 'local',
      transport: 'stdio',
      command: 'files',
      args: ['--root', '~'],
      env: { KEY: '${KEY:-none}' },
      cwd: '~/work',
      url: null,
      headers: {},
      enabled: true,
      timeoutMs: null,
      startupTimeoutMs: null,
      allowedTools: ['read_*'],
      deniedTools: ['read_secret'],
      lifecycle: { mode: 'lazy-keep-alive' },
      resolved: { env: { KEY: 'none' }, cwd: '/home/dana/work' },
      ...trusted(servers['local']),
    })
    expect(servers['remote']).toEqual({
      name: 'remote',
      transport: 'http',
      command: null,
      args: [],
      env: {},
      cwd: null,
      url: 'https://a.example/mcp',
      headers: { 'X-Team': '$env:TEAM' },
      enabled: true,
      timeoutMs: null,
      startupTimeoutMs: null,
      allowedTools: null,
      deniedTools: [],
      tls: { caFile: '/etc/ca.pem' },
      auth: { type: 'oauth', clientId: 'c', scopes: ['read', 'write'] },
      resolved: { headers: { 'X-Team': 'blue' } },
      ...trusted(servers['remote']),
    })
  })

  test('only the literal true disables a server', async () => {
    const { servers, problems } = await read('pi', {
      [piFile]: { mcpServers: { a: { command: 'a', disabled: 'yes' }, b: { command: 'b', disabled: true } } },
    })
    expect([servers['a']?.['enabled'], servers['b']?.['enabled']]).toEqual([true, false])
    expect(problems).toEqual([note, 'warn wrong-type /mcpServers/a/disabled'])
  })

  test('a command that builds headers is reported', async () => {
    const { servers, problems } = await read('pi', {
      [piFile]: {
        mcpServers: {
          a: { url: 'https://a.example', requestHeadersCommand: { command: 'sign', args: ['--for', 'a b'] } },
        },
      },
    })
    expect(servers['a']?.['headersCommand']).toBe('sign --for "a b"')
    expect(problems).toEqual([note, 'warn runs-command /mcpServers/a/requestHeadersCommand'])
  })

  test.each([
    [
      { bearerTokenEnv: 'T' },
      { type: 'bearer', tokenEnv: 'T' },
      ['warn missing-env /mcpServers/a/bearerTokenEnv'],
    ],
    [
      { bearerToken: 'abc' },
      { type: 'bearer', token: 'abc' },
      ['warn plaintext-secret /mcpServers/a/bearerToken'],
    ],
    [
      { bearerTokenStore: true },
      { type: 'bearer', store: true },
      ['info secret-store /mcpServers/a/bearerTokenStore'],
    ],
    [{ auth: false, bearerTokenEnv: 'T' }, { type: 'none' }, []],
    [{ oauth: false }, { type: 'none' }, []],
    [{ auth: 'basic' }, undefined, ['warn wrong-type /mcpServers/a/auth']],
    [{ auth: 'oauth', bearerToken: '${T:-x}' }, { type: 'oauth' }, ['warn auth-conflict /mcpServers/a']],
  ])('the login %o is read', async (login, auth, found) => {
    const { servers, problems } = await read('pi', {
      [piFile]: { mcpServers: { a: { url: 'https://a.example', ...login } } },
    })
    expect(servers['a']?.['auth']).toEqual(auth)
    expect(problems).toEqual([note, ...found].sort())
  })

  test('values out of range are reported and ignored', async () => {
    const { servers, problems } = await read('pi', {
      [piFile]: {
        mcpServers: {
          a: {
            command: 'a',
            lifecycle: 'forever',
            protocolVersion: '2025',
            requestTimeoutMs: 0,
            idleTimeout: 0,
            timeout: 3,
          },
        },
      },
    })
    expect(servers['a']).toMatchObject({ timeoutMs: null, enabled: true })
    expect(problems).toEqual([
      note,
      'info timeout-disabled /mcpServers/a/idleTimeout',
      'info unit',
      'warn out-of-range /mcpServers/a/lifecycle',
      'warn out-of-range /mcpServers/a/protocolVersion',
      'warn timeout-ignored /mcpServers/a/requestTimeoutMs',
      'warn unknown-key /mcpServers/a/timeout',
    ])
  })

  test('a server with its own socket is refused', async () => {
    const { names, problems } = await read('pi', {
      [piFile]: { mcpServers: { a: { socket: '/run/a.sock' } } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['error unsupported-transport /mcpServers/a/socket', note])
  })
})

describe('pi-mcp-adapter: layers', () => {
  test('a partial entry changes the one below, a complete one hides it', async () => {
    const { servers, shadowed, problems } = await read('pi', {
      '.pi/mcp.json': { mcpServers: { a: { excludeTools: ['drop'] }, b: { command: 'b2' } } },
      '~/.agents/mcp.json': { mcpServers: { a: { command: 'a' }, b: { command: 'b', env: { X: '1' } } } },
    })
    expect(servers['a']).toMatchObject({ command: 'a', deniedTools: ['drop'], enabled: true })
    expect(servers['b']).toMatchObject({ command: 'b2', env: {} })
    expect(shadowed.map(({ name, file }) => [name, file])).toEqual([['b', '/home/dana/.agents/mcp.json']])
    expect(problems).toEqual([note, 'info shadowed /mcpServers/b'])
  })

  test('T06 a layer that changes only the url does not inherit credentials', async () => {
    const { servers } = await read('pi', {
      '.mcp.json': { mcpServers: { hub: { url: 'https://evil.example' } } },
      [piFile]: {
        mcpServers: {
          hub: { url: 'https://hub.example', headers: { Authorization: '${T:-x}' }, bearerTokenEnv: 'T' },
        },
      },
    })
    expect(servers['hub']).toMatchObject({ url: 'https://evil.example', headers: {} })
    expect(servers['hub']).not.toHaveProperty('auth')
  })

  test('a switch without a server below is not reported; another partial entry is incomplete', async () => {
    const { names, problems } = await read('pi', {
      '.pi/mcp.json': { mcpServers: { a: { disabled: true }, b: { debug: true } } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['error missing-endpoint /mcpServers/b', note])
  })

  test('without files there are no diagnostics', async () => {
    expect(await read('pi', {})).toMatchObject({ names: [], problems: [] })
  })
})

describe('pi-mcp-adapter: imports', () => {
  test('only the named clients are imported, with the lowest rank', async () => {
    const { servers, names, shadowed } = await read('pi', {
      [piFile]: { imports: ['cursor'], mcpServers: { a: { command: 'mine' } } },
      '~/.cursor/mcp.json': {
        mcpServers: { a: { command: 'theirs' }, b: { command: 'b', envFile: '.env' } },
      },
      '~/.windsurf/mcp.json': { mcpServers: { w: { command: 'w' } } },
    })
    expect(names).toEqual(['a', 'b'])
    expect(servers['a']).toMatchObject({ command: 'mine' })
    expect(shadowed).toMatchObject([{ name: 'a', scope: 'import:cursor', by: { scope: 'user' } }])
  })

  test('entries of codex and opencode are translated', async () => {
    const { servers, problems } = await read(
      'pi',
      {
        [piFile]: { imports: ['codex', 'opencode'] },
        '~/.codex/config.toml':
          '[mcp_servers.c]\nurl = "https://c.example"\nbearer_token_env_var = "C"\n' +
          'http_headers = { A = "1" }\nenv_http_headers = { B = "B_ENV" }\n',
        'opencode.json': {
          mcp: {
            o: { type: 'local', command: ['o', '-x'], environment: { K: 'v' } },
            off: { enabled: false },
          },
        },
      },
      { env: { C: 'c', B_ENV: 'b' } },
    )
    expect(servers['c']).toMatchObject({
      url: 'https://c.example',
      headers: { A: '1', B: { env: 'B_ENV' } },
      auth: { type: 'bearer', tokenEnv: 'C' },
    })
    expect(servers['o']).toMatchObject({ command: 'o', args: ['-x'], env: { K: 'v' } })
    expect(problems).toEqual([note])
  })

  test('an unknown kind is reported and skipped', async () => {
    const { problems } = await read('pi', { [piFile]: { imports: ['emacs', 'cursor'], mcpServers: {} } })
    expect(problems).toEqual([note, 'warn wrong-type /imports/0'])
  })
})

function trusted(server: Record<string, unknown> | undefined): Record<string, unknown> {
  return server && 'trust' in server ? { trust: server['trust'] } : {}
}
