import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const user = '~/.kiro/settings/mcp.json'
const workspace = '.kiro/settings/mcp.json'

test('Kiro: a url must be https, or http on this machine', async () => {
  const { names, servers, problems } = await read('kiro', {
    [user]: {
      mcpServers: {
        https: { url: 'https://a.example/mcp' },
        local: { url: 'http://localhost:3000/mcp' },
        v4: { url: 'http://127.0.0.1:3000/mcp' },
        v6: { url: 'http://[::1]/mcp' },
        plain: { url: 'http://a.example/mcp' },
        trick: { url: 'http://localhost.evil.example/mcp' },
      },
    },
  })
  expect(names).toEqual(['https', 'local', 'v4', 'v6'])
  expect(servers['https']).toMatchObject({ transport: 'http', fallback: 'sse' })
  expect(problems).toEqual([
    'error insecure-url /mcpServers/plain/url',
    'error insecure-url /mcpServers/trick/url',
  ])
})

describe('Kiro: agents', () => {
  test('an agent’s servers are separate, under the name of the agent or of its file', async () => {
    const { names, shadowed, problems, ...rest } = await read('kiro', {
      [workspace]: { mcpServers: { a: { command: 'everyone' } } },
      '.kiro/agents/release.json': { name: 'shipper', mcpServers: { a: { command: 'agent' } } },
      '~/.kiro/agents/docs.json': { mcpServers: { a: { command: 'docs', type: 'stdio' } } },
    })
    expect({ names, shadowed, problems }).toEqual({ names: ['a', 'a', 'a'], shadowed: [], problems: [] })
    expect(rest.servers['a']).toMatchObject({ command: 'docs' })
  })

  test('a project’s agent hides the user’s agent of the same name', async () => {
    const { names, shadowed, problems } = await read('kiro', {
      '.kiro/agents/r.json': { mcpServers: { a: { command: 'project' } } },
      '~/.kiro/agents/r.json': { mcpServers: { a: { command: 'user' } } },
    })
    expect(names).toEqual(['a'])
    expect(shadowed.map(({ scope }) => scope)).toEqual(['agent:r'])
    expect(problems).toEqual(['info shadowed /mcpServers/a'])
  })
})

test('Kiro: oauthScopes are scopes of the OAuth client', async () => {
  const url = 'https://a.example'
  const { servers } = await read('kiro', {
    [user]: {
      mcpServers: {
        a: { url, oauth: { clientId: 'c' }, oauthScopes: ['r'] },
        b: { url, oauthScopes: ['w'] },
      },
    },
  })
  expect([servers['a']?.['auth'], servers['b']?.['auth']]).toEqual([
    { type: 'oauth', clientId: 'c', scopes: ['r'] },
    { type: 'oauth', scopes: ['w'] },
  ])
})

test('Kiro: a set variable is expanded, an unset one is reported and keeps its placeholder', async () => {
  const { servers, problems } = await read(
    'kiro',
    {
      [user]: {
        mcpServers: { a: { command: 'a', env: { X: '${X}' } }, b: { command: 'b', env: { Y: '${Y}' } } },
      },
    },
    { env: { X: 'x' } },
  )
  expect(servers['a']).toMatchObject({ resolved: { env: { X: 'x' } } })
  expect(servers['b']).not.toHaveProperty('resolved')
  expect(problems).toEqual(['warn missing-env /mcpServers/b/env/Y'])
})

test('Kiro: unknown keys, a suspect timeout and approvals in advance are reported', async () => {
  const { servers, problems } = await read('kiro', {
    [user]: {
      mcpServers: {
        a: { command: 'a', timeout: 60, cwd: '/x', type: 'stdio', autoApprove: ['t'], disabledTools: ['d'] },
      },
    },
  })
  expect(servers['a']).toMatchObject({ autoApprove: ['t'], deniedTools: ['d'] })
  expect(problems).toEqual([
    'warn timeout-unit-suspect /mcpServers/a/timeout',
    'warn unknown-key /mcpServers/a/cwd',
    'warn unknown-key /mcpServers/a/type',
  ])
})
