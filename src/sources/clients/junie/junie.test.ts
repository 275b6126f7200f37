import { expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const user = '~/.junie/mcp/mcp.json'
const workspace = '.junie/mcp/mcp.json'

test('Junie: the project hides the user by name', async () => {
  const { servers, problems } = await read('junie', {
    [workspace]: { mcpServers: { a: { command: 'project' } } },
    [user]: { mcpServers: { a: { command: 'user' }, b: { url: 'https://b.example' } } },
  })
  expect(servers['a']).toMatchObject({ command: 'project' })
  expect(servers['b']).toMatchObject({ transport: 'http', fallback: 'sse' })
  expect(problems).toEqual(['info shadowed /mcpServers/a'])
})

test('Junie: "disabled" is undocumented; only true switches a server off here', async () => {
  const { servers, problems } = await read('junie', {
    [workspace]: {
      mcpServers: { a: { command: 'a', disabled: true }, b: { command: 'b', disabled: false } },
    },
  })
  expect(Object.values(servers).map(({ enabled }) => enabled)).toEqual([false, true])
  expect(problems).toEqual([
    'warn unknown-key /mcpServers/a/disabled',
    'warn unknown-key /mcpServers/b/disabled',
  ])
})

test('Junie: there is no type, and placeholders stay as they are', async () => {
  const { servers, problems } = await read('junie', {
    [workspace]: { mcpServers: { a: { url: 'https://a.example', type: 'sse', headers: { K: '${K}' } } } },
  })
  expect(servers['a']).toMatchObject({ transport: 'http' })
  expect(problems).toEqual([
    'info no-expansion-in-client /mcpServers/a/headers/K',
    'warn unknown-key /mcpServers/a/type',
  ])
})

test('Junie: a list where servers should be, and an entry that is no object', async () => {
  const { names, problems } = await read('junie', {
    [workspace]: { mcpServers: [] },
    [user]: { mcpServers: { a: 'npx a' } },
  })
  expect(names).toEqual([])
  expect(problems).toEqual(['error wrong-type /mcpServers', 'error wrong-type /mcpServers/a'])
})
