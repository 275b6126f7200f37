import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const settings = '~/.gemini/settings.json'
const system = '/etc/gemini-cli/settings.json'
const defaults = '/etc/gemini-cli/system-defaults.json'

function servers(entries: Record<string, unknown>, rest: Record<string, unknown> = {}) {
  return { mcpServers: entries, ...rest }
}

describe('Gemini CLI: transport', () => {
  test('a url without a type is Streamable HTTP with a fallback to SSE; with a type there is no fallback', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: servers({
        open: { url: 'https://a.example/mcp' },
        http: { url: 'https://a.example/mcp', type: 'http' },
        sse: { url: 'https://a.example/sse', type: 'sse' },
      }),
    })
    expect(problems).toEqual([])
    expect([found['open'], found['http'], found['sse']]).toMatchObject([
      { transport: 'http', fallback: 'sse' },
      { transport: 'http' },
      { transport: 'sse' },
    ])
    expect(found['http']).not.toHaveProperty('fallback')
  })

  test('httpUrl is deprecated, wins over url and is Streamable HTTP whatever the type says', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: servers({
        d: { httpUrl: 'https://new.example/mcp', url: 'https://old.example', type: 'sse' },
      }),
    })
    expect(found['d']).toMatchObject({ transport: 'http', url: 'https://new.example/mcp' })
    expect(problems).toEqual([
      'info deprecated-key /mcpServers/d/httpUrl',
      'warn duplicate-endpoint /mcpServers/d',
    ])
  })

  test('a url wins over a command; an entry with neither is an error', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: servers({ both: { command: 'x', url: 'https://a.example' }, none: { timeout: 5000 } }),
    })
    expect(found['both']).toMatchObject({ transport: 'http', url: 'https://a.example' })
    expect(problems).toEqual([
      'error missing-endpoint /mcpServers/none',
      'warn command-and-url /mcpServers/both',
    ])
  })

  test('an unknown type, an unknown key and the unused tcp have different codes', async () => {
    const { names, problems } = await read('gemini-cli', {
      [settings]: servers({
        ws: { url: 'https://a.example', type: 'ws' },
        k: { command: 'k', disabled: true, tcp: 'localhost:1' },
      }),
    })
    expect(names).toEqual(['k'])
    expect(problems).toEqual([
      'error unknown-transport /mcpServers/ws/type',
      'warn unknown-key /mcpServers/k/disabled',
      'warn unsupported-in-client /mcpServers/k/tcp',
    ])
  })
})

describe('Gemini CLI: lists and switches', () => {
  const both = { a: { command: 'a' }, b: { command: 'b' } }

  test('the highest file that has a list decides, and an empty list of allowed servers restricts nothing', async () => {
    const { servers: found } = await read('gemini-cli', {
      [settings]: servers(both, { mcp: { allowed: ['a'], excluded: ['a'] } }),
      [system]: { mcp: { allowed: [], excluded: ['B'] } },
    })
    expect(found['a']).toMatchObject({ enabled: true })
    expect(found['b']).toMatchObject({ enabled: false, disabledBy: `${system}#/mcp/excluded` })
  })

  test('T01 a project’s lists can disable servers, but not enable those that the user disabled', async () => {
    const { servers: found } = await read('gemini-cli', {
      [settings]: servers({ ...both, c: { command: 'c' } }, { mcp: { excluded: ['a'] } }),
      '.gemini/settings.json': { mcp: { allowed: ['a', 'c'], excluded: [] } },
    })
    expect(
      Object.entries(found).map(([name, { enabled, disabledBy }]) => [name, enabled, disabledBy]),
    ).toEqual([
      ['a', false, `${home}/.gemini/settings.json#/mcp/excluded`],
      ['b', false, `${project}/.gemini/settings.json#/mcp/allowed`],
      ['c', true, undefined],
    ])
    const { servers: allowed } = await read('gemini-cli', {
      [settings]: servers(both, { mcp: { allowed: ['a'] } }),
      '.gemini/settings.json': { mcp: { allowed: [] } },
    })
    expect(allowed['b']).toMatchObject({
      enabled: false,
      disabledBy: `${home}/.gemini/settings.json#/mcp/allowed`,
    })
  })

  test('a server disabled with `gemini mcp disable` is off', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: servers({ Docs: { command: 'd' }, other: { command: 'o' } }),
      '~/.gemini/mcp-server-enablement.json': { docs: { enabled: false }, other: { enabled: true } },
    })
    expect(problems).toEqual([])
    expect(found['Docs']).toMatchObject({
      enabled: false,
      disabledBy: `${home}/.gemini/mcp-server-enablement.json#/docs/enabled`,
    })
    expect(found['other']).toMatchObject({ enabled: true })
  })

  test('a list that is not a list of names is reported and ignored', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: servers({ a: { command: 'a' } }, { mcp: { allowed: 'a', excluded: [1] } }),
    })
    expect(found['a']).toMatchObject({ enabled: true })
    expect(problems).toEqual(['warn wrong-type /mcp/allowed', 'warn wrong-type /mcp/excluded'])
  })

  test('the lists of a broken file are ignored', async () => {
    const { problems } = await read('gemini-cli', {
      [settings]: '{ "mcp": { "excluded": ["a"] }, "mcpServers": {',
      '.gemini/settings.json': servers({ a: { command: 'a' } }),
    })
    expect(problems).toEqual(['error parse-error'])
  })
})

