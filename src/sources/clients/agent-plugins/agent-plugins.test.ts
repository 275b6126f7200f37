import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const $schema = 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json'
const manifest = { name: 'acme', version: '1.0.0' }

function readPlugin(mcpServers: unknown) {
  return read(
    'agent-plugins',
    { '/plug/mcp.json': { $schema, mcpServers }, '/plug/plugin.json': manifest },
    { config: '/plug/mcp.json' },
  )
}

describe('Agent Plugins', () => {
  test('a key of the other transport or an unknown key refuses the entry', async () => {
    const { names, problems } = await readPlugin({
      a: { type: 'stdio', command: 'a', timeout: 5 },
      b: { type: 'stdio', command: 'b', headers: {} },
      c: { type: 'sse', url: 'https://a.example.com/sse', env: {} },
      d: { type: 'sse', url: 'https://a.example.com/sse', headers: { X: '1' } },
    })
    expect(names).toEqual(['d'])
    expect(problems).toEqual([
      'error unknown-key /mcpServers/a/timeout',
      'error unknown-key /mcpServers/b/headers',
      'error unknown-key /mcpServers/c/env',
    ])
  })

  test('a type is required and must be one of three', async () => {
    const { names, problems } = await readPlugin({
      a: { command: 'a' },
      b: { url: 'https://a.example.com' },
      c: { type: 'http', url: 'https://a.example.com' },
      d: { type: 'stdio', command: 'd', url: 'https://a.example.com' },
    })
    expect(names).toEqual([])
    expect(problems).toEqual([
      'error command-and-url /mcpServers/d',
      'error missing-type /mcpServers/a',
      'error missing-type /mcpServers/b',
      'error unknown-transport /mcpServers/c/type',
    ])
  })

  test('cwd outside the plugin, reserved variables and plain http urls are refused', async () => {
    const { names, problems } = await readPlugin({
      a: { type: 'stdio', command: 'a', cwd: '/srv' },
      b: { type: 'stdio', command: 'b', cwd: '${PLUGIN_ROOT}/../..' },
      c: { type: 'stdio', command: 'c', env: { PLUGIN_DATA: '/tmp' } },
      d: { type: 'streamable-http', url: 'http://a.example.com/mcp' },
      e: { type: 'streamable-http', url: 'http://localhost:3000/mcp' },
      f: { type: 'streamable-http', url: 'http://localhost.example.com/mcp' },
    })
    expect(names).toEqual(['e'])
    expect(problems).toEqual([
      'error insecure-url /mcpServers/d/url',
      'error insecure-url /mcpServers/f/url',
      'error out-of-range /mcpServers/a/cwd',
      'error out-of-range /mcpServers/b/cwd',
      'error unsupported-in-client /mcpServers/c/env/PLUGIN_DATA',
    ])
  })

  test('PLUGIN_ROOT is the folder of the file; the command is not expanded', async () => {
    const { servers, problems } = await readPlugin({
      a: { type: 'stdio', command: '${PLUGIN_ROOT}/a', args: ['${PLUGIN_ROOT}/x', '${HOME}'], cwd: './srv' },
    })
    expect(servers['a']?.['resolved']).toEqual({ args: ['/plug/x', '${HOME}'], cwd: '/plug/srv' })
    expect(problems).toEqual([
      'info no-expansion-in-client /mcpServers/a/args/1',
      'info no-expansion-in-client /mcpServers/a/command',
    ])
  })

  test('without a manifest the scope has no name; a missing version means 1.0.0; unknown versions are refused', async () => {
    const texts = (schema: object) => ({
      '/plug/mcp.json': { ...schema, mcpServers: { a: { type: 'stdio', command: 'a' } } },
    })
    const unnamed = await read('agent-plugins', texts({}), { config: '/plug/mcp.json' })
    expect(unnamed.names).toEqual(['a'])
    expect(unnamed.problems).toEqual(['warn missing-key'])
    const later = await read(
      'agent-plugins',
      texts({ $schema: 'https://agent-plugins.org/schemas/2.0.0/mcp.schema.json' }),
      { config: '/plug/mcp.json' },
    )
    expect(later.names).toEqual([])
    expect(later.problems).toEqual(['error out-of-range /$schema'])
  })
})
