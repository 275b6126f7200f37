import { expect, test } from 'vitest'
import { matching, readTrigger, replaceTrigger } from './compose.ts'

test('a slash begins a prompt at the start of a message only, an at sign a resource at the start of a word', () => {
  expect(readTrigger('/re', 3)).toEqual({ sign: '/', words: 're', from: 0, to: 3 })
  expect(readTrigger('see @doc', 8)).toEqual({ sign: '@', words: 'doc', from: 4, to: 8 })
  expect(readTrigger('line\n@', 6)).toEqual({ sign: '@', words: '', from: 5, to: 6 })
  for (const text of ['a /re', '/usr/bin', 'me@example.com', '@one two', ''])
    expect(readTrigger(text, text.length)).toBeUndefined()
})

test('what was chosen replaces the typed word alone', () => {
  const text = 'see @doc now'
  const trigger = readTrigger(text, 8)!
  expect(replaceTrigger(text, trigger, '')).toEqual({ text: 'see  now', caret: 4 })
})

test('suggestions that begin with the word come first, at most eight', () => {
  const of = (label: string, detail = '') => ({ key: label, label, detail })
  const all = [of('code-review'), of('review'), of('notes', 'a review of the week'), of('other')]
  expect(matching(all, 'Rev').map(({ label }) => label)).toEqual(['review', 'code-review', 'notes'])
  expect(
    matching(
      Array.from({ length: 50 }, (_, at) => of(`p${at}`)),
      '',
    ),
  ).toHaveLength(8)
})
