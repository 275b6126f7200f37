import { describe, expect, test } from 'vitest'
import { discover } from '../../../config/discover.ts'
import { memoryFiles } from '../../../testing/memory-files.ts'
import { home, project, read } from '../../../../test/support/read.ts'

const file = '~/.mcp-inspector/mcp.json'

describe('MCP Inspector', () => {
  test('the catalog is read with its additional settings', async () => {
    const { servers, problems } = await read('inspector', {
      [file]: {
        mcpServers: {
          a: {
            command: 'node',
            args: ['a.js'],
            env: { A: '1' },
            cwd: '/srv',
            roots: [{ uri: 'file:///srv' }],
          },
          b: {
            type: 'http',
            url: 'https://b.example/mcp',
            headers: { 'X-Tenant': 'acme' },
            protocolEra: 'modern',
            modernLogLevel: 'info',
            connectionTimeout: 5000,
            requestTimeout: 60000,
            oauth: { clientId: 'c', scopes: 'read write' },
          },
          c: { type: 'streamable-http', url: 'https://c.example/mcp', requestTimeout: 0 },
          d: { type: 'sse', url: 'https://d.example/sse', metadata: [] },
        },
      },
    })
    expect(servers['a']).toMatchObject({ transport: 'stdio', command: 'node', cwd: '/srv' })
    expect(servers['b']).toMatchObject({
      transport: 'http',
      headers: { 'X-Tenant': 'acme' },
      startupTimeoutMs: 5000,
      timeoutMs: 60000,
      auth: { type: 'oauth', clientId: 'c', scopes: ['read', 'write'] },
    })
    expect(servers['b']).not.toHaveProperty('fallback')
    expect(servers['c']).toMatchObject({ transport: 'http', timeoutMs: 0 })
    expect(servers['d']).toMatchObject({ transport: 'sse' })
    expect(problems).toEqual(['info timeout-disabled /mcpServers/c/requestTimeout'])
  })

  test('protocolEra sets the protocol', async () => {
    const entry = (protocolEra: string) => ({ command: 'a', protocolEra })
    const text = JSON.stringify({
      mcpServers: { a: entry('modern'), b: entry('legacy'), c: entry('auto'), d: entry('ancient') },
    })
    const files = memoryFiles({ [`${home}/.mcp-inspector/mcp.json`]: text })
    const platform = { os: 'linux', home, cwd: project, env: {}, systemRoot: '/', files } as const
    const { servers, diagnostics } = await discover({ platform, sources: ['inspector'] })
    expect(servers.map(({ protocol }) => protocol)).toEqual(['2026-07-28', 'legacy', 'auto', 'auto'])
    expect(diagnostics.map(({ code }) => code)).toEqual(['out-of-range'])
  })

  test('a url without a type is refused', async () => {
    const { names, problems } = await read('inspector', {
      [file]: {
        mcpServers: { a: { url: 'https://a.example/mcp' }, b: {}, c: { command: 'c', disabled: true } },
      },
    })
    expect(names).toEqual(['c'])
    expect(problems).toEqual([
      'error missing-endpoint /mcpServers/b',
      'error url-missing-type /mcpServers/a',
      'warn unknown-key /mcpServers/c/disabled',
    ])
  })

  test('a literal client secret is reported', async () => {
    const { problems } = await read('inspector', {
      [file]: {
        mcpServers: { a: { type: 'http', url: 'https://a.example', oauth: { clientSecret: 'literal' } } },
      },
    })
    expect(problems).toEqual(['warn plaintext-secret /mcpServers/a/oauth/clientSecret'])
  })

  test('nothing is expanded', async () => {
    const { problems } = await read('inspector', {
      [file]: { mcpServers: { a: { command: 'a', args: ['${HOME}'] } } },
    })
    expect(problems).toEqual(['info no-expansion-in-client /mcpServers/a/args/0'])
  })

  test('MCP_CATALOG_PATH names another catalog', async () => {
    const { names } = await read(
      'inspector',
      { '/elsewhere/catalog.json': { mcpServers: { a: { command: 'a' } } }, [file]: { mcpServers: {} } },
      { env: { MCP_CATALOG_PATH: '/elsewhere/catalog.json' } },
    )
    expect(names).toEqual(['a'])
  })
})
