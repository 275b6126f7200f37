import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const file = '~/.config/zed/settings.json'

describe('Zed', () => {
  test('a timeout is in seconds; the default applies to servers without one', async () => {
    const { servers, problems } = await read('zed', {
      [file]: {
        context_server_timeout: 45,
        context_servers: {
          a: { command: 'a', timeout: 90 },
          b: { url: 'https://b.example/mcp' },
          c: { command: 'c', timeout: 60000 },
        },
      },
    })
    expect(servers['a']).toMatchObject({ timeoutMs: 90_000 })
    expect(servers['b']).toMatchObject({ transport: 'http', timeoutMs: 45_000 })
    expect(servers['b']).not.toHaveProperty('fallback')
    expect(servers['c']).toMatchObject({ timeoutMs: 60_000_000 })
    expect(problems).toEqual(['warn timeout-unit-suspect /context_servers/c/timeout'])
  })

  test('an implausible default timeout is reported', async () => {
    const long = await read('zed', { [file]: { context_server_timeout: 60000, context_servers: {} } })
    expect(long.problems).toEqual(['warn timeout-unit-suspect /context_server_timeout'])
    const text = await read('zed', {
      [file]: { context_server_timeout: '60', context_servers: { a: { command: 'a' } } },
    })
    expect(text.servers['a']).toMatchObject({ timeoutMs: null })
    expect(text.problems).toEqual(['warn wrong-type /context_server_timeout'])
  })

  test('the project’s default timeout wins over the user’s', async () => {
    const { servers } = await read('zed', {
      '.zed/settings.json': { context_server_timeout: 10 },
      [file]: { context_server_timeout: 45, context_servers: { a: { command: 'a' } } },
    })
    expect(servers['a']).toMatchObject({ timeoutMs: 10_000 })
  })

  test('the old command object is read and checked like the new form', async () => {
    const { servers, names, problems } = await read('zed', {
      [file]: {
        context_servers: {
          a: { source: 'custom', command: { path: 'a', args: ['x'], env: { API_KEY: 'k', N: 1, M: 'm' } } },
          b: { command: { args: [] } },
          c: { command: { path: 'c', args: 'x' } },
        },
      },
    })
    expect(names).toEqual(['a'])
    expect(servers['a']).toMatchObject({ command: 'a', args: ['x'], env: { API_KEY: 'k', M: 'm' } })
    expect(problems).toEqual([
      'error missing-endpoint /context_servers/b/command',
      'error wrong-type /context_servers/c/command/args',
      'info deprecated-key /context_servers/a/command',
      'info deprecated-key /context_servers/b/command',
      'info deprecated-key /context_servers/c/command',
      'warn plaintext-secret /context_servers/a/command/env/API_KEY',
      'warn wrong-type /context_servers/a/command/env/N',
    ])
  })

  test('settings alone mean an extension’s server; an empty entry is incomplete', async () => {
    const { names, problems } = await read('zed', {
      [file]: { context_servers: { a: { settings: {} }, b: { enabled: false }, c: {} } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual([
      'error missing-endpoint /context_servers/b',
      'error missing-endpoint /context_servers/c',
      'info not-launchable /context_servers/a',
    ])
  })

  test('a command wins over a url, and a server can be disabled', async () => {
    const { servers, problems } = await read('zed', {
      [file]: {
        context_servers: {
          a: { command: 'a', url: 'https://a.example', enabled: false, remote: true },
        },
      },
    })
    expect(servers['a']).toMatchObject({ transport: 'stdio', enabled: false })
    expect(problems).toEqual(['warn command-and-url /context_servers/a'])
  })

  test('a login is read, and its literal secret is reported', async () => {
    const { servers, problems } = await read('zed', {
      [file]: {
        context_servers: { a: { url: 'https://a.example', oauth: { client_id: 'z', client_secret: 's' } } },
      },
    })
    expect(servers['a']).toMatchObject({ auth: { type: 'oauth', clientId: 'z', clientSecret: 's' } })
    expect(problems).toEqual(['warn plaintext-secret /context_servers/a/oauth/client_secret'])
  })

  test('placeholders are not expanded, and keys of other clients are reported as ignored', async () => {
    const { servers, problems } = await read(
      'zed',
      {
        [file]: {
          context_servers: { a: { command: 'a', args: ['${env:X}', '$HOME'], type: 'stdio', cwd: '/' } },
        },
      },
      { env: { X: 'x', HOME: '/h' } },
    )
    expect(servers['a']).not.toHaveProperty('resolved')
    expect(problems).toEqual([
      'info no-expansion-in-client /context_servers/a/args/0',
      'info no-expansion-in-client /context_servers/a/args/1',
      'warn unknown-key /context_servers/a/cwd',
      'warn unknown-key /context_servers/a/type',
    ])
  })

  test('a project entry hides the user’s; "mcpServers" is read with a warning', async () => {
    const { servers, problems } = await read('zed', {
      '.zed/settings.json': '{ "context_servers": { "a": { "command": "project" }, }, } // jsonc',
      [file]: { context_servers: { a: { command: 'user' } }, mcpServers: { b: { command: 'b' } } },
    })
    expect(servers['a']).toMatchObject({ command: 'project' })
    expect(problems).toEqual(['info shadowed /context_servers/a', 'warn wrong-root-key /mcpServers'])
  })

  test.each([
    ['linux', '~/.config/zed/settings.json'],
    ['darwin', '~/.config/zed/settings.json'],
    ['win32', '~/AppData/Roaming/Zed/settings.json'],
  ] as const)('on %s the user’s file is %s', async (os, path) => {
    const { names } = await read('zed', { [path]: { context_servers: { a: { command: 'a' } } } }, { os })
    expect(names).toEqual(['a'])
  })
})
