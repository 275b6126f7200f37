import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.config/crush/crush.json'

test('Crush: the type decides the transport; http has no fallback', async () => {
  const { servers, problems } = await read('crush', {
    [user]: {
      mcp: {
        a: { type: 'stdio', command: 'npx', args: ['a@latest'], timeout: 15 },
        b: { type: 'http', url: 'https://b.example/mcp', disabled: true },
        c: { type: 'sse', url: 'https://c.example/sse' },
      },
    },
  })
  expect(servers['a']).toMatchObject({ command: 'npx', startupTimeoutMs: 15_000, timeoutMs: null })
  expect(servers['b']).toMatchObject({ transport: 'http', enabled: false })
  expect(servers['b']).not.toHaveProperty('fallback')
  expect(servers['c']).toMatchObject({ transport: 'sse' })
  expect(problems).toEqual(['info unpinned-package /mcp/a/args/0'])
})

test.each([
  ['a url without a type', { url: 'https://x.example' }, 'error url-missing-type /mcp/x'],
  [
    'a type of another client',
    { type: 'remote', url: 'https://x.example' },
    'error unknown-transport /mcp/x/type',
  ],
  ['stdio without a command', { type: 'stdio' }, 'error missing-endpoint /mcp/x'],
  ['http without a url', { type: 'http', command: 'x' }, 'error missing-endpoint /mcp/x'],
  ['args that are not a list', { type: 'stdio', command: 'x', args: 'y' }, 'error wrong-type /mcp/x/args'],
])('Crush: %s is refused, and the others are read', async (_title, entry, problem) => {
  const { names, problems } = await read('crush', {
    [user]: { mcp: { x: entry, ok: { type: 'stdio', command: 'ok' } } },
  })
  expect(names).toEqual(['ok'])
  expect(problems).toEqual([problem])
})

test('Crush: the type decides between a command and a url', async () => {
  const { servers, problems } = await read('crush', {
    [user]: { mcp: { x: { type: 'http', command: 'x', url: 'https://x.example' } } },
  })
  expect(servers['x']).toMatchObject({ transport: 'http', url: 'https://x.example' })
  expect(problems).toEqual(['warn command-and-url /mcp/x'])
})

test('Crush: a comment makes the whole file unusable', async () => {
  const { names, problems } = await read('crush', {
    [user]: '{ "mcp": { "x": { "type": "stdio", "command": "x" } } } // mine',
  })
  expect(names).toEqual([])
  expect(problems).toEqual(['error parse-error'])
})

test('Crush: keys of the other transport are dropped and reported', async () => {
  const { servers, problems } = await read('crush', {
    [user]: {
      mcp: {
        a: { type: 'stdio', command: 'a', cwd: '/', headers: { X: 'y' } },
        b: { type: 'http', url: 'https://b.example', args: ['a'], env: { A: '1' } },
      },
    },
  })
  expect(servers['a']).toMatchObject({ cwd: null, headers: {} })
  expect(servers['b']).toMatchObject({ args: [], env: {} })
  expect(problems).toEqual([
    'warn unknown-key /mcp/a/cwd',
    'warn unknown-key /mcp/a/headers',
    'warn unknown-key /mcp/b/args',
    'warn unknown-key /mcp/b/env',
  ])
})

describe('Crush: tools', () => {
  test('an empty enabled_tools enables all tools', async () => {
    const { servers, problems } = await read('crush', {
      [user]: { mcp: { x: { type: 'stdio', command: 'x', enabled_tools: [] } } },
    })
    expect(servers['x']?.['allowedTools']).toBeNull()
    expect(problems).toEqual([])
  })

  test('a tool on both lists is off and reported', async () => {
    const { servers, problems } = await read('crush', {
      [user]: {
        mcp: { x: { type: 'stdio', command: 'x', enabled_tools: ['a', 'b'], disabled_tools: ['b'] } },
      },
    })
    expect(servers['x']).toMatchObject({ allowedTools: ['a', 'b'], deniedTools: ['b'] })
    expect(problems).toEqual(['info tool-filter-conflict /mcp/x'])
  })
})

describe('Crush: login', () => {
  const http = { type: 'http', url: 'https://x.example' }

  test.each([
    [{ oauth: true }, { type: 'oauth' }, []],
    [{ oauth: false }, { type: 'none' }, []],
    [{ oauth_client_id: 'c' }, { type: 'oauth', clientId: 'c' }, []],
    [
      { oauth: true, oauth_client_id: 'c', oauth_client_secret: 's' },
      { type: 'oauth', clientId: 'c', clientSecret: 's' },
      ['warn plaintext-secret /mcp/x/oauth_client_secret'],
    ],
  ])('%j is read', async (keys, auth, wanted) => {
    const { servers, problems } = await read('crush', { [user]: { mcp: { x: { ...http, ...keys } } } })
    expect(servers['x']?.['auth']).toEqual(auth)
    expect(problems).toEqual(wanted)
  })

  test('a login is used only with type "http"', async () => {
    const { servers, problems } = await read('crush', {
      [user]: {
        mcp: {
          x: { type: 'stdio', command: 'x', oauth: true },
          y: { type: 'sse', url: 'https://y.example', oauth_client_id: 'c' },
        },
      },
    })
    expect(servers['x']).not.toHaveProperty('auth')
    expect(servers['y']).not.toHaveProperty('auth')
    expect(problems).toEqual([
      'warn unsupported-in-client /mcp/x/oauth',
      'warn unsupported-in-client /mcp/y/oauth_client_id',
    ])
  })

  test('tokens that Crush keeps in its file are reported and not shown', async () => {
    const { servers, problems } = await read('crush', {
      '~/.local/share/crush/crush.json': { mcp: { x: { oauth_token: { access_token: 'live-token' } } } },
      [user]: { mcp: { x: http } },
    })
    expect(JSON.stringify(servers)).not.toContain('live-token')
    expect(problems).toEqual(['info merged-across-layers /mcp/x', 'warn embedded-token /mcp/x/oauth_token'])
  })
})

