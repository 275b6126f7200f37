import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const own = '.vs/mcp.json'

describe('Visual Studio', () => {
  test('five places are read in the documented order', async () => {
    const { servers, shadowed, problems } = await read('visual-studio', {
      '~/.mcp.json': { servers: { a: { command: 'home' } } },
      [own]: { servers: { a: { command: 'own' } } },
      '.mcp.json': { servers: { a: { command: 'solution' } } },
      '.vscode/mcp.json': { servers: { a: { command: 'vscode' } } },
      '.cursor/mcp.json': { mcpServers: { a: { command: 'cursor' } } },
    })
    expect(servers['a']).toMatchObject({ command: 'home' })
    expect(shadowed.map(({ file, by }) => [file, by])).toEqual(
      ['.vs/mcp.json', '.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'].map((path) => [
        `${project}/${path}`,
        { scope: 'user', file: `${home}/.mcp.json` },
      ]),
    )
    expect(problems).toEqual([
      'info ambiguous-root-key',
      'info shadowed /mcpServers/a',
      'info shadowed /servers/a',
      'info shadowed /servers/a',
      'info shadowed /servers/a',
    ])
  })

  test('a url is http without a fallback, and sse is reported as legacy', async () => {
    const { servers, problems } = await read('visual-studio', {
      [own]: {
        servers: { a: { url: 'https://a.example/mcp' }, b: { type: 'sse', url: 'https://b.example/sse' } },
      },
    })
    expect(servers['a']).toMatchObject({ transport: 'http' })
    expect(servers['a']).not.toHaveProperty('fallback')
    expect(servers['b']).toMatchObject({ transport: 'sse' })
    expect(problems).toEqual(['info deprecated-transport /servers/b/type'])
  })

  test('inputs belong to the file that declares them', async () => {
    const { servers, problems } = await read('visual-studio', {
      [own]: { servers: { a: { command: 'a', args: ['${input:pat}'] } } },
      '.vscode/mcp.json': {
        inputs: [{ id: 'pat', type: 'promptString', password: true }],
        servers: { b: { command: 'b', args: ['${input:pat}'] } },
      },
    })
    expect(servers['a']).not.toHaveProperty('inputs')
    expect(servers['b']).toMatchObject({ inputs: [{ id: 'pat', secret: true }] })
    expect(problems).toEqual(['warn needs-input /inputs/0', 'warn needs-input /servers/a/args/0'])
  })

  test('each file has its own root key', async () => {
    const { names, problems } = await read('visual-studio', {
      [own]: { mcpServers: { a: { command: 'a' } } },
      '.cursor/mcp.json': { servers: { b: { command: 'b' } } },
    })
    expect(names).toEqual(['a', 'b'])
    expect(problems).toEqual(['warn wrong-root-key /mcpServers', 'warn wrong-root-key /servers'])
  })

  test('the shared root key is not reported in the home directory or if "servers" is empty', async () => {
    const { problems } = await read('visual-studio', {
      '~/.mcp.json': { servers: { a: { command: 'a' } } },
      '.mcp.json': { servers: {} },
    })
    expect(problems).toEqual([])
  })

  test('comments and unknown keys are reported', async () => {
    const { names, problems } = await read('visual-studio', {
      [own]: '{ "servers": { "a": { "command": "a", "enabled": true } } } // mine',
    })
    expect(names).toEqual(['a'])
    expect(problems).toEqual(['info unknown-key /servers/a/enabled', 'warn jsonc-in-json'])
  })
})
