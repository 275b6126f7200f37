import { expect, test } from 'vitest'
import { toServerFilter } from './server-filter.ts'

const admitted = (filter: Parameters<typeof toServerFilter>[0], ...tools: readonly string[]) =>
  tools.filter((tool) => toServerFilter(filter).admits(tool))

test('an entry without lists admits every tool, an empty allow-list none', () => {
  expect(admitted({ allow: null, deny: [] }, 'a', 'b')).toEqual(['a', 'b'])
  expect(admitted({ allow: [], deny: [] }, 'a', 'b')).toEqual([])
})

test('denied beats allowed, by name and by glob, and a "!" is a character like any other', () => {
  expect(
    admitted({ allow: ['get_*', 'put'], deny: ['*_secret', 'put'] }, 'get_x', 'get_secret', 'put', 'z'),
  ).toEqual(['get_x'])
  expect(admitted({ allow: null, deny: ['a*', '!a1'] }, 'a1', 'b')).toEqual(['b'])
  expect(admitted({ allow: ['a/b'], deny: [] }, 'a/b')).toEqual(['a/b'])
})

test('it says which', () => {
  const filter = toServerFilter({ allow: ['a', 'x'], deny: ['x*'] })
  expect(['a', 'b', 'x'].map((tool) => filter.refusal(tool))).toEqual([
    undefined,
    "Its server's entry does not list it.",
    'The pattern "x*" in its server\'s entry denies it.',
  ])
})
