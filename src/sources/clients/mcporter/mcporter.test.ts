import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const file = '~/.mcporter/mcporter.json'

describe('mcporter: entries', () => {
  test('camel case and snake case keys mean the same', async () => {
    const entries = {
      camel: {
        baseUrl: 'https://a.example',
        oauthClientId: 'c',
        oauthClientSecretEnv: 'S',
        oauthRedirectUrl: 'http://localhost:1',
        oauthScope: 'read write',
        allowedTools: ['x'],
        tokenCacheDir: '~/.cache',
        protocolVersion: 'legacy',
      },
      snake: {
        base_url: 'https://a.example',
        oauth_client_id: 'c',
        oauth_client_secret_env: 'S',
        oauth_redirect_url: 'http://localhost:1',
        oauth_scope: 'read write',
        allowed_tools: ['x'],
        token_cache_dir: '~/.cache',
        protocol_version: 'legacy',
      },
    }
    const { servers, problems } = await read('mcporter', { [file]: { mcpServers: entries, imports: [] } })
    expect({ ...servers['snake'], name: 'camel' }).toEqual(servers['camel'])
    expect(servers['camel']).toMatchObject({
      transport: 'http',
      fallback: 'sse',
      url: 'https://a.example',
      allowedTools: ['x'],
      auth: {
        type: 'oauth',
        clientId: 'c',
        clientSecretEnv: 'S',
        redirectUri: 'http://localhost:1',
        scopes: ['read', 'write'],
      },
    })
    expect(problems).toEqual([
      'warn missing-env /mcpServers/camel/oauthClientSecretEnv',
      'warn missing-env /mcpServers/snake/oauth_client_secret_env',
    ])
  })

  test.each([
    ['npx -y "a b" c\\ d', undefined, 'npx', ['-y', 'a b', 'c d']],
    ['npx -y', ['a'], 'npx -y', ['a']],
    [['npx', '-y'], undefined, 'npx', ['-y']],
    ['plain', undefined, 'plain', []],
  ])(
    'the command %o with args %o is split into words as mcporter does',
    async (command, args, word, rest) => {
      const entry = { command, ...(args && { args }) }
      const { servers } = await read('mcporter', { [file]: { mcpServers: { a: entry }, imports: [] } })
      expect(servers['a']).toMatchObject({ command: word, args: rest })
    },
  )

  test('args beside a command list are reported as dropped', async () => {
    const entry = { command: ['npx', '-y', 'p@latest'], args: ['lost'] }
    const { servers, problems } = await read('mcporter', {
      [file]: { mcpServers: { a: entry }, imports: [] },
    })
    expect(servers['a']).toMatchObject({ command: 'npx', args: ['-y', 'p@latest'] })
    expect(problems).toEqual([
      'info unpinned-package /mcpServers/a/command/2',
      'warn key-dropped-by-owner /mcpServers/a/args',
    ])
  })

  test('a url wins over a command, and the first url key over the others', async () => {
    const entry = { command: 'a', url: 'https://b.example', baseUrl: 'https://a.example' }
    const { servers, problems } = await read('mcporter', {
      [file]: { mcpServers: { a: entry }, imports: [] },
    })
    expect(servers['a']).toMatchObject({ transport: 'http', url: 'https://a.example' })
    expect(problems).toEqual(['warn command-and-url /mcpServers/a', 'warn duplicate-endpoint /mcpServers/a'])
  })

  test('a relative cwd is resolved against the file, and ~ is the home directory', async () => {
    const { servers } = await read('mcporter', {
      [file]: { mcpServers: { a: { command: 'a', cwd: 'x' }, b: { command: 'b', cwd: '~/y' } }, imports: [] },
    })
    expect([servers['a']?.['resolved'], servers['b']?.['resolved']]).toEqual([
      { cwd: '/home/dana/.mcporter/x' },
      { cwd: '/home/dana/y' },
    ])
  })

  test.each([
    [
      { bearerToken: 'abc' },
      { type: 'bearer', token: 'abc' },
      ['warn plaintext-secret /mcpServers/a/bearerToken'],
    ],
    [{ bearer_token_env: 'T' }, { type: 'bearer', tokenEnv: 'T' }, []],
    [
      { bearerToken: '${T}', bearerTokenEnv: 'T' },
      { type: 'bearer', tokenEnv: 'T' },
      ['warn auth-conflict /mcpServers/a'],
    ],
    [{ auth: 'OAuth' }, { type: 'oauth' }, []],
    [{ auth: 'basic' }, undefined, ['warn unsupported-in-client /mcpServers/a/auth']],
    [
      { auth: 'oauth', oauthClientSecret: 'abc' },
      { type: 'oauth', clientSecret: 'abc' },
      ['warn plaintext-secret /mcpServers/a/oauthClientSecret'],
    ],
  ])('the login %o is read', async (login, auth, found) => {
    const { servers, problems } = await read(
      'mcporter',
      { [file]: { mcpServers: { a: { url: 'https://a.example', ...login } }, imports: [] } },
      { env: { T: 't' } },
    )
    expect(servers['a']?.['auth']).toEqual(auth)
    expect(problems).toEqual(found)
  })

  test('lifecycle sets the idle timeout', async () => {
    const { servers } = await read('mcporter', {
      [file]: {
        mcpServers: {
          a: { command: 'a', lifecycle: 'ephemeral' },
          b: { command: 'b', lifecycle: { mode: 'keep-alive', idleTimeoutMs: 5000 } },
        },
        imports: [],
      },
    })
    expect([servers['a']?.['lifecycle'], servers['b']?.['lifecycle']]).toEqual([
      { mode: 'ephemeral' },
      { mode: 'keep-alive', idleTimeoutMs: 5000 },
    ])
  })

  test('an unknown key is reported and kept', async () => {
    const { names, problems } = await read('mcporter', {
      [file]: { mcpServers: { a: { command: 'a', type: 'stdio', timeout: 3 } }, imports: [] },
    })
    expect(names).toEqual(['a'])
    expect(problems).toEqual([
      'warn unknown-key /mcpServers/a/timeout',
      'warn unknown-key /mcpServers/a/type',
    ])
  })
})

