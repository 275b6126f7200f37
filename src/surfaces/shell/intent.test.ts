import { expect, test } from 'vitest'
import type { PromptCommand, ServerStatus, Tool } from '../../index.ts'
import { toIntent } from './intent.ts'

const names = [
  'add',
  'remove',
  'enable',
  'list',
  'status',
  'login',
  'logout',
  'call',
  'tools',
  'prompt',
  'shell',
  'doctor',
  'switch',
]
const command: PromptCommand = {
  name: '/x:say-hi',
  server: 'x',
  prompt: 'say hi',
  description: '',
  arguments: [],
}
const known = {
  commands: new Map(names.map((name) => [name, ''])),
  host: {
    tools: () => [{ name: 'echo', tool: 'say' }] as unknown as readonly Tool[], // only the names are used
    servers: () => [{ name: 'far' }] as unknown as readonly ServerStatus[], // only the name is used
    commands: () => [command],
  },
}

test.each<readonly [string, object]>([
  ['', { kind: 'nothing' }],
  ['plugboard', { kind: 'help' }],
  ['/quit', { kind: 'leave' }],
  ['exit', { kind: 'leave' }],
  ['/help add', { kind: 'help', about: 'add' }],
  ['/mcp', { kind: 'help' }],
  ['/mcp help', { kind: 'help' }],
  ['/mcp list', { kind: 'operation', name: 'list', words: [] }],
  ['ls', { kind: 'operation', name: 'list', words: [] }],
  ['list far', { kind: 'command', words: ['list', 'far'] }],
  ['list --json', { kind: 'command', words: ['list', '--json'] }],
  ['/mcp rm x', { kind: 'command', words: ['remove', 'x'] }],
  ['/mcp reauth x', { kind: 'command', words: ['login', 'x'] }],
  ['unauth x', { kind: 'command', words: ['logout', 'x'] }],
  ['/mcp doctor', { kind: 'command', words: ['doctor'] }],
  ['plugboard enable x', { kind: 'command', words: ['enable', 'x'] }],
  ['echo q=1', { kind: 'command', words: ['call', 'echo', 'q=1'] }],
  ['x__later q=1', { kind: 'command', words: ['call', 'x__later', 'q=1'] }],
  ['x/later', { kind: 'command', words: ['call', 'x/later'] }],
  ['say q=1', { kind: 'command', words: ['call', 'say', 'q=1'] }],
  ['far find q=1', { kind: 'command', words: ['call', 'far', 'find', 'q=1'] }],
  ['far.find q=1', { kind: 'command', words: ['call', 'far.find', 'q=1'] }],
  ['near.find(q:1)', { kind: 'command', words: ['call', 'near.find(q:1)'] }],
  ['/x:say-hi who=A', { kind: 'command', words: ['prompt', 'x/say hi', 'who=A'] }],
  ['/y:other', { kind: 'command', words: ['prompt', 'y/other'] }],
  ['# a remark', { kind: 'nothing' }],
  ['/tools', { kind: 'unknown', word: '/tools', hint: 'Use /mcp tools' }],
  ['/nothing', { kind: 'unknown', word: '/nothing', hint: 'See what there is: /help, or prompts' }],
  ['enabel x', { kind: 'unknown', word: 'enabel', hint: 'Did you mean enable?' }],
  ['/switch x off', { kind: 'command', words: ['switch', 'x', 'off'] }],
  ['/mcp shell', { kind: 'unknown', word: 'shell', hint: 'This is the shell already.' }],
  [
    'tools --cwd=/',
    { kind: 'unknown', word: '--cwd=/', hint: 'It applies to a whole shell: plugboard shell --cwd=/ …' },
  ],
  ['add a -- npx --config x', { kind: 'command', words: ['add', 'a', '--', 'npx', '--config', 'x'] }],
  ['call echo -', { kind: 'unknown', word: 'call', hint: expect.stringContaining('reads stdin itself') }],
])('toIntent: %j', (line, intent) => {
  expect(toIntent(line.split(' ').filter(Boolean), known)).toEqual(intent)
})

test('toIntent: a tool ref may contain a blank', () => {
  expect(toIntent(['my files/read', 'a=1'], known)).toEqual({
    kind: 'command',
    words: ['call', 'my files/read', 'a=1'],
  })
})
