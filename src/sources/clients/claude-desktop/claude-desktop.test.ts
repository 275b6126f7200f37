import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const file = '~/.config/Claude/claude_desktop_config.json'

describe('Claude Desktop', () => {
  test('a url is refused with or without a type', async () => {
    const { names, problems } = await read('claude-desktop', {
      [file]: {
        mcpServers: {
          bare: { url: 'https://a.example.com/mcp' },
          typed: { type: 'http', url: 'https://a.example.com/mcp' },
          odd: { type: 'carrier-pigeon', command: 'coo' },
          empty: {},
          local: { type: 'stdio', command: 'ls-mcp' },
        },
      },
    })
    expect(names).toEqual(['local'])
    expect(problems).toEqual([
      'error missing-endpoint /mcpServers/empty',
      'error unknown-transport /mcpServers/odd/type',
      'error unsupported-transport /mcpServers/bare',
      'error unsupported-transport /mcpServers/typed/type',
    ])
  })

  test('command, args and env are read without expansion', async () => {
    const { servers, problems } = await read(
      'claude-desktop',
      {
        [file]: {
          mcpServers: {
            a: {
              command: 'npx',
              args: ['-y', 'a-mcp@latest', '${HOME}/docs'],
              env: { API_KEY: 'k-1' },
              cwd: '/srv',
              disabled: true,
              headers: { X: '1' },
            },
          },
        },
      },
      { env: { HOME: '/home/dana' } },
    )
    expect(servers['a']).toMatchObject({
      args: ['-y', 'a-mcp@latest', '${HOME}/docs'],
      cwd: null,
      enabled: true,
      headers: {},
    })
    expect(servers['a']).not.toHaveProperty('resolved')
    expect(problems).toEqual([
      'info no-expansion-in-client /mcpServers/a/args/2',
      'info unpinned-package /mcpServers/a/args/1',
      'warn plaintext-secret /mcpServers/a/env/API_KEY',
      'warn unknown-key /mcpServers/a/cwd',
      'warn unknown-key /mcpServers/a/disabled',
      'warn unknown-key /mcpServers/a/headers',
    ])
  })

  test('a command wins over a url', async () => {
    const { servers, problems } = await read('claude-desktop', {
      [file]: { mcpServers: { a: { command: 'a', url: 'https://a.example.com' } } },
    })
    expect(servers['a']).toMatchObject({ transport: 'stdio', command: 'a', url: null })
    expect(problems).toEqual(['warn command-and-url /mcpServers/a'])
  })

  test('a map of servers without mcpServers is not read', async () => {
    const { names, problems } = await read('claude-desktop', { [file]: { a: { command: 'a' } } })
    expect(names).toEqual([])
    expect(problems).toEqual(['error bare-root'])
  })

  test.each([
    ['linux', {}, '~/.config/Claude'],
    ['linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/Claude'],
    ['darwin', {}, '~/Library/Application Support/Claude'],
    ['win32', { APPDATA: '/roaming' }, '/roaming/Claude'],
  ] as const)('on %s with %j its file is in %s', async (os, env, folder) => {
    const texts = { [`${folder}/claude_desktop_config.json`]: { mcpServers: { a: { command: 'a' } } } }
    expect((await read('claude-desktop', texts, { os, env })).names).toEqual(['a'])
  })
})