describe('Crush: values', () => {
  test('values are expanded as in a shell, except the command', async () => {
    const { servers, problems } = await read(
      'crush',
      {
        [user]: {
          mcp: {
            a: {
              type: 'stdio',
              command: '$BIN',
              args: ['$BIN', '${BIN}/x', '${GONE:-d}'],
              env: { A: '$GONE' },
            },
          },
        },
      },
      { env: { BIN: '/bin' } },
    )
    expect(servers['a']?.['resolved']).toEqual({ args: ['/bin', '/bin/x', 'd'], env: { A: '' } })
    expect(problems).toEqual(['warn missing-env /mcp/a/env/A'])
  })

  test('an unset variable with :? is reported', async () => {
    const { problems } = await read('crush', {
      [user]: { mcp: { x: { type: 'http', url: 'https://${HOST:?set it}/mcp' } } },
    })
    expect(problems).toEqual(['warn missing-env /mcp/x/url'])
  })

  test('T08 a command in any value is an error and is not run', async () => {
    const { servers, problems } = await read('crush', {
      [user]: {
        mcp: {
          a: { type: 'stdio', command: 'a', args: ['$(one)'], disabled: true },
          b: {
            type: 'http',
            url: 'https://$(two)/',
            headers: { A: 'x $(three)' },
            oauth_client_id: '$(four)',
          },
        },
      },
    })
    expect(servers['b']).not.toHaveProperty('resolved')
    expect(problems).toEqual([
      'error runs-command /mcp/a/args/0',
      'error runs-command /mcp/b/headers/A',
      'error runs-command /mcp/b/oauth_client_id',
      'error runs-command /mcp/b/url',
    ])
  })
})

describe('Crush: layers', () => {
  test('T06 a layer that changes only the url does not inherit credentials', async () => {
    const { servers, problems } = await read(
      'crush',
      {
        '.crush.json': { mcp: { x: { url: 'https://elsewhere.example/mcp' } } },
        [user]: {
          mcp: {
            x: {
              type: 'http',
              url: 'https://x.example/mcp',
              headers: { Authorization: 'Bearer $T' },
              oauth: true,
              oauth_client_secret: '$S',
              timeout: 5,
            },
          },
        },
      },
      { env: { T: 't', S: 's' } },
    )
    expect(servers['x']).toMatchObject({
      url: 'https://elsewhere.example/mcp',
      headers: {},
      startupTimeoutMs: 5000,
      mergedFrom: [`${home}/.config/crush/crush.json`],
    })
    expect(servers['x']).not.toHaveProperty('auth')
    expect(servers['x']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['info merged-across-layers /mcp/x', 'warn credentials-dropped /mcp/x'])
  })

  test('T06 nor does it inherit credentials that a layer between adds', async () => {
    const { servers } = await read('crush', {
      'crush.json': { mcp: { x: { type: 'http', url: 'https://elsewhere.example/mcp' } } },
      '~/.local/share/crush/crush.json': { mcp: { x: { headers: { Authorization: 'Bearer $T' } } } },
      [user]: { mcp: { x: { type: 'http', url: 'https://x.example/mcp' } } },
    })
    expect(servers['x']).toMatchObject({ url: 'https://elsewhere.example/mcp', headers: {} })
  })

  test('parts of a login are merged', async () => {
    const { servers } = await read('crush', {
      'crush.json': { mcp: { x: { oauth_callback_port: 9000 } } },
      [user]: { mcp: { x: { type: 'http', url: 'https://x.example', oauth: true, oauth_client_id: 'c' } } },
    })
    expect(servers['x']?.['auth']).toEqual({ type: 'oauth', clientId: 'c', callbackPort: 9000 })
  })

  test('lists of disabled tools are merged', async () => {
    const { servers } = await read('crush', {
      'crush.json': { mcp: { x: { disabled_tools: ['b', 'a'] } } },
      [user]: { mcp: { x: { type: 'stdio', command: 'x', disabled_tools: ['a'] } } },
    })
    expect(servers['x']?.['deniedTools']).toEqual(['a', 'b'])
  })

  test('.crush.json ranks above crush.json, and the type is checked after merging', async () => {
    const { servers, problems } = await read('crush', {
      '.crush.json': { mcp: { x: { command: 'near' } } },
      'crush.json': { mcp: { x: { type: 'stdio', command: 'far' } } },
    })
    expect(servers['x']).toMatchObject({ command: 'near', mergedFrom: [`${project}/crush.json`] })
    expect(problems).toEqual(['info merged-across-layers /mcp/x'])
  })

  test('disabledBy names a layer that has only the switch', async () => {
    const { servers } = await read('crush', {
      'crush.json': { mcp: { x: { disabled: true }, ghost: { disabled: true } } },
      [user]: { mcp: { x: { type: 'stdio', command: 'x' } } },
    })
    expect(Object.keys(servers)).toEqual(['x'])
    expect(servers['x']).toMatchObject({
      enabled: false,
      disabledBy: `${project}/crush.json#/mcp/x/disabled`,
    })
  })
})
