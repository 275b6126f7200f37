import { expect, test } from 'vitest'
import { drawProgramHelp, drawToolHelp } from './program-help.ts'

const long = 'word '.repeat(200_000)
const tool = {
  command: 'send',
  tool: 'send',
  title: long,
  description: long,
  inputSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: long },
      mode: { enum: ['\u001B[2J', 'b'] },
      size: { type: 'string', enum: [long, 'b'] },
      [`?${long}`]: {},
    },
    required: ['mode'],
  },
}

test('T60 help of a generated program cuts and escapes the texts of the server', () => {
  expect(drawToolHelp('x', tool).length).toBeLessThan(20_000)
  expect(drawProgramHelp('x', { server: 's', tools: [tool] }).length).toBeLessThan(5000)
  expect(drawToolHelp('x', tool)).toContain(String.raw`  x send --mode \x1b[2J|b [--flag value]...`)
  expect(drawToolHelp('x', tool)).not.toContain('\u001B')
})

test('help of a generated program says that @FILE is read', () => {
  expect(drawToolHelp('x', tool)).toContain('A value @FILE is the content of that file')
})
