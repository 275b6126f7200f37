import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { RateCap } from './rate-cap.ts'

test('FI-30 a hundred pass in a second, and how many were kept back is said once', async () => {
  const clock = createFakeClock()
  const keptBack: number[] = []
  const cap = new RateCap(clock, (count) => void keptBack.push(count))
  const passed = (times: number) => Array.from({ length: times }, () => cap.admits()).filter(Boolean).length
  expect([passed(100), passed(9900), keptBack]).toEqual([100, 0, []])
  await clock.advance(999)
  expect(passed(1)).toBe(0)
  await clock.advance(1)
  expect([passed(50), keptBack]).toEqual([50, [9901]])
  await clock.advance(1000)
  expect([passed(1), keptBack]).toEqual([1, [9901]])
})
