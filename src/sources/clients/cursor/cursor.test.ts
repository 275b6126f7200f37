import { expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const file = '~/.cursor/mcp.json'

test('Cursor: a literal secret, an unpinned package and an unknown placeholder are reported', async () => {
  const { problems } = await read('cursor', {
    [file]: {
      mcpServers: {
        login: { url: 'https://a.example/mcp', auth: { CLIENT_ID: 'a', CLIENT_SECRET: 'literal' } },
        newest: { command: 'npx', args: ['-y', 'x@latest'] },
        plain: { command: 'x', env: { A: '${HOME}', B: '${workspaceFolder}' } },
      },
    },
  })
  expect(problems).toEqual([
    'info no-expansion-in-client /mcpServers/plain/env/A',
    'info unpinned-package /mcpServers/newest/args/1',
    'warn plaintext-secret /mcpServers/login/auth/CLIENT_SECRET',
  ])
})

test('Cursor: a command wins over a url, unless the type decides otherwise', async () => {
  const both = {
    command: 'x',
    args: ['y'],
    env: { A: 'b' },
    url: 'https://a.example/mcp',
    headers: { H: '1' },
  }
  const { servers, problems } = await read('cursor', {
    [file]: { mcpServers: { local: both, far: { ...both, type: 'http' } } },
  })
  expect(servers['local']).toMatchObject({ transport: 'stdio', command: 'x', url: null, headers: {} })
  expect(servers['far']).toMatchObject({
    transport: 'http',
    command: null,
    args: [],
    env: {},
    headers: { H: '1' },
  })
  expect(problems).toEqual(['warn command-and-url /mcpServers/far', 'warn command-and-url /mcpServers/local'])
})
