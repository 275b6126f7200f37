import { describe, expect, test } from 'vitest'
import { read } from '../../../test/support/read.ts'
import type { SourceId } from '../places.ts'

/** The file of each system that a wrong root key was silent in, and the key it reads. */
const systems = [
  ['boocode', 'data/mcp.json', 'mcpServers'],
  ['dispatch', '.dispatch/mcp.json', 'servers'],
  ['oh-my-pi', '.omp/mcp.json', 'mcpServers'],
] as const

describe('a wrong root key is reported with its line', () => {
  test.each(
    systems.flatMap(([source, file, own]) =>
      ['mcpServers', 'servers', 'mcp', 'mcp_servers', 'mcpservers', 'tools']
        .filter((key) => key !== own)
        .map((key) => [source, key, file, own] as const),
    ),
  )('%s: "%s"', async (source, key, file, own) => {
    const { diagnostics } = await read(source, { [file]: { [key]: { a: { command: 'x' } } } })
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'wrong-root-key',
        pointer: `/${key}`,
        line: 2,
        message: expect.stringContaining(`reads "${own}", not "${key}"`) as string,
      }),
    ])
  })

  test.each([...systems, ['cursor', '.cursor/mcp.json', 'mcpServers'] as const])(
    '%s: its own root key is not reported, nor is a file without servers',
    async (source, file, own) => {
      for (const content of [{ [own]: { a: { command: 'x' } } }, { [own]: {} }, {}])
        expect((await read(source, { [file]: content })).diagnostics).toEqual([])
    },
  )

  test('Dispatch: servers without a root key are an error, and opencode.json does not take their place', async () => {
    const { names, problems } = await read('dispatch', {
      '.dispatch/mcp.json': { a: { command: 'x' } },
      'opencode.json': { mcp: { b: { command: 'x' } } },
    })
    expect({ names, problems }).toEqual({ names: [], problems: ['error bare-root', 'warn shadowed'] })
  })

  test('Dispatch: opencode.json with another root key is an error', async () => {
    const { problems } = await read('dispatch', { 'opencode.json': { mcpServers: { b: { command: 'x' } } } })
    expect(problems).toEqual(['error wrong-root-key /mcpServers'])
  })
})

describe('a url that cannot be used is refused with its line', () => {
  const files: readonly (readonly [SourceId, string, string])[] = [
    ...systems,
    ['plugboard', '.mcp.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ['claude-code', '.mcp.json', 'mcpServers'],
  ]
  test.each(
    files.flatMap((file) =>
      ['ftp://a.example/mcp', 'not a url', 'localhost:3000/mcp', 'http://', '/mcp'].map(
        (url) => [file[0], url, file] as const,
      ),
    ),
  )('%s: %s', async (source, url, [, file, root]) => {
    const { names, diagnostics } = await read(source, { [file]: { [root]: { a: { type: 'http', url } } } })
    // BooCode and Dispatch have other words for the transport; both infer it.
    const found = diagnostics.filter(({ code }) => code !== 'unknown-transport')
    const untyped = await read(source, { [file]: { [root]: { a: { url } } } })
    const all = [...found, ...untyped.diagnostics].filter(({ severity }) => severity === 'error')
    expect(names).toEqual([])
    expect(untyped.names).toEqual([])
    expect(all.map(({ code, server, pointer }) => ({ code, server, pointer }))).toContainEqual({
      code: source === 'plugboard' && url.startsWith('ftp') ? 'unsupported-transport' : 'invalid-url',
      server: 'a',
      pointer: `/${root}/a/url`,
    })
    for (const { line } of all) expect(line).toBeGreaterThan(1)
  })

  test.each([
    'http://127.0.0.1:3000/mcp',
    'HTTPS://a.example',
    'https://${HOST}/mcp',
    '${URL}',
    'https://{env:HOST}/',
  ])('%s is accepted', async (url) => {
    const { problems } = await read('plugboard', {
      '.mcp.json': { mcpServers: { a: { type: 'http', url } } },
    })
    expect(problems.filter((each) => each.includes('invalid-url'))).toEqual([])
  })

  test('unix: is accepted where the owner takes it, and refused elsewhere', async () => {
    const a = { type: 'http', url: 'unix:///tmp/mcp.sock' }
    expect((await read('vscode', { '.vscode/mcp.json': { servers: { a } } })).names).toEqual(['a'])
    expect((await read('cursor', { '.cursor/mcp.json': { mcpServers: { a } } })).names).toEqual([])
  })
})