describe('Gemini CLI: levels', () => {
  test('system settings rank above project, user and system defaults, in this order', async () => {
    const { servers: found, shadowed } = await read('gemini-cli', {
      [system]: servers({ s: { command: 'system' } }),
      '.gemini/settings.json': servers({ s: { command: 'project' }, p: { command: 'project' } }),
      [settings]: servers({ p: { command: 'user' }, d: { command: 'user' } }),
      [defaults]: servers({ d: { command: 'defaults' }, only: { command: 'defaults' } }),
    })
    expect(Object.entries(found).map(([name, { command }]) => [name, command])).toEqual([
      ['s', 'system'],
      ['p', 'project'],
      ['d', 'user'],
      ['only', 'defaults'],
    ])
    expect(shadowed.map(({ name, scope }) => [name, scope])).toEqual([
      ['s', 'project'],
      ['p', 'user'],
      ['d', 'system-defaults'],
    ])
  })

  test('comments are allowed', async () => {
    const { names, problems } = await read('gemini-cli', {
      [settings]: '{ // mine\n "mcpServers": { "a": { "command": "a" } } }',
    })
    expect({ names, problems }).toEqual({ names: ['a'], problems: [] })
  })

  test('an extension ranks last, resolves its own folder and cannot set trust', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      '~/.gemini/extensions/acme/gemini-extension.json': servers({
        tool: { command: 'node', args: ['${extensionPath}${/}run.js'], trust: true },
      }),
    })
    expect(problems).toEqual(['warn key-dropped-by-owner /mcpServers/tool/trust'])
    expect(found['tool']).toMatchObject({
      resolved: { args: [`${home}/.gemini/extensions/acme/run.js`] },
    })
  })

  test('an extension server can be excluded by its full id', async () => {
    const { servers: found } = await read('gemini-cli', {
      '~/.gemini/extensions/acme/gemini-extension.json': servers({ tool: { command: 'node' } }),
      [settings]: { mcp: { excluded: ['ext:acme:tool'] } },
    })
    expect(found['tool']).toMatchObject({
      enabled: false,
      disabledBy: `${home}/.gemini/settings.json#/mcp/excluded`,
    })
  })

  test('mcp.serverCommand declares a server called "mcp"', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: { mcp: { serverCommand: 'node "my server.js" --port 1' } },
    })
    expect(problems).toEqual([])
    expect(found['mcp']).toMatchObject({ command: 'node', args: ['my server.js', '--port', '1'] })
  })
})

describe('Gemini CLI: values and logins', () => {
  test('$VAR, ${VAR} and ${VAR:-default} are expanded, and an unset one is reported', async () => {
    const { servers: found, problems } = await read(
      'gemini-cli',
      {
        [settings]: servers({
          a: { command: 'a', args: ['$ONE', '${TWO:-2}', '%ONE%'] },
          b: { command: 'b', env: { X: '${NOPE}' } },
        }),
      },
      { env: { ONE: '1' } },
    )
    expect(found['a']).toMatchObject({ resolved: { args: ['1', '2', '%ONE%'] } })
    expect(problems).toEqual(['warn missing-env /mcpServers/b/env/X'])
  })

  test('%VAR% is expanded on Windows', async () => {
    const { servers: found } = await read(
      'gemini-cli',
      { [settings]: servers({ a: { command: 'a', args: ['%ONE%'] } }) },
      { env: { ONE: '1' }, os: 'win32' },
    )
    expect(found['a']).toMatchObject({ resolved: { args: ['1'] } })
  })

  test('a login is OAuth unless another provider is named; a provider without its targets is refused', async () => {
    const url = 'https://a.example'
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: servers({
        o: { url, oauth: { enabled: true, clientId: 'c', clientSecret: 's3cret', scopes: ['r'] } },
        d: { url, authProviderType: 'dynamic_discovery' },
        s: {
          url,
          authProviderType: 'service_account_impersonation',
          targetAudience: 'a',
          targetServiceAccount: 'b',
        },
        bad: { url, authProviderType: 'service_account_impersonation' },
      }),
    })
    expect([found['o'], found['d'], found['s'], found['bad']].map((server) => server?.['auth'])).toEqual([
      { type: 'oauth', enabled: true, clientId: 'c', clientSecret: 's3cret', scopes: ['r'] },
      { type: 'oauth' },
      { type: 'service_account_impersonation', targetAudience: 'a', targetServiceAccount: 'b' },
      undefined,
    ])
    expect(problems).toEqual([
      'error missing-key /mcpServers/bad',
      'warn plaintext-secret /mcpServers/o/oauth/clientSecret',
    ])
  })

  test('an Authorization header beside a login is a conflict, unless the login is off', async () => {
    const entry = { url: 'https://a.example', headers: { authorization: 'Bearer ${T:-t}' } }
    const { problems } = await read('gemini-cli', {
      [settings]: servers({
        a: { ...entry, oauth: { clientId: 'c' } },
        b: { ...entry, oauth: { enabled: false } },
        c: entry,
      }),
    })
    expect(problems).toEqual(['warn auth-conflict /mcpServers/a'])
  })

  test('timeouts are in milliseconds, and a small one looks like seconds', async () => {
    const { servers: found, problems } = await read('gemini-cli', {
      [settings]: servers({ a: { command: 'a', timeout: 30_000 }, b: { command: 'b', timeout: 30 } }),
    })
    expect(found['a']).toMatchObject({ timeoutMs: 30_000 })
    expect(problems).toEqual(['warn timeout-unit-suspect /mcpServers/b/timeout'])
  })
})
