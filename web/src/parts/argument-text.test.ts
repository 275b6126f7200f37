import { expect, test } from 'vitest'
import { argumentLine, showArguments } from './argument-text.ts'

test('T10 arguments are shown complete, with their line ends, and with hidden characters made visible', () => {
  const long = `first\nsecond ${'x'.repeat(5000)}`
  expect(
    showArguments({ title: 'safe\u202Etxt.exe', body: long, labels: ['a', 'b\u200B'], draft: true }),
  ).toEqual([
    { name: 'title', text: '"safe\\u{202e}txt.exe"' },
    { name: 'body', text: `"${long}"`, note: '5,013 characters, all shown' },
    { name: 'labels', text: '[\n  "a",\n  "b\\u200b"\n]' },
    { name: 'draft', text: 'true' },
  ])
})

test('arguments that are no object are shown as one value', () => {
  expect(showArguments([1, 2])).toEqual([{ name: '', text: '[\n  1,\n  2\n]' }])
})

test('the line of arguments is cut and has no line ends', () => {
  expect(argumentLine({ path: 'a\nb', limit: 3 })).toBe('path="a\\nb" limit=3')
  expect(argumentLine({ body: 'x'.repeat(1_000_000) }).length).toBeLessThan(300)
  expect(
    argumentLine(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, at]))),
  ).toMatch(/^key0=0 key1=1 .* …$/)
})
