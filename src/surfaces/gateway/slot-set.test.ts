import { expect, test } from 'vitest'
import { SlotSet } from './slot-set.ts'

const item = (name: string) => ({ name, slot: -1 })

test('has what was added and not deleted since', () => {
  const set = new SlotSet<ReturnType<typeof item>>()
  const [a, b, c] = [item('a'), item('b'), item('c')]
  set.add(a)
  set.add(b)
  set.delete(a)
  set.add(c)
  expect(set.values().map(({ name }) => name)).toEqual(['c', 'b'])
  expect(set.size).toBe(2)
})

test('an item that is not in it can be deleted', () => {
  const set = new SlotSet<ReturnType<typeof item>>()
  const [a, b] = [item('a'), item('b')]
  set.add(a)
  set.delete(b)
  set.delete(a)
  set.delete(a)
  expect(set.size).toBe(0)
  set.add(b)
  expect(set.values()).toEqual([b])
})
