import { expect, test } from 'vitest'
import { describeProblem, problemSentence } from './problem-facts.ts'

const shorten = (file: string) => file.replace('/home/me/', '~/')

test('describeProblem: the column of a text that does not parse moves from the message to the place', () => {
  const found = {
    code: 'parse-error',
    severity: 'error',
    message: 'line 4, column 7: a comma is missing',
    origin: { file: '/home/me/.mcp.json', line: 4, column: 7 },
  } as const
  expect(describeProblem(found, shorten)).toEqual({
    code: 'parse-error',
    severity: 'error',
    message: 'a comma is missing',
    place: { file: '/home/me/.mcp.json', shown: '~/.mcp.json:4:7', line: 4, column: 7 },
    about: 'parse-error',
  })
})

test('T18 describeProblem: no text of a file starts a line, and the key that was meant is apart', () => {
  const found = {
    code: 'unknown-key',
    severity: 'warn',
    message: 'Unknown key "ar\ngs"; it is ignored.',
    hint: 'Did you mean "args"?',
    server: 'a',
    origin: { file: '/x.json', line: 2, column: 3, pointer: '/mcpServers/a/ar\ngs' },
    meant: 'args',
  } as const
  const problem = describeProblem(found, shorten)
  expect(problem).toMatchObject({ message: 'Unknown key "ar\\ngs"; it is ignored.', meant: 'args' })
  expect(problemSentence(problem)).toBe('"a": Unknown key "ar\\ngs"; it is ignored. Did you mean "args"?')
})
