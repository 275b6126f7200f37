import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.config/Code/User/mcp.json'
const workspace = '.vscode/mcp.json'

describe('VS Code: entries of mcp.json', () => {
  test('http falls back to sse with or without a type, and sse is reported as legacy', async () => {
    const { servers, problems } = await read('vscode', {
      [user]: {
        servers: {
          a: { url: 'https://a.example/mcp' },
          b: { type: 'http', url: 'https://b.example/mcp' },
          c: { type: 'sse', url: 'https://c.example/sse' },
        },
      },
    })
    expect(servers['a']).toMatchObject({ transport: 'http', fallback: 'sse' })
    expect(servers['b']).toMatchObject({ transport: 'http', fallback: 'sse' })
    expect(servers['c']).toMatchObject({ transport: 'sse' })
    expect(problems).toEqual(['info deprecated-transport /servers/c/type'])
  })

  test('~ is expanded in command, args and cwd, but not in envFile', async () => {
    const { servers } = await read('vscode', {
      [user]: { servers: { a: { command: '~/bin/a', args: ['~/x', '~y'], cwd: '~/c', envFile: '~/.env' } } },
    })
    expect(servers['a']?.['resolved']).toEqual({
      command: `${home}/bin/a`,
      args: [`${home}/x`, '~y'],
      cwd: `${home}/c`,
    })
  })

  test('a local socket has a path and no fallback', async () => {
    const { servers, problems } = await read('vscode', {
      [user]: {
        servers: {
          unix: { url: 'unix:///run/mcp.sock#/v1/mcp' },
          pipe: { type: 'http', url: 'pipe:///pipe/mcp' },
        },
      },
    })
    expect(servers['unix']).toMatchObject({ transport: 'http', socketPath: '/run/mcp.sock' })
    expect(servers['pipe']).toMatchObject({ transport: 'http', socketPath: '/pipe/mcp' })
    expect(servers['unix']).not.toHaveProperty('fallback')
    expect(servers['pipe']).not.toHaveProperty('fallback')
    expect(problems).toEqual([])
  })

  test('env: numbers become strings, null removes the variable, other types refuse the entry', async () => {
    const { servers, names, problems } = await read('vscode', {
      [user]: {
        servers: {
          a: { command: 'a', env: { PORT: 8080, HTTP_PROXY: null, MODE: 'x' } },
          b: { command: 'b', env: { LIST: [1] } },
        },
      },
    })
    expect(names).toEqual(['a'])
    expect(servers['a']).toMatchObject({ env: { PORT: '8080', MODE: 'x' }, unsetEnv: ['HTTP_PROXY'] })
    expect(problems).toEqual(['error wrong-type /servers/b/env/LIST', 'info value-coerced /servers/a/env'])
  })

  test('unknown keys and keys of the other transport are reported as ignored', async () => {
    const { servers, problems } = await read('vscode', {
      [user]: {
        servers: {
          a: { command: 'a', disabled: true, timeout: 5000, headers: { X: '1' }, oauth: { clientId: 'c' } },
          b: { url: 'https://b.example/mcp', env: { A: '1' }, cwd: '/srv', sandboxEnabled: true, dev: {} },
        },
      },
    })
    expect(servers['a']).toMatchObject({ enabled: true, timeoutMs: null, headers: {} })
    expect(servers['a']).not.toHaveProperty('auth')
    expect(servers['b']).toMatchObject({ env: {}, cwd: null })
    expect(servers['b']).not.toHaveProperty('sandbox')
    expect(problems).toEqual([
      'warn unknown-key /servers/a/disabled',
      'warn unknown-key /servers/a/headers',
      'warn unknown-key /servers/a/oauth',
      'warn unknown-key /servers/a/timeout',
      'warn unknown-key /servers/b/cwd',
      'warn unknown-key /servers/b/env',
      'warn unknown-key /servers/b/sandboxEnabled',
    ])
  })

  test('an entry that cannot run is refused, and the others are read', async () => {
    const { names, problems } = await read('vscode', {
      [user]: {
        servers: {
          empty: {},
          odd: { type: 'websocket', url: 'wss://x.example' },
          text: 'npx a',
          half: { type: 'http', command: 'x' },
          good: { command: 'good', args: ['x@latest'] },
        },
      },
    })
    expect(names).toEqual(['good'])
    expect(problems).toEqual([
      'error missing-endpoint /servers/empty',
      'error missing-endpoint /servers/half',
      'error unknown-transport /servers/odd/type',
      'error wrong-type /servers/text',
      'info unpinned-package /servers/good/args/0',
    ])
  })

  test('a command wins over a url', async () => {
    const { servers, problems } = await read('vscode', {
      [user]: { servers: { a: { command: 'a', url: 'https://a.example', headers: {} } } },
    })
    expect(servers['a']).toMatchObject({ transport: 'stdio', command: 'a' })
    expect(problems).toEqual(['warn command-and-url /servers/a'])
  })

  test('comments and trailing commas are allowed, invalid JSON is an error', async () => {
    const commented = await read('vscode', { [user]: '{ "servers": { "a": { "command": "a" }, }, } // mine' })
    expect(commented.names).toEqual(['a'])
    expect(commented.problems).toEqual([])
    const broken = await read('vscode', { [user]: '{ "servers": { "a": ' })
    expect(broken.names).toEqual([])
    expect(broken.problems).toEqual(['error parse-error'])
  })

  test('servers under "mcpServers" are read with a warning', async () => {
    const { names, problems } = await read('vscode', {
      [workspace]: { mcpServers: { a: { command: 'a' } } },
    })
    expect(names).toEqual(['a'])
    expect(problems).toEqual(['warn wrong-root-key /mcpServers'])
  })

  test('a literal secret is reported', async () => {
    const { problems } = await read('vscode', {
      [user]: { servers: { a: { url: 'https://a.example', headers: { Authorization: 'Bearer abc' } } } },
    })
    expect(problems).toEqual(['warn plaintext-secret /servers/a/headers/Authorization'])
  })
})

