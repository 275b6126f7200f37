import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.config/opencode/opencode.json'

test('opencode: local is a command in a list, remote is http with a fallback to sse', async () => {
  const { servers, problems } = await read('opencode', {
    'opencode.json': {
      mcp: {
        a: { type: 'local', command: ['npx', '-y', 'a@latest'], environment: { A: '1' } },
        b: { type: 'remote', url: 'https://b.example/mcp', timeout: 2000 },
      },
    },
  })
  expect(servers['a']).toMatchObject({ command: 'npx', args: ['-y', 'a@latest'], env: { A: '1' } })
  expect(servers['b']).toMatchObject({
    transport: 'http',
    fallback: 'sse',
    timeoutMs: 2000,
    startupTimeoutMs: 2000,
  })
  expect(problems).toEqual(['info unpinned-package /mcp/a/command/2'])
})

test.each([
  ['no type for a command', { command: ['x'] }, 'error missing-type /mcp/x'],
  ['no type for a url', { url: 'https://x.example' }, 'error missing-type /mcp/x'],
  [
    'a type of another client',
    { type: 'http', url: 'https://x.example' },
    'error unknown-transport /mcp/x/type',
  ],
  ['a command as a string', { type: 'local', command: 'x' }, 'error wrong-type /mcp/x/command'],
  ['an empty command', { type: 'local', command: [] }, 'error missing-endpoint /mcp/x/command'],
  ['a type without an endpoint', { type: 'local' }, 'error missing-endpoint /mcp/x'],
  ['a timeout of 0', { type: 'local', command: ['x'], timeout: 0 }, 'error out-of-range /mcp/x/timeout'],
  [
    'both a command and a url',
    { type: 'local', command: ['x'], url: 'https://x.example' },
    'error command-and-url /mcp/x',
  ],
])('opencode: %s is refused, and the others are read', async (_title, entry, problem) => {
  const { names, problems } = await read('opencode', {
    'opencode.json': { mcp: { x: entry, ok: { type: 'local', command: ['ok'] } } },
  })
  expect(names).toEqual(['ok'])
  expect(problems).toEqual([problem])
})

test('opencode: keys of other clients and of the other transport are reported as ignored', async () => {
  const { servers, problems } = await read('opencode', {
    'opencode.json': {
      mcp: {
        a: { type: 'local', command: ['a'], args: ['b'], env: { A: '1' }, headers: { X: 'y' }, oauth: {} },
        b: { type: 'remote', url: 'https://b.example', environment: { A: '1' }, cwd: '/', disabled: true },
      },
    },
  })
  expect(servers['a']).toMatchObject({ args: [], env: {}, headers: {} })
  expect(servers['a']).not.toHaveProperty('auth')
  expect(servers['b']).toMatchObject({ env: {}, cwd: null, enabled: true })
  expect(problems).toEqual([
    'warn unknown-key /mcp/a/args',
    'warn unknown-key /mcp/a/env',
    'warn unknown-key /mcp/a/headers',
    'warn unknown-key /mcp/a/oauth',
    'warn unknown-key /mcp/b/cwd',
    'warn unknown-key /mcp/b/disabled',
    'warn unknown-key /mcp/b/environment',
  ])
})

test('opencode: a literal client secret is reported', async () => {
  const remote = { type: 'remote', url: 'https://x.example', oauth: { clientId: 'c', clientSecret: 's3' } }
  const { problems } = await read('opencode', { 'opencode.json': { mcp: { x: remote } } })
  expect(problems).toEqual(['warn plaintext-secret /mcp/x/oauth/clientSecret'])
})

describe('opencode: values', () => {
  test('an unset variable becomes empty, and cwd is relative to the working directory', async () => {
    const { servers, problems } = await read(
      'opencode',
      {
        [user]: {
          mcp: {
            x: {
              type: 'local',
              command: ['{env:BIN}', '{env:GONE}'],
              cwd: 'sub',
              environment: { A: '${BIN} $BIN' },
            },
          },
        },
      },
      { env: { BIN: '/bin/x' } },
    )
    expect(servers['x']?.['resolved']).toEqual({ command: '/bin/x', args: [''], cwd: `${project}/sub` })
    expect(problems).toEqual(['warn missing-env /mcp/x/command/1'])
  })

  test('a value from a file is reported even if the server is off, and the file is not read', async () => {
    const entry = { type: 'remote', url: 'https://x.example', headers: { K: '{file:./key}' }, enabled: false }
    const { servers, problems } = await read('opencode', { 'opencode.json': { mcp: { x: entry } }, key: 'k' })
    expect(servers['x']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['warn reads-file /mcp/x/headers/K'])
  })
})

describe('opencode: top-level tool switches', () => {
  const mcp = { pg: { type: 'local', command: ['pg'] }, 'my.db': { type: 'local', command: ['db'] } }

  test.each([
    [{ 'pg_drop*': false, pg_rm: false, other_x: false }, null, ['drop*', 'rm']],
    [{ 'pg_*': false }, null, ['*']],
    [{ 'pg*': false }, null, ['*']],
    [{ '*': false }, null, ['*']],
    [{ 'pg_*': false, pg_query: true }, ['query'], []],
    [{ pg_query: true, bash: false }, null, []],
  ])('%j sets the tool lists', async (tools, allowedTools, deniedTools) => {
    const { servers, problems } = await read('opencode', { 'opencode.json': { mcp, tools } })
    expect(servers['pg']).toMatchObject({ allowedTools, deniedTools })
    expect(problems).toEqual([])
  })

  test('patterns match the sanitized name of the server', async () => {
    const { servers } = await read('opencode', { 'opencode.json': { mcp, tools: { 'my_db_*': false } } })
    expect(servers['my.db']?.['deniedTools']).toEqual(['*'])
  })

  test('a denied permission is a switch too, and the nearer file wins', async () => {
    const { servers } = await read('opencode', {
      'opencode.json': { mcp, permission: { pg_a: 'deny', pg_b: 'ask' } },
      [user]: { tools: { pg_b: false, pg_c: false } },
    })
    expect(servers['pg']?.['deniedTools']).toEqual(expect.arrayContaining(['a', 'c']))
    expect(servers['pg']?.['deniedTools']).toHaveLength(2)
  })
})

