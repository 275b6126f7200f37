import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PlaceLimit } from './place-limit.ts'

test('FI-101 a server that has too many requests gets half as many, and one more with each round of answers', () => {
  const limit = new PlaceLimit(16)
  const counts: number[] = []
  limit.refused(10, { inFlight: 16, lastId: 16 })
  counts.push(limit.count)
  for (let round = 0; round < 3; round++) {
    for (let answers = limit.count; answers > 0; answers--) limit.answered()
    counts.push(limit.count)
  }
  expect(counts).toEqual([8, 9, 10, 11])
})

test('FI-101 refusals of requests that were sent before the limit was lowered do not lower it again', () => {
  const limit = new PlaceLimit(64)
  for (let id = 1; id <= 64; id++) limit.refused(id, { inFlight: 64, lastId: 64 })
  expect(limit.count).toBe(32)
  limit.refused(65, { inFlight: 20, lastId: 90 })
  expect(limit.count).toBe(10)
})

test('FI-101 a few places stay, so that a call that hangs holds up no other', () => {
  const limit = new PlaceLimit(16)
  limit.refused(2, { inFlight: 2, lastId: 2 })
  expect(limit.count).toBe(4)
  const small = new PlaceLimit(2)
  small.refused(2, { inFlight: 2, lastId: 2 })
  expect(small.count).toBe(2)
})

test('FI-101 the limit stays between one and what is set, and comes back whatever was refused', () => {
  const events = fc.array(fc.oneof(fc.constant('answer' as const), fc.integer({ min: 1, max: 200 })))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), events, (most, all) => {
      const limit = new PlaceLimit(most)
      let id = 0
      for (const event of all) {
        if (event === 'answer') limit.answered()
        else limit.refused(++id, { inFlight: event, lastId: id })
        expect(limit.count).toBeGreaterThanOrEqual(1)
        expect(limit.count).toBeLessThanOrEqual(most)
      }
      for (let answers = 0; answers < most * most; answers++) limit.answered()
      expect(limit.count).toBe(most)
    }),
  )
})