describe('VS Code: values', () => {
  test('variables, folders and the home directory are resolved', async () => {
    const { servers, problems } = await read(
      'vscode',
      {
        [user]: {
          servers: { a: { command: '${userHome}/bin/a', args: ['${env:STAGE}', '${pathSeparator}'] } },
        },
      },
      { env: { STAGE: 'dev' } },
    )
    expect(servers['a']).toMatchObject({ resolved: { command: `${home}/bin/a`, args: ['dev', '/'] } })
    expect(problems).toEqual([])
  })

  test('editor-only placeholders and unsupported placeholders have different codes', async () => {
    const { problems } = await read('vscode', {
      [user]: {
        servers: {
          a: {
            command: 'a',
            args: ['${config:mine.key}', '${command:mine.pick}', '${fileDirname}', '${HOME}', '$X'],
          },
        },
      },
    })
    expect(problems).toEqual([
      'info no-expansion-in-client /servers/a/args/3',
      'info no-expansion-in-client /servers/a/args/4',
      'warn unresolvable-scheme /servers/a/args/0',
      'warn unresolvable-scheme /servers/a/args/1',
      'warn unresolvable-scheme /servers/a/args/2',
    ])
  })

  test('an unset variable is reported with its place', async () => {
    const { servers, problems } = await read('vscode', {
      [user]: { servers: { a: { url: 'https://a.example', headers: { 'X-Key': '${env:KEY}' } } } },
    })
    expect(servers['a']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['warn missing-env /servers/a/headers/X-Key'])
  })
})

describe('VS Code: inputs', () => {
  const inputs = [
    {
      id: 'stage',
      type: 'pickString',
      options: ['dev', { label: 'Production', value: 'prod' }],
      default: 'dev',
    },
    { id: 'key', type: 'promptString', description: 'API key', password: true },
  ]

  test('each server has the inputs it refers to; the diagnostic points to the input, or to the list for several', async () => {
    const { servers, problems } = await read('vscode', {
      [user]: {
        inputs,
        servers: {
          none: { command: 'none' },
          one: { command: 'one', env: { KEY: '${input:key}', AGAIN: '${input:key}' } },
          two: { url: 'https://${input:stage}.example', headers: { Authorization: 'Bearer ${input:key}' } },
        },
      },
    })
    expect(servers['none']).not.toHaveProperty('inputs')
    expect(servers['one']).toMatchObject({ inputs: [{ id: 'key', description: 'API key', secret: true }] })
    expect(servers['two']).toMatchObject({
      inputs: [
        { id: 'stage', choices: ['dev', 'prod'], default: 'dev' },
        { id: 'key', description: 'API key', secret: true },
      ],
    })
    expect(problems).toEqual(['warn needs-input /inputs', 'warn needs-input /inputs/1'])
  })

  test('an undeclared input is reported where it is used', async () => {
    const { problems } = await read('vscode', {
      [user]: { inputs, servers: { a: { command: 'a', args: ['${input:other}', '${input:key}'] } } },
    })
    expect(problems).toEqual(['warn needs-input /inputs/1', 'warn needs-input /servers/a/args/0'])
  })

  test('inputs of the wrong form are reported and ignored', async () => {
    const list = await read('vscode', { [user]: { inputs: {}, servers: { a: { command: 'a' } } } })
    expect(list.problems).toEqual(['warn wrong-type /inputs'])
    const item = await read('vscode', { [user]: { inputs: ['key', {}], servers: { a: { command: 'a' } } } })
    expect(item.problems).toEqual(['warn wrong-type /inputs/0', 'warn wrong-type /inputs/1'])
  })

  test('a hidden entry needs no inputs', async () => {
    const { problems } = await read('vscode', {
      [workspace]: { servers: { a: { command: 'a' } } },
      [user]: { inputs, servers: { a: { command: 'a', args: ['${input:key}'] } } },
    })
    expect(problems).toEqual(['info shadowed /servers/a'])
  })
})