describe('mcporter: validation of the whole file', () => {
  test.each([
    [{ command: 'b', args: [1] }, 'error wrong-type /mcpServers/b/args'],
    [{ command: 'b', env: { PORT: 1 } }, 'error wrong-type /mcpServers/b/env/PORT'],
    [{ command: 7 }, 'error wrong-type /mcpServers/b/command'],
    [{ command: ['b', {}], args: ['c'] }, 'error wrong-type /mcpServers/b/command'],
    [{ url: 'https://b', headers: 'x' }, 'error wrong-type /mcpServers/b/headers'],
    [{ url: 'https://b', protocolVersion: '2025' }, 'error wrong-type /mcpServers/b/protocolVersion'],
    [{ command: 'b', lifecycle: 'always' }, 'error wrong-type /mcpServers/b/lifecycle'],
    [
      { command: 'b', lifecycle: { mode: 'keep-alive', idleTimeoutMs: 0 } },
      'error out-of-range /mcpServers/b/lifecycle/idleTimeoutMs',
    ],
    [{ command: 'b', allowed_tools: ['x'], blockedTools: [] }, 'error tool-filter-conflict /mcpServers/b'],
    [{ description: 'b' }, 'error missing-endpoint /mcpServers/b'],
    ['b', 'error wrong-type /mcpServers/b'],
  ])('an entry %o makes the whole file unusable', async (entry, problem) => {
    const { names, problems } = await read('mcporter', {
      'config/mcporter.json': { mcpServers: { a: { command: 'a' }, b: entry } },
      [file]: { mcpServers: { c: { command: 'c' } } },
    })
    expect(names).toEqual(['c'])
    expect(problems).toEqual([problem])
  })

  test('imports that are not a list of known clients make the file unusable', async () => {
    const one = await read('mcporter', { [file]: { mcpServers: { a: { command: 'a' } }, imports: 'cursor' } })
    expect(one).toMatchObject({ names: [], problems: ['error wrong-type /imports'] })
    const two = await read('mcporter', { [file]: { mcpServers: {}, imports: ['cursor', 3] } })
    expect(two.problems).toEqual(['error wrong-type /imports/1'])
  })
})

