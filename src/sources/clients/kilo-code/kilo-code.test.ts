import { describe, expect, test } from 'vitest'
import { project, read } from '../../../../test/support/read.ts'

const user = '~/.config/kilo/kilo.jsonc'
const legacyUser = '~/.config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json'

test('Kilo Code: entries are as in opencode, plus "env" and with one timeout', async () => {
  const { servers, problems } = await read('kilo-code', {
    'kilo.json': {
      mcp: {
        a: { type: 'local', command: ['a', '--x'], env: { A: '1' }, timeout: 4000 },
        b: { type: 'local', command: ['b'], environment: { B: '2' } },
        c: { type: 'remote', url: 'https://c.example', enabled: false },
      },
    },
  })
  expect(servers['a']).toMatchObject({
    args: ['--x'],
    env: { A: '1' },
    timeoutMs: 4000,
    startupTimeoutMs: null,
  })
  expect(servers['b']).toMatchObject({ env: { B: '2' } })
  expect(servers['c']).toMatchObject({ transport: 'http', fallback: 'sse', enabled: false })
  expect(problems).toEqual([])
})

test.each([
  [
    'cwd of a local server',
    { type: 'local', command: ['x'], cwd: '/srv' },
    'warn key-dropped-by-owner /mcp/x/cwd',
  ],
  [
    'cwd of a remote server',
    { type: 'remote', url: 'https://x.example', cwd: '/' },
    'warn unknown-key /mcp/x/cwd',
  ],
  [
    'env of a remote server',
    { type: 'remote', url: 'https://x.example', env: {} },
    'warn unknown-key /mcp/x/env',
  ],
])('Kilo Code: %s is dropped and reported', async (_title, entry, problem) => {
  const { servers, problems } = await read('kilo-code', { 'kilo.json': { mcp: { x: entry } } })
  expect(servers['x']).toMatchObject({ cwd: null, env: {} })
  expect(problems).toEqual([problem])
})

test('Kilo Code: an entry without a type is refused', async () => {
  const { names, problems } = await read('kilo-code', {
    '.kilo/kilo.json': { mcp: { x: { command: ['x'] } } },
  })
  expect(names).toEqual([])
  expect(problems).toEqual(['error missing-type /mcp/x'])
})

test('Kilo Code: an unset variable becomes empty', async () => {
  const entry = { type: 'remote', url: 'https://x.example', headers: { A: '{env:GONE}' } }
  const { servers, problems } = await read('kilo-code', { 'kilo.json': { mcp: { x: entry } } })
  expect(servers['x']?.['resolved']).toEqual({ headers: { A: '' } })
  expect(problems).toEqual(['warn missing-env /mcp/x/headers/A'])
})

