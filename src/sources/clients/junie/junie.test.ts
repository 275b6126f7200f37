import { expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const user = '~/.junie/mcp/mcp.json'
const workspace = '.junie/mcp/mcp.json'

test('Junie: a project entry hides the user’s entry of the same name', async () => {
  const { servers, problems } = await read('junie', {
    [workspace]: { mcpServers: { a: { command: 'project' } } },
    [user]: { mcpServers: { a: { command: 'user' }, b: { url: 'https://b.example' } } },
  })
  expect(servers['a']).toMatchObject({ command: 'project' })
  expect(servers['b']).toMatchObject({ transport: 'http', fallback: 'sse' })
  expect(problems).toEqual(['info shadowed /mcpServers/a'])
})

test('Junie: "disabled" is reported as undocumented; true turns the server off', async () => {
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

test('Junie: a type is unknown, and placeholders are not expanded', async () => {
  const { servers, problems } = await read('junie', {
    [workspace]: { mcpServers: { a: { url: 'https://a.example', type: 'sse', headers: { K: '${K}' } } } },
  })
  expect(servers['a']).toMatchObject({ transport: 'http' })
  expect(problems).toEqual([
    'info no-expansion-in-client /mcpServers/a/headers/K',
    'warn unknown-key /mcpServers/a/type',
  ])
})

test('Junie: a list instead of a map, and an entry that is not an object are errors', async () => {
  const { names, problems } = await read('junie', {
    [workspace]: { mcpServers: [] },
    [user]: { mcpServers: { a: 'npx a' } },
  })
  expect(names).toEqual([])
  expect(problems).toEqual(['error wrong-type /mcpServers', 'error wrong-type /mcpServers/a'])
})
