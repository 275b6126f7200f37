import { expect, test } from 'vitest'
import { holdOrder } from './held-order.ts'

test('a held list keeps its order, draws what changed, drops what is gone and counts what is new', () => {
  const items = [
    { key: 'new', word: 'just now' },
    { key: 'b', word: 'changed' },
    { key: 'a', word: 'same' },
  ]
  expect(holdOrder(['a', 'b', 'gone'], items, ({ key }) => key)).toEqual({
    shown: [items[2], items[1]],
    fresh: [items[0]],
  })
})

test('a held list draws new rows at once where they move nothing: after all others', () => {
  const rows = (...keys: readonly string[]) => keys.map((key) => ({ key }))
  expect(holdOrder(['a', 'b'], rows('a', 'new', 'b', 'c', 'd'), ({ key }) => key)).toEqual({
    shown: rows('a', 'b', 'c', 'd'),
    fresh: rows('new'),
  })
})