describe('Kilo Code: layers', () => {
  test('T06 a layer that changes only the url does not inherit credentials', async () => {
    const { servers, problems } = await read('kilo-code', {
      'kilo.json': { mcp: { x: { type: 'remote', url: 'https://elsewhere.example/mcp' } } },
      [user]: {
        mcp: {
          x: {
            type: 'remote',
            url: 'https://x.example/mcp',
            headers: { A: '{env:T}' },
            oauth: { clientId: 'c' },
          },
        },
      },
    })
    expect(servers['x']).toMatchObject({ url: 'https://elsewhere.example/mcp', headers: {} })
    expect(servers['x']).not.toHaveProperty('auth')
    expect(problems).toEqual(['info merged-across-layers /mcp/x', 'warn credentials-dropped /mcp/x'])
  })

  test('T06 a new entry with another url does not inherit credentials of a legacy entry', async () => {
    const { servers, problems } = await read('kilo-code', {
      'kilo.json': { mcp: { x: { type: 'remote', url: 'https://elsewhere.example/mcp' } } },
      [legacyUser]: {
        mcpServers: {
          x: { type: 'sse', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer abc' } },
        },
      },
    })
    expect(servers['x']).toMatchObject({ url: 'https://elsewhere.example/mcp', headers: {} })
    expect(problems).toEqual([
      'info legacy-file',
      'info merged-across-layers /mcp/x',
      'warn credentials-dropped /mcp/x',
      'warn plaintext-secret /mcpServers/x/headers/Authorization',
    ])
  })

  test('a new file can disable a legacy server', async () => {
    const { servers } = await read('kilo-code', {
      'kilo.json': { mcp: { x: { enabled: false } } },
      '.kilocode/mcp.json': { mcpServers: { x: { command: 'x' } } },
    })
    expect(servers['x']).toMatchObject({
      command: 'x',
      enabled: false,
      disabledBy: `${project}/kilo.json#/mcp/x/enabled`,
    })
  })

  test('.kilo/mcp.json ranks above .kilocode/mcp.json', async () => {
    const { servers, problems } = await read('kilo-code', {
      '.kilo/mcp.json': { mcpServers: { x: { command: 'newer' } } },
      '.kilocode/mcp.json': { mcpServers: { x: { command: 'older' } } },
    })
    expect(servers['x']).toMatchObject({ command: 'newer' })
    expect(problems).toEqual([
      'info legacy-file',
      'info legacy-file',
      'info merged-across-layers /mcpServers/x',
    ])
  })
})

describe('Kilo Code: legacy files', () => {
  const legacy = '.kilocode/mcp.json'

  test.each([
    ['a stdio server', { command: 'x' }, { transport: 'stdio' }],
    [
      'a streamable-http server',
      { type: 'streamable-http', url: 'https://x.example' },
      { transport: 'http', fallback: 'sse' },
    ],
    ['an sse server', { type: 'sse', url: 'https://x.example' }, { transport: 'http', fallback: 'sse' }],
    ['a disabled server', { command: 'x', disabled: true }, { enabled: false }],
    ['a timeout in seconds', { command: 'x', timeout: 30 }, { timeoutMs: 30_000 }],
  ])('%s is read', async (_title, entry, fields) => {
    const { servers, problems } = await read('kilo-code', { [legacy]: { mcpServers: { x: entry } } })
    expect(servers['x']).toMatchObject(fields)
    expect(problems).toEqual(['info legacy-file'])
  })

  test.each([
    ['a url without a type', { url: 'https://x.example' }, 'error url-missing-type /mcpServers/x'],
    [
      'a type of another client',
      { type: 'http', url: 'https://x.example' },
      'error unknown-transport /mcpServers/x/type',
    ],
    ['an entry without an endpoint', { disabled: true }, 'error missing-endpoint /mcpServers/x'],
  ])('%s is refused', async (_title, entry, problem) => {
    const { names, problems } = await read('kilo-code', { [legacy]: { mcpServers: { x: entry } } })
    expect(names).toEqual([])
    expect(problems).toEqual([problem, 'info legacy-file'])
  })

  test('keys that the migration drops are reported with their places', async () => {
    const { servers, problems } = await read('kilo-code', {
      [legacy]: {
        mcpServers: {
          x: { command: 'x', cwd: '/', alwaysAllow: ['get'], disabledTools: ['del'], watchPaths: ['a'] },
          y: { command: 'y', alwaysAllow: [] },
        },
      },
    })
    expect(servers['x']).toMatchObject({ cwd: null, autoApprove: ['get'], deniedTools: ['del'] })
    expect(problems).toEqual([
      'info legacy-file /mcpServers/x/alwaysAllow',
      'warn key-dropped-by-owner /mcpServers/x/cwd',
      'warn key-dropped-by-owner /mcpServers/x/disabledTools',
      'warn key-dropped-by-owner /mcpServers/x/watchPaths',
    ])
  })

  test('placeholders are not expanded', async () => {
    const { servers, problems } = await read(
      'kilo-code',
      { [legacy]: { mcpServers: { x: { command: 'x', env: { A: '${env:B}' } } } } },
      { env: { B: 'b' } },
    )
    expect(servers['x']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['info legacy-file', 'info no-expansion-in-client /mcpServers/x/env/A'])
  })

  test('comments are allowed in new files and reported in legacy files', async () => {
    const { problems } = await read('kilo-code', {
      'kilo.jsonc': '{ "mcp": {} /* new */ }',
      [legacy]: '{ "mcpServers": { "x": { "command": "x" } } /* old */ }',
    })
    expect(problems).toEqual(['info legacy-file', 'warn jsonc-in-json'])
  })
})
