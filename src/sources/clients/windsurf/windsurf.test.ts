import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const file = '~/.codeium/windsurf/mcp_config.json'

describe('Windsurf', () => {
  test('serverUrl and url mean the same, and serverUrl wins', async () => {
    const { servers, problems } = await read('windsurf', {
      [file]: {
        mcpServers: {
          a: { serverUrl: 'https://a.example/mcp' },
          b: { url: 'https://b.example/mcp' },
          c: { serverUrl: 'https://c.example/mcp', url: 'https://other.example' },
        },
      },
    })
    expect(servers['a']).toMatchObject({ transport: 'http', url: 'https://a.example/mcp', fallback: 'sse' })
    expect(servers['b']).toMatchObject({ transport: 'http', url: 'https://b.example/mcp', fallback: 'sse' })
    expect(servers['c']).toMatchObject({ url: 'https://c.example/mcp' })
    expect(problems).toEqual(['warn duplicate-endpoint /mcpServers/c'])
  })

  test('a server and single tools can be disabled', async () => {
    const { servers, problems } = await read('windsurf', {
      [file]: { mcpServers: { a: { command: 'a', disabled: true, disabledTools: ['rm'] } } },
    })
    expect(servers['a']).toMatchObject({ enabled: false, deniedTools: ['rm'] })
    expect(problems).toEqual([])
  })

  test('only ${env:…} and ${file:…} are expanded', async () => {
    const { servers, problems } = await read(
      'windsurf',
      {
        [file]: {
          mcpServers: {
            a: { command: 'a', args: ['${env:STAGE}'] },
            b: {
              command: 'b',
              args: ['${env:UNSET_X}', '${STAGE}', '${workspaceFolder}', '${file:/etc/key}'],
            },
          },
        },
      },
      { env: { STAGE: 'dev' } },
    )
    expect(servers['a']).toMatchObject({ resolved: { args: ['dev'] } })
    expect(servers['b']).not.toHaveProperty('resolved')
    expect(problems).toEqual([
      'info no-expansion-in-client /mcpServers/b/args/1',
      'info no-expansion-in-client /mcpServers/b/args/2',
      'warn missing-env /mcpServers/b/args/0',
      'warn reads-file /mcpServers/b/args/3',
    ])
  })

  test('unknown keys are ignored, unusable entries are refused', async () => {
    const { names, problems } = await read('windsurf', {
      [file]: {
        mcpServers: {
          a: { command: 'a', type: 'stdio', cwd: '/srv', args: ['x@latest'] },
          b: {},
          c: { serverUrl: 'https://c.example', headers: { Authorization: 'Bearer abc' } },
        },
      },
    })
    expect(names).toEqual(['a', 'c'])
    expect(problems).toEqual([
      'error missing-endpoint /mcpServers/b',
      'info unpinned-package /mcpServers/a/args/0',
      'warn plaintext-secret /mcpServers/c/headers/Authorization',
      'warn unknown-key /mcpServers/a/cwd',
      'warn unknown-key /mcpServers/a/type',
    ])
  })

  test('files of other editions are read after the first', async () => {
    const entry = (command: string) => ({ mcpServers: { a: { command }, [command]: { command } } })
    const { servers, names, problems } = await read('windsurf', {
      [file]: entry('editor'),
      '~/.codeium/windsurf-next/mcp_config.json': entry('next'),
      '~/.codeium/mcp_config.json': entry('plugin'),
    })
    expect(names).toEqual(['a', 'editor', 'next', 'plugin'])
    expect(servers['a']).toMatchObject({ command: 'editor' })
    expect(problems).toEqual([
      'info duplicate-location',
      'info duplicate-location',
      'info shadowed /mcpServers/a',
      'info shadowed /mcpServers/a',
    ])
  })
})
