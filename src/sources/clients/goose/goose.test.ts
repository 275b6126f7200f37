import { describe, expect, test } from 'vitest'
import { home, read } from '../../../../test/support/read.ts'

const config = '~/.config/goose/config.yaml'

function extension(name: string, lines: readonly string[]): string {
  return [`  ${name}:`, ...lines.map((line) => `    ${line}`)].join('\n')
}

function extensions(...entries: readonly string[]): string {
  return ['GOOSE_MODEL: m', 'extensions:', ...entries, ''].join('\n')
}

const stdio = ['type: stdio', 'cmd: x', 'args: []', 'enabled: true']
const remote = ['type: streamable_http', 'uri: https://x.example/mcp', 'enabled: true']

test('goose: entries as goose writes them are read without problems', async () => {
  const { servers, problems } = await read('goose', {
    [config]: extensions(
      extension('x', [
        ...stdio,
        'name: x',
        'description: null',
        'envs: {}',
        'env_keys: []',
        'timeout: 300',
        'bundled: null',
        'available_tools: []',
      ]),
    ),
  })
  expect(servers['x']).toEqual({
    name: 'x',
    transport: 'stdio',
    command: 'x',
    args: [],
    env: {},
    cwd: null,
    url: null,
    headers: {},
    enabled: true,
    timeoutMs: 300_000,
    startupTimeoutMs: null,
    allowedTools: null,
    deniedTools: [],
  })
  expect(problems).toEqual([])
})

test('goose: a remote extension may use a socket', async () => {
  const { servers, problems } = await read('goose', {
    [config]: extensions(extension('x', [...remote, 'socket: /run/x.sock', 'headers: { X-Team: a }'])),
  })
  expect(servers['x']).toMatchObject({
    transport: 'http',
    url: 'https://x.example/mcp',
    socketPath: '/run/x.sock',
    headers: { 'X-Team': 'a' },
  })
  expect(servers['x']).not.toHaveProperty('fallback')
  expect(problems).toEqual([])
})

test.each(['builtin', 'platform', 'frontend', 'inline_python'])(
  'goose: a %s extension runs inside goose and is not listed as a server',
  async (type) => {
    const { names, problems } = await read('goose', {
      [config]: extensions(extension('dev', [`type: ${type}`, 'enabled: true', 'code: x'])),
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['info not-launchable /extensions/dev'])
  },
)

test.each([
  [
    'sse',
    ['type: sse', 'uri: https://x.example/sse', 'enabled: false'],
    'error unsupported-transport /extensions/x',
  ],
  ['an unknown type', ['type: http', 'uri: https://x.example'], 'error unknown-transport /extensions/x/type'],
  ['a command without a type', ['cmd: x', 'args: []', 'enabled: true'], 'error missing-type /extensions/x'],
  ['a url without a type', ['uri: https://x.example', 'enabled: true'], 'error missing-type /extensions/x'],
  ['no args', ['type: stdio', 'cmd: x', 'enabled: true'], 'error missing-key /extensions/x'],
  ['no "enabled"', ['type: streamable_http', 'uri: https://x.example'], 'error missing-key /extensions/x'],
  ['neither args nor "enabled"', ['type: stdio', 'cmd: x'], 'error missing-key /extensions/x'],
  ['no command', ['type: stdio', 'args: []', 'enabled: true'], 'error missing-endpoint /extensions/x'],
])('goose: an entry with %s is refused, and the others are read', async (_title, lines, problem) => {
  const { names, problems } = await read('goose', {
    [config]: extensions(extension('x', lines), extension('ok', stdio)),
  })
  expect(names).toEqual(['ok'])
  expect(problems).toEqual([problem])
})

test('goose: an entry that is not a map is refused', async () => {
  const { problems } = await read('goose', { [config]: extensions('  x: true') })
  expect(problems).toEqual(['error wrong-type /extensions/x'])
})

test('goose: keys of other clients and of the other transport are reported as ignored', async () => {
  const { servers, problems } = await read('goose', {
    [config]: extensions(
      extension('x', [...stdio, 'command: y', 'env: { A: b }', 'headers: { A: b }']),
      extension('y', [...remote, 'args: [a]']),
    ),
  })
  expect(servers['x']).toMatchObject({ command: 'x', env: {}, headers: {} })
  expect(servers['y']).toMatchObject({ args: [] })
  expect(problems).toEqual([
    'warn unknown-key /extensions/x/command',
    'warn unknown-key /extensions/x/env',
    'warn unknown-key /extensions/x/headers',
    'warn unknown-key /extensions/y/args',
  ])
})

test('goose: a key that goose would spell differently is reported', async () => {
  const { names, problems } = await read('goose', { [config]: extensions(extension('My Server', stdio)) })
  expect(names).toEqual(['My Server'])
  expect(problems).toEqual(['warn invalid-name /extensions/My Server'])
})

describe('goose: values', () => {
  test('secrets are reported once per file', async () => {
    const { servers, diagnostics } = await read('goose', {
      [config]: extensions(
        extension('a', [...stdio, 'env_keys: [A_KEY, SHARED]']),
        extension('b', ['type: stdio', 'cmd: b', 'args: []', 'enabled: false', 'env_keys: [SHARED]']),
      ),
    })
    expect(servers['a']?.['secretEnv']).toEqual(['A_KEY', 'SHARED'])
    expect(diagnostics).toEqual([
      {
        code: 'secret-store',
        severity: 'info',
        file: `${home}/.config/goose/config.yaml`,
        message: 'A_KEY, SHARED: read from the keyring or secrets.yaml, not from this file.',
      },
    ])
  })

  test('placeholders resolve from the entry itself, not from the environment', async () => {
    const { servers, problems } = await read(
      'goose',
      {
        [config]: extensions(
          extension('own', [...remote, 'envs: { TEAM: blue }', 'headers: { A: "${TEAM}", B: $TEAM-x }']),
          extension('other', [...remote, 'headers: { A: "${OUTSIDE}" }']),
          extension('secret', [...remote, 'env_keys: [KEY]', 'headers: { A: "${KEY}" }']),
        ),
      },
      { env: { OUTSIDE: 'o', TEAM: 'red' } },
    )
    expect(servers['own']?.['resolved']).toEqual({ headers: { A: 'blue', B: 'blue-x' } })
    expect(servers['other']).not.toHaveProperty('resolved')
    expect(servers['secret']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['info secret-store', 'warn missing-env /extensions/other/headers/A'])
  })

  test('values of a process are not expanded', async () => {
    const { problems } = await read('goose', {
      [config]: extensions(extension('x', ['type: stdio', 'cmd: x', 'args: ["$HOME/a"]', 'enabled: true'])),
    })
    expect(problems).toEqual(['info no-expansion-in-client /extensions/x/args/0'])
  })

  test('a literal secret is reported', async () => {
    const { problems } = await read('goose', {
      [config]: extensions(extension('x', [...stdio, 'envs: { API_KEY: abc }'])),
    })
    expect(problems).toEqual(['warn plaintext-secret /extensions/x/envs/API_KEY'])
  })
})

test('goose: Windows and GOOSE_PATH_ROOT change the path of the file', async () => {
  const text = extensions(extension('x', stdio))
  const windows = { '~/AppData/Roaming/Block/goose/config/config.yaml': text }
  expect((await read('goose', windows, { os: 'win32' })).names).toEqual(['x'])
  const root = { '/srv/goose/config/config.yaml': text }
  expect((await read('goose', root, { env: { GOOSE_PATH_ROOT: '/srv/goose' } })).names).toEqual(['x'])
})
