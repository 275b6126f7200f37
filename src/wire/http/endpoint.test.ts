import { expect, test } from 'vitest'
import { ActiveItems } from './endpoint.ts'

test('active items: deleted items are gone, and the others are still found', () => {
  const underWay = new ActiveItems<{ readonly id: number }>()
  const [a, b, c] = [{ id: 1 }, { id: 2 }, { id: 3 }] as const
  for (const item of [a, b, c]) underWay.add(item)
  underWay.delete(a)
  underWay.delete(a)
  expect(underWay.size).toBe(2)
  expect([1, 2, 3].map((id) => underWay.find((item) => item.id === id))).toEqual([undefined, b, c])
  underWay.delete(c)
  underWay.delete(b)
  expect(underWay.all()).toEqual([])
})

test('active items: all() can be iterated while items are deleted', () => {
  const underWay = new ActiveItems<number>()
  for (const item of [1, 2, 3]) underWay.add(item)
  const seen: number[] = []
  for (const item of underWay.all()) {
    seen.push(item)
    underWay.delete(item)
  }
  expect([seen, underWay.size]).toEqual([[1, 2, 3], 0])
})
