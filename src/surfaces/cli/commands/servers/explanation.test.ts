import { expect, test } from 'vitest'
import { drawExplanation, hang } from './explanation.ts'
import { createStyle } from '../../../terminal/style.ts'

test.each([
  ['no width', 'one two three', undefined, 'one two three'],
  ['a line that fits', 'one two three', 13, 'one two three'],
  ['a sentence', 'one two three', 9, 'one two\n  three'],
  ['an indented one', '  one two three', 9, '  one two\n  three'],
  ['a labeled row', '  offers   1 tool, 1 prompt', 20, '  offers   1 tool, 1\n           prompt'],
  ['a label of two words', '  says it  is this and that', 20, '  says it  is this\n           and that'],
  ['a word wider than the line stays whole', '  a bbbbbbbbbbbb c', 8, '  a\n  bbbbbbbbbbbb\n  c'],
  ['wide characters', '漢字 漢字 漢字', 9, '漢字 漢字\n  漢字'],
])('hang: %s', (_what, line, width, lines) => {
  expect(hang(line, width)).toBe(lines)
})

test('hang: colors take no width', () => {
  const style = createStyle({ env: { FORCE_COLOR: '1' }, isTTY: true })
  const line = `  ${style.red('error')}: a b ${style.dim('[code]')}`
  expect(hang(line, 19)).toBe(line)
  expect(hang(line, 18)).toBe(`  ${style.red('error')}: a b\n  ${style.dim('[code]')}`)
})

test('equal remarks about one file are one line', () => {
  const remark = (line: number) => ({
    code: 'no-expansion-in-client' as const,
    severity: 'warn' as const,
    message: 'It stays as it is.',
    server: 'r',
    origin: { file: '/p/mcp.json', line },
  })
  const canvas = {
    style: createStyle({ env: {}, isTTY: false }),
    width: undefined,
    path: (file: string) => file,
    proposed: (text: string) => text,
  }
  const explanation = { name: 'r', reason: 'In force.', hidden: [], diagnostics: [remark(3), remark(4)] }
  expect(drawExplanation(explanation, canvas)).toBe(
    'r\nIn force.\n\nremarks\n  warning: /p/mcp.json:3: It stays as it is. (2 times: r) [no-expansion-in-client]',
  )
})
