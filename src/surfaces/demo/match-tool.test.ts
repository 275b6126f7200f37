import { expect, test } from 'vitest'
import { matchTool, splitTasks } from './match-tool.ts'
import type { OfferedTool } from './match-tool.ts'

const tool = (name: string, description: string, properties = {}): OfferedTool => ({
  name: `demo__${name}`,
  description,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
})
const tools = [
  tool('echo', 'Repeat a message.', { message: { type: 'string' } }),
  tool('sum', 'Add two numbers and return the sum.', { a: { type: 'number' }, b: { type: 'number' } }),
  tool('list_notes', 'List all notes.'),
  tool('write_note', 'Write a new note.', { text: { type: 'string' } }),
  tool('paint', 'Paint a wall.', {
    color: { type: 'string', enum: ['red', 'blue'] },
    twice: { type: 'boolean' },
  }),
]

test.each<[string, string | undefined, object?]>([
  ['echo the message hello', 'echo', { message: 'hello' }],
  ['Please repeat "good day"', 'echo', { message: 'good day' }],
  ['add 2 and -3.5', 'sum', { a: 2, b: -3.5 }],
  ['show my notes', 'list_notes', {}],
  ['write a note: buy milk', 'write_note', { text: 'buy milk' }],
  ['write the new note water the plants', 'write_note', { text: 'water the plants' }],
  ['paint it blue', 'paint', { color: 'blue', twice: true }],
  ['use the demo', undefined],
  ['what is the weather', undefined],
])('the demo model understands %j', (task, name, args) => {
  expect(matchTool(task, tools)).toEqual(name && { name: `demo__${name}`, args })
})

test('a prompt with several tasks is done one after the other', () => {
  expect(splitTasks('add 2 and 3, then echo the message done; list notes\nand then stop')).toEqual([
    'add 2 and 3',
    'echo the message done',
    'list notes',
    'stop',
  ])
})