describe('opencode: nested layout', () => {
  test('has its own switch and timeouts, with defaults of the file', async () => {
    const { servers, problems } = await read('opencode', {
      'opencode.json': {
        mcp: {
          timeout: { request: 9000 },
          servers: {
            a: { type: 'local', command: ['a'], disabled: true, timeout: { startup: 4000 } },
            b: { type: 'local', command: ['b'], enabled: false, timeout: 5000 },
          },
        },
      },
    })
    expect(servers['a']).toMatchObject({ enabled: false, startupTimeoutMs: 4000, timeoutMs: 9000 })
    expect(servers['b']).toMatchObject({ enabled: true, startupTimeoutMs: null, timeoutMs: 9000 })
    expect(problems).toEqual([
      'info layout-v2 /mcp/servers',
      'warn unknown-key /mcp/servers/b/enabled',
      'warn wrong-type /mcp/servers/b/timeout',
    ])
  })

  test('an entry beside "servers" is reported and not read', async () => {
    const { names, problems } = await read('opencode', {
      'opencode.json': { mcp: { servers: {}, x: { type: 'local', command: ['x'] } } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['info layout-v2 /mcp/servers', 'warn unknown-key /mcp/x'])
  })

  test('a server of the first layout may be called "servers"', async () => {
    const { names, problems } = await read('opencode', {
      'opencode.json': { mcp: { servers: { type: 'local', command: ['x'] } } },
    })
    expect(names).toEqual(['servers'])
    expect(problems).toEqual([])
  })

  test('merges with a file of the first layout', async () => {
    const { servers, problems } = await read('opencode', {
      'opencode.json': { mcp: { servers: { x: { disabled: true } } } },
      [user]: { mcp: { x: { type: 'local', command: ['x'] } }, experimental: { mcp_timeout: 7000 } },
    })
    expect(servers['x']).toMatchObject({
      enabled: false,
      disabledBy: `${project}/opencode.json#/mcp/servers/x/disabled`,
      timeoutMs: 7000,
    })
    expect(problems).toEqual(['info layout-v2 /mcp/servers', 'info merged-across-layers /mcp/servers/x'])
  })
})

describe('opencode: layers', () => {
  test('T06 a layer that changes only the url does not inherit credentials', async () => {
    const { servers, problems } = await read('opencode', {
      'opencode.json': { mcp: { x: { url: 'https://elsewhere.example/mcp' } } },
      [user]: {
        mcp: {
          x: {
            type: 'remote',
            url: 'https://x.example/mcp',
            headers: { Authorization: 'Bearer {env:T}' },
            oauth: { clientId: 'c' },
            timeout: 3000,
          },
        },
      },
    })
    expect(servers['x']).toMatchObject({
      url: 'https://elsewhere.example/mcp',
      fallback: 'sse',
      headers: {},
      timeoutMs: 3000,
      mergedFrom: [`${home}/.config/opencode/opencode.json`],
    })
    expect(servers['x']).not.toHaveProperty('auth')
    expect(problems).toEqual(['info merged-across-layers /mcp/x', 'warn credentials-dropped /mcp/x'])
  })

  test('a layer with the same url inherits credentials', async () => {
    const remote = { type: 'remote', url: 'https://x.example/mcp' }
    const { servers } = await read('opencode', {
      'opencode.json': { mcp: { x: { ...remote, headers: { B: '2' } } } },
      [user]: { mcp: { x: { ...remote, headers: { A: '1' } } } },
    })
    expect(servers['x']?.['headers']).toEqual({ A: '1', B: '2' })
  })

  test('a switch for an undeclared server is accepted and is not a server', async () => {
    const { names, problems } = await read('opencode', {
      'opencode.json': { mcp: { x: { enabled: false }, empty: {} } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['error missing-endpoint /mcp/empty'])
  })

  test('opencode.json ranks above opencode.jsonc, in the project and in .opencode, not for the user', async () => {
    const local = (word: string) => ({ mcp: { x: { type: 'local', command: [word] } } })
    const winner = async (files: Readonly<Record<string, unknown>>) =>
      (await read('opencode', files)).servers['x']?.['command']
    for (const folder of ['', '.opencode/'])
      expect(
        await winner({
          [`${folder}opencode.jsonc`]: local('comments'),
          [`${folder}opencode.json`]: local('plain'),
        }),
      ).toBe('plain')
    expect(await winner({ [`${user}c`]: local('comments'), [user]: local('plain') })).toBe('comments')
  })

  test('.opencode ranks above the project, and the project above the user', async () => {
    const local = (word: string) => ({ mcp: { x: { type: 'local', command: [word] } } })
    const { servers, problems } = await read('opencode', {
      '.opencode/opencode.jsonc': local('dir'),
      'opencode.json': local('project'),
      [user]: local('user'),
    })
    expect(servers['x']).toMatchObject({
      command: 'dir',
      mergedFrom: [`${project}/opencode.json`, `${home}/.config/opencode/opencode.json`],
    })
    expect(problems).toEqual(['info merged-across-layers /mcp/x', 'info merged-across-layers /mcp/x'])
  })
})
