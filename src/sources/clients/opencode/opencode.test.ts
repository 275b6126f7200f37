import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.config/opencode/opencode.json'

test('local is a command in a list, remote is HTTP and then SSE', async () => {
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
  ['a type alone', { type: 'local' }, 'error missing-endpoint /mcp/x'],
  [
    'a timeout of nothing',
    { type: 'local', command: ['x'], timeout: 0 },
    'error out-of-range /mcp/x/timeout',
  ],
  ['both', { type: 'local', command: ['x'], url: 'https://x.example' }, 'error command-and-url /mcp/x'],
])('%s is refused, and the others are read', async (_title, entry, problem) => {
  const { names, problems } = await read('opencode', {
    'opencode.json': { mcp: { x: entry, ok: { type: 'local', command: ['ok'] } } },
  })
  expect(names).toEqual(['ok'])
  expect(problems).toEqual([problem])
})

test('keys of other clients and of the other kind are ignored, and pointed out', async () => {
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

test('a literal client secret is pointed out', async () => {
  const remote = { type: 'remote', url: 'https://x.example', oauth: { clientId: 'c', clientSecret: 's3' } }
  const { problems } = await read('opencode', { 'opencode.json': { mcp: { x: remote } } })
  expect(problems).toEqual(['warn plaintext-secret /mcp/x/oauth/clientSecret'])
})

describe('values', () => {
  test('an unset variable becomes empty, a folder is relative to the working directory', async () => {
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

  test('a value from a file is pointed out even while the server is off, and never read', async () => {
    const entry = { type: 'remote', url: 'https://x.example', headers: { K: '{file:./key}' }, enabled: false }
    const { servers, problems } = await read('opencode', { 'opencode.json': { mcp: { x: entry } }, key: 'k' })
    expect(servers['x']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['warn reads-file /mcp/x/headers/K'])
  })
})

describe('tools that are switched at the top of a file', () => {
  const mcp = { pg: { type: 'local', command: ['pg'] }, 'my.db': { type: 'local', command: ['db'] } }

  test.each([
    [{ 'pg_drop*': false, pg_rm: false, other_x: false }, null, ['drop*', 'rm']],
    [{ 'pg_*': false }, null, ['*']],
    [{ 'pg*': false }, null, ['*']],
    [{ '*': false }, null, ['*']],
    [{ 'pg_*': false, pg_query: true }, ['query'], []],
    [{ pg_query: true, bash: false }, null, []],
  ])('%j', async (tools, allowedTools, deniedTools) => {
    const { servers, problems } = await read('opencode', { 'opencode.json': { mcp, tools } })
    expect(servers['pg']).toMatchObject({ allowedTools, deniedTools })
    expect(problems).toEqual([])
  })

  test('a server is found under the name its tools have', async () => {
    const { servers } = await read('opencode', { 'opencode.json': { mcp, tools: { 'my_db_*': false } } })
    expect(servers['my.db']?.['deniedTools']).toEqual(['*'])
  })

  test('a denied permission is a switch too, and the nearer file has the last word', async () => {
    const { servers } = await read('opencode', {
      'opencode.json': { mcp, permission: { pg_a: 'deny', pg_b: 'ask' } },
      [user]: { tools: { pg_b: false, pg_c: false } },
    })
    expect(servers['pg']?.['deniedTools']).toEqual(expect.arrayContaining(['a', 'c']))
    expect(servers['pg']?.['deniedTools']).toHaveLength(2)
  })
})

describe('the nested layout', () => {
  test('has its own flag and timeouts; the default ones fill the gaps', async () => {
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

  test('what stands beside "servers" is no server', async () => {
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

  test('joins with a file of the first layout', async () => {
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

describe('layers', () => {
  test('T06 a layer that changes only the url does not get the credentials of the one below', async () => {
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

  test('the same url keeps them', async () => {
    const remote = { type: 'remote', url: 'https://x.example/mcp' }
    const { servers } = await read('opencode', {
      'opencode.json': { mcp: { x: { ...remote, headers: { B: '2' } } } },
      [user]: { mcp: { x: { ...remote, headers: { A: '1' } } } },
    })
    expect(servers['x']?.['headers']).toEqual({ A: '1', B: '2' })
  })

  test('a switch for a server that no file declares is legal, and no server', async () => {
    const { names, problems } = await read('opencode', {
      'opencode.json': { mcp: { x: { enabled: false }, empty: {} } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['error missing-endpoint /mcp/empty'])
  })

  test('.opencode comes before the project, and the project before the user', async () => {
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
