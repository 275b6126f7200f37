import { expect, test } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { Freshness } from '../../src/host/list-freshness.ts'

const hourMs = 3_600_000

test('T49 a list expires after its time, also if the clock is set back meanwhile', async () => {
  const clock = createFakeClock(1000 * hourMs)
  const freshness = new Freshness(clock)
  freshness.listed('a', hourMs)
  clock.setWallClock(-100 * hourMs)
  expect(freshness.expired()).toEqual([])
  await clock.advance(hourMs)
  expect(freshness.expired()).toEqual(['a'])
})

test('T49 a list expires while the machine sleeps, when only the wall clock goes on', () => {
  const clock = createFakeClock(1000 * hourMs)
  const freshness = new Freshness(clock)
  freshness.listed('a', hourMs)
  clock.setWallClock(hourMs)
  expect(freshness.isExpired('a')).toBe(true)
})

test('T49 a list from disk is as old as it says, and one dated in the future counts from now on', async () => {
  const clock = createFakeClock(1000 * hourMs)
  const freshness = new Freshness(clock)
  freshness.listed('old', hourMs, clock.now() - hourMs / 2)
  freshness.listed('future', hourMs, clock.now() + 500 * hourMs)
  await clock.advance(hourMs / 2)
  expect(freshness.expired()).toEqual(['old'])
  await clock.advance(hourMs / 2)
  expect(freshness.expired()).toEqual(['old', 'future'])
})
