import { expect, test } from 'vitest'
import { drawToolHelp } from './program-help.ts'
import { parseProgramWords } from './program-words.ts'

const tool = {
  command: 'ask',
  tool: 'ask',
  description: '',
  inputSchema: {
    type: 'object',
    properties: { help: { type: 'string' }, topic: { type: 'string' } },
    required: ['topic'],
  },
}
const parse = (...words: readonly string[]) =>
  parseProgramWords({ server: 'docs', tools: [tool] }, words, 'docs.mjs')

test('--help prints help even if the tool has an argument of that name, which --args and key=value take', () => {
  expect(parse('ask', '--help')).toEqual({ kind: 'help', tool })
  expect(drawToolHelp('docs.mjs', tool)).toContain('Only with --args: "help"')
  expect(parse('ask', '--topic', 'x', 'help=me')).toEqual({
    kind: 'call',
    words: ['call', '--', 'docs/ask', 'topic=x', 'help=me'],
  })
})

test('hints name the program', () => {
  const hintOf = (...words: readonly string[]) => {
    try {
      return parse(...words)
    } catch (error) {
      return (error as { hint?: string }).hint // every refusal is a usage error
    }
  }
  expect(hintOf('ask')).toBe('See: docs.mjs ask --help')
  expect(hintOf('ask', 'me')).toBe('Write arguments as flags: docs.mjs ask --topic TEXT')
  expect(hintOf('nothing-like-it')).toBe('See: docs.mjs --help')
})