describe('VS Code: .mcp.json', () => {
  test('runs in the project folder, prefers a url to a command, and has no cwd key', async () => {
    const { servers, problems } = await read('vscode', {
      '.mcp.json': {
        mcpServers: {
          a: { command: 'a', cwd: './sub' },
          b: { type: 'streamable-http', url: 'https://b.example/mcp' },
          c: { command: 'c', url: 'https://c.example/mcp' },
        },
      },
    })
    expect(servers['a']).toMatchObject({ command: 'a', cwd: project })
    expect(servers['b']).toMatchObject({ transport: 'http', fallback: 'sse' })
    expect(servers['c']).toMatchObject({ transport: 'http', url: 'https://c.example/mcp' })
    expect(problems).toEqual(['warn command-and-url /mcpServers/c', 'warn unknown-key /mcpServers/a/cwd'])
  })

  test('expands ${VAR} but not the placeholders of mcp.json', async () => {
    const { problems } = await read('vscode', {
      '.mcp.json': { mcpServers: { a: { command: 'a', args: ['${UNSET}', '${env:X}', '${input:y}'] } } },
    })
    expect(problems).toEqual([
      'info no-expansion-in-client /mcpServers/a/args/1',
      'info no-expansion-in-client /mcpServers/a/args/2',
      'warn missing-env /mcpServers/a/args/0',
    ])
  })

  test('is read as strict JSON', async () => {
    const { names, problems } = await read('vscode', {
      '.mcp.json': '{ "mcpServers": { "a": { "command": "a" } } } // no',
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['error parse-error'])
  })

  test('with "servers" (Visual Studio’s form) it is read with a warning', async () => {
    const { names, problems } = await read('vscode', { '.mcp.json': { servers: { a: { command: 'a' } } } })
    expect(names).toEqual(['a'])
    expect(problems).toEqual(['warn wrong-root-key /servers'])
  })
})

describe('VS Code: places', () => {
  const one = (command: string) => ({ servers: { a: { command } } })

  test('.vscode/mcp.json hides .mcp.json, which hides the user’s file', async () => {
    const { servers, shadowed } = await read('vscode', {
      [workspace]: one('workspace'),
      '.mcp.json': { mcpServers: { a: { command: 'portable' } } },
      [user]: one('user'),
    })
    expect(servers['a']).toMatchObject({ command: 'workspace' })
    expect(shadowed.map(({ file }) => file)).toEqual([
      `${project}/.mcp.json`,
      `${home}/.config/Code/User/mcp.json`,
    ])
  })

  test.each([
    ['linux', '~/.config/Code/User/mcp.json'],
    ['darwin', '~/Library/Application Support/Code/User/mcp.json'],
    ['win32', '~/AppData/Roaming/Code/User/mcp.json'],
    ['linux', '~/.config/Code/User/profiles/5f3a/mcp.json'],
    ['linux', '~/.config/Code - Insiders/User/mcp.json'],
  ] as const)('on %s the user’s file may be %s', async (os, path) => {
    const { names, problems } = await read('vscode', { [path]: one('x') }, { os })
    expect(names).toEqual(['a'])
    expect(problems).toEqual([])
  })

  test('files of both editions are reported', async () => {
    const { servers, problems } = await read('vscode', {
      [user]: one('stable'),
      '~/.config/Code - Insiders/User/mcp.json': one('insiders'),
    })
    expect(servers['a']).toMatchObject({ command: 'stable' })
    expect(problems).toEqual(['info duplicate-location', 'info shadowed /servers/a'])
  })
})
