import { expect, test } from 'vitest'
import { home, read } from '../../../../test/support/read.ts'

const file = '~/.lmstudio/mcp.json'
const old = '~/.cache/lm-studio/mcp.json'

test('LM Studio: if the new home has a file, the old one is ignored', async () => {
  const { names, shadowed, problems } = await read('lm-studio', {
    [file]: { mcpServers: { a: { command: 'a' } } },
    [old]: { mcpServers: { a: { command: 'old' }, b: { command: 'b' } } },
  })
  expect(names).toEqual(['a'])
  expect(shadowed.map(({ name, file: at }) => [name, at])).toEqual([
    ['a', `${home}/.cache/lm-studio/mcp.json`],
    ['b', `${home}/.cache/lm-studio/mcp.json`],
  ])
  expect(problems).toEqual(['info duplicate-location'])
})

test('LM Studio: without a new file, the old home is read', async () => {
  const { names, problems } = await read('lm-studio', { [old]: { mcpServers: { a: { command: 'a' } } } })
  expect({ names, problems }).toEqual({ names: ['a'], problems: [] })
})

test('LM Studio: the transport follows from command or url, and other keys are unknown', async () => {
  const { servers, problems } = await read('lm-studio', {
    [file]: {
      mcpServers: {
        a: { url: 'https://a.example', type: 'sse', disabled: true },
        b: { command: 'b', cwd: '/x', timeout: 1 },
        c: {},
      },
    },
  })
  expect(servers['a']).toMatchObject({ transport: 'http', fallback: 'sse', enabled: true })
  expect(problems).toEqual([
    'error missing-endpoint /mcpServers/c',
    'warn unknown-key /mcpServers/a/disabled',
    'warn unknown-key /mcpServers/a/type',
    'warn unknown-key /mcpServers/b/cwd',
    'warn unknown-key /mcpServers/b/timeout',
  ])
})

test('LM Studio: placeholders and comments are reported', async () => {
  const { servers, problems } = await read('lm-studio', {
    [file]: '{ "mcpServers": { // mine\n "a": { "command": "a", "env": { "T": "${T}" } } } }',
  })
  expect(servers['a']).toMatchObject({ env: { T: '${T}' } })
  expect(problems).toEqual(['info no-expansion-in-client /mcpServers/a/env/T', 'warn jsonc-in-json'])
})