describe('mcporter: imports', () => {
  const cursor = { '~/.cursor/mcp.json': { mcpServers: { x: { command: 'from-cursor' } } } }
  const codex = { '~/.codex/config.toml': '[mcp_servers.x]\ncommand = "from-codex"\n' }

  test('every client is imported without a file, and without the key', async () => {
    const none = await read('mcporter', cursor)
    expect(none.servers['x']).toMatchObject({ command: 'from-cursor' })
    const without = await read('mcporter', { ...cursor, [file]: { mcpServers: {} } })
    expect(without).toMatchObject({ names: ['x'], problems: [] })
  })

  test('an empty list turns imports off', async () => {
    expect(await read('mcporter', { ...cursor, [file]: { mcpServers: {}, imports: [] } })).toMatchObject({
      names: [],
      problems: [],
    })
  })

  test('the list sets the order, and the first client wins', async () => {
    const { servers, shadowed, problems } = await read('mcporter', {
      ...cursor,
      ...codex,
      [file]: { mcpServers: {}, imports: ['codex'] },
    })
    expect(servers['x']).toMatchObject({ command: 'from-codex' })
    expect(shadowed).toMatchObject([
      {
        name: 'x',
        scope: 'import:cursor',
        by: { scope: 'import:codex', file: '/home/dana/.codex/config.toml' },
      },
    ])
    expect(problems).toEqual(['info imports-appended /imports', 'info shadowed /mcpServers/x'])
  })

  test('a list with every client is not extended', async () => {
    const imports = ['vscode', 'opencode', 'windsurf', 'codex', 'claude-desktop', 'claude-code', 'cursor']
    expect((await read('mcporter', { [file]: { mcpServers: {}, imports } })).problems).toEqual([])
  })

  test('keys that an import drops are reported', async () => {
    const { servers, problems } = await read('mcporter', {
      '~/.codex/config.toml':
        '[mcp_servers.c]\nurl = "https://c.example"\nenabled = false\nbearer_token_env_var = "C"\n',
      'opencode.json': {
        mcp: { o: { type: 'local', command: ['o'], environment: { K: 'v' } }, x: { enabled: false } },
      },
    })
    expect(servers['c']).toMatchObject({ enabled: true })
    expect(servers['o']).toMatchObject({ command: 'o', env: {} })
    expect(problems).toEqual([
      'warn key-dropped-by-owner /mcp/o/environment',
      'warn key-dropped-by-owner /mcp_servers/c/bearer_token_env_var',
      'warn key-dropped-by-owner /mcp_servers/c/enabled',
    ])
  })

  test('imports include Claude Code’s project servers, and files without a root key', async () => {
    const { names } = await read('mcporter', {
      '~/.claude.json': {
        mcpServers: { everywhere: { command: 'e' } },
        projects: { '/home/dana/src/shop': { mcpServers: { here: { command: 'h' } } } },
      },
      '.cursor/mcp.json': { bare: { command: 'b' }, version: 1 },
      '.vscode/mcp.json': { servers: { code: { type: 'http', url: 'https://v.example' } }, inputs: [] },
    })
    expect(names).toEqual(['bare', 'everywhere', 'here', 'code'])
  })
})

describe('mcporter: files', () => {
  test('an explicit file excludes all others', async () => {
    const { names } = await read(
      'mcporter',
      {
        '/etc/m.json': { mcpServers: { named: { command: 'n' } } },
        [file]: { mcpServers: { home: { command: 'h' } } },
        '~/.cursor/mcp.json': { mcpServers: { x: { command: 'x' } } },
      },
      { env: { MCPORTER_CONFIG: '/etc/m.json' } },
    )
    expect(names).toEqual(['named', 'x'])
  })

  test('in the home directory .json wins over .jsonc', async () => {
    const { names } = await read('mcporter', {
      [file]: '{ "mcpServers": { "a": { "command": "a" } }, /* fine */ "imports": [], }',
      '~/.mcporter/mcporter.jsonc': { mcpServers: { b: { command: 'b' } } },
    })
    expect(names).toEqual(['a'])
  })

  test('invalid JSON is an error with its line', async () => {
    const { names, diagnostics } = await read('mcporter', { [file]: '{\n  "mcpServers": {' })
    expect(names).toEqual([])
    expect(diagnostics).toMatchObject([{ code: 'parse-error', severity: 'error' }])
  })
})
