import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { Deadlines } from './deadlines.ts'

interface TimedEntry {
  readonly name: string
  deadline: number
  hardDeadline: number
}

type Entry = Omit<TimedEntry, 'hardDeadline'> & Partial<TimedEntry>

function watch(entries: readonly Entry[], stalledMs: () => number = () => 0) {
  const inner = createFakeClock()
  const monotonic = () => inner.monotonic() + stalledMs()
  const open = new Set<TimedEntry>()
  const expired: [string, number][] = []
  const deadlines = new Deadlines<TimedEntry>(
    { ...inner, monotonic },
    () => open,
    (entry) => {
      open.delete(entry)
      expired.push([entry.name, monotonic()])
    },
  )
  for (const entry of entries) {
    open.add(Object.assign(entry, { hardDeadline: entry.hardDeadline ?? Infinity }))
    deadlines.schedule(entry.deadline, monotonic())
  }
  return { clock: inner, open, expired, deadlines }
}

test('deadlines: each entry expires at its own time, on a single timer', async () => {
  const { clock, expired, open } = watch([
    { name: 'c', deadline: 300 },
    { name: 'a', deadline: 100 },
    { name: 'b', deadline: 200 },
    { name: 'never', deadline: Infinity },
  ])
  expect(clock.sleeping).toBe(1)
  await clock.advance(1000)
  expect(expired).toEqual([
    ['a', 100],
    ['b', 200],
    ['c', 300],
  ])
  expect({ timers: clock.sleeping, left: open.size }).toEqual({ timers: 0, left: 1 })
})

test('C27 deadlines: an entry whose deadline was extended does not expire at the old time', async () => {
  const entry = { name: 'a', deadline: 100 }
  const { clock, expired } = watch([entry])
  await clock.advance(50)
  entry.deadline = 150
  await clock.advance(99)
  expect(expired).toEqual([])
  await clock.advance(1)
  expect(expired).toEqual([['a', 150]])
})

test('deadlines: stop() leaves no timer', () => {
  const { clock, deadlines } = watch([{ name: 'a', deadline: 100 }])
  deadlines.stop()
  expect(clock.sleeping).toBe(0)
})

test('FI-82 deadlines: after a suspension every entry gets the lost time back, including the first entry', async () => {
  let stalled = 0
  const entries = [
    { name: 'a', deadline: 1000 },
    { name: 'b', deadline: 3000, hardDeadline: 4000 },
  ]
  const { clock, expired } = watch(entries, () => stalled)
  await clock.advance(999)
  stalled = 5000
  await clock.advance(1)
  expect({ expired, entries }).toEqual({
    expired: [],
    entries: [
      { name: 'a', deadline: 7000, hardDeadline: Infinity },
      { name: 'b', deadline: 9000, hardDeadline: 10_000 },
    ],
  })
  await clock.advance(10_000)
  expect(expired).toEqual([
    ['a', 7000],
    ['b', 9000],
  ])
})

test('FI-82 deadlines: a timer that is only slightly late extends nothing', async () => {
  let stalled = 0
  const { clock, expired } = watch([{ name: 'a', deadline: 1000 }], () => stalled)
  stalled = 900
  await clock.advance(1000)
  expect(expired).toEqual([['a', 1900]])
})

test('deadlines: every entry expires exactly once and never early (property)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 40 }), async (times) => {
      const { clock, expired, open } = watch(times.map((deadline, index) => ({ name: `${index}`, deadline })))
      await clock.advance(5001)
      expect(new Set(expired.map(([name]) => name)).size).toBe(times.length)
      expect(expired.filter(([name, at]) => at + 1 < (times[Number(name)] ?? 0))).toEqual([])
      expect({ left: open.size, timers: clock.sleeping }).toEqual({ left: 0, timers: 0 })
    }),
    { numRuns: 30 },
  )
})
