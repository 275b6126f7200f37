import { expect, test } from 'vitest'
import { home, read } from '../../../../test/support/read.ts'

const user = '~/.factory/mcp.json'
const workspace = '.factory/mcp.json'

test('Factory Droid: a missing type is reported and follows from command or url', async () => {
  const { servers, problems } = await read('factory-droid', {
    [user]: {
      mcpServers: {
        a: { command: 'a' },
        b: { url: 'https://b.example' },
        c: { type: 'streamable-http', url: 'https://c.example' },
        d: { type: 'http' },
      },
    },
  })
  expect(Object.entries(servers).map(([name, { transport }]) => [name, transport])).toEqual([
    ['a', 'stdio'],
    ['b', 'http'],
  ])
  expect(problems).toEqual([
    'error missing-endpoint /mcpServers/d',
    'error unknown-transport /mcpServers/c/type',
    'warn missing-type /mcpServers/a',
    'warn missing-type /mcpServers/b',
  ])
})

test('Factory Droid: both user files are read, the older one is reported, and the project ranks last', async () => {
  const entry = (command: string) => ({ type: 'stdio', command })
  const { servers, shadowed, problems } = await read('factory-droid', {
    [user]: { mcpServers: { a: entry('factory') } },
    '~/.droid/mcp.json': { mcpServers: { a: entry('droid'), b: entry('droid') } },
    [workspace]: { mcpServers: { b: entry('project'), c: entry('project') } },
  })
  expect(Object.entries(servers).map(([name, { command }]) => [name, command])).toEqual([
    ['a', 'factory'],
    ['b', 'droid'],
    ['c', 'project'],
  ])
  expect(shadowed.map(({ name, by }) => [name, by])).toEqual([
    ['a', { scope: 'user', file: `${home}/.factory/mcp.json` }],
    ['b', { scope: 'user', file: `${home}/.droid/mcp.json` }],
  ])
  expect(problems).toEqual([
    'info duplicate-location',
    'info shadowed /mcpServers/a',
    'info shadowed /mcpServers/b',
  ])
})

test('Factory Droid: filters, timeouts and ${VAR:-default} are read', async () => {
  const { servers, problems } = await read('factory-droid', {
    [user]: {
      mcpServers: {
        a: {
          type: 'stdio',
          command: 'a',
          args: ['${X:-d}'],
          enabledTools: ['r', 'w'],
          disabledTools: ['w'],
          timeoutMs: 9000,
          cwd: '/x',
        },
      },
    },
  })
  expect(servers['a']).toMatchObject({
    allowedTools: ['r', 'w'],
    deniedTools: ['w'],
    timeoutMs: 9000,
    resolved: { args: ['d'] },
  })
  expect(problems).toEqual(['info tool-filter-conflict /mcpServers/a', 'warn unknown-key /mcpServers/a/cwd'])
})
