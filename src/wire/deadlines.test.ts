import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { Deadlines } from './deadlines.ts'

interface Due {
  readonly name: string
  deadline: number
  hardDeadline: number
}

type Entry = Omit<Due, 'hardDeadline'> & Partial<Due>

function watch(entries: readonly Entry[], stalledMs: () => number = () => 0) {
  const inner = createFakeClock()
  const monotonic = () => inner.monotonic() + stalledMs()
  const open = new Set<Due>()
  const expired: [string, number][] = []
  const deadlines = new Deadlines<Due>(
    { ...inner, monotonic },
    () => open,
    (due) => {
      open.delete(due)
      expired.push([due.name, monotonic()])
    },
  )
  for (const entry of entries) {
    open.add(Object.assign(entry, { hardDeadline: entry.hardDeadline ?? Infinity }))
    deadlines.schedule(entry.deadline, monotonic())
  }
  return { clock: inner, open, expired, deadlines }
}

test('each expires at its own time, on one timer', async () => {
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

test('C27 one that was moved on meanwhile does not expire at its old time', async () => {
  const entry = { name: 'a', deadline: 100 }
  const { clock, expired } = watch([entry])
  await clock.advance(50)
  entry.deadline = 150
  await clock.advance(99)
  expect(expired).toEqual([])
  await clock.advance(1)
  expect(expired).toEqual([['a', 150]])
})

test('a stop leaves no timer', () => {
  const { clock, deadlines } = watch([{ name: 'a', deadline: 100 }])
  deadlines.stop()
  expect(clock.sleeping).toBe(0)
})

test('FI-82 time in which we stood still is given back, to those due first as well', async () => {
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

test('FI-82 a timer that is a little late gives nothing back', async () => {
  let stalled = 0
  const { clock, expired } = watch([{ name: 'a', deadline: 1000 }], () => stalled)
  stalled = 900
  await clock.advance(1000)
  expect(expired).toEqual([['a', 1900]])
})

test('whatever is expected, each expires once and never early', async () => {
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
