import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'
import type { QueuedItem } from './fair-queue.ts'

interface Item {
  readonly lane: number
  readonly number: number
}

type Step = { readonly add: number } | 'take' | { readonly remove: number }

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: fc.nat({ max: 4 }) }) },
    { weight: 3, arbitrary: fc.constant('take' as const) },
    { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
  ),
  { maxLength: 200 },
)

const add = (lane: number): Step => ({ add: lane })

/** Runs the steps; every item is one byte for each lane number. */
function run(all: readonly Step[]) {
  const queue = new FairQueue<Item>()
  const waiting: QueuedItem<Item>[] = []
  const taken: Item[] = []
  /** For each take: the lanes that had an item then. */
  const present: ReadonlySet<number>[] = []
  /** For each take: the lanes whose last item was removed since the take before; one that came back waits again. */
  const left: ReadonlySet<number>[] = []
  let leaving = new Set<number>()
  let number = 0
  for (const step of all) {
    if (step === 'take') {
      const lanes = new Set(waiting.map(({ item }) => item.lane))
      const item = queue.take()
      if (!item) continue
      const at = waiting.findIndex((each) => each.item === item)
      taken.push(...waiting.splice(at, 1).map((each) => each.item))
      present.push(lanes)
      left.push(leaving)
      leaving = new Set()
    } else if ('add' in step) {
      waiting.push(queue.add({ lane: step.add, number: number++ }, step.add, step.add))
    } else {
      const [gone] = waiting.splice(step.remove % Math.max(waiting.length, 1), 1)
      if (!gone) continue
      queue.remove(gone)
      if (waiting.every(({ item }) => item.lane !== gone.item.lane)) leaving.add(gone.item.lane)
    }
  }
  return { queue, waiting: waiting.map(({ item }) => item), taken, present, left }
}

describe('FairQueue', () => {
  test('takes what is in it, in the order of arrival within a lane (property)', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { queue, waiting, taken } = run(all)
        expect(queue.size).toBe(waiting.length)
        expect(queue.bytes).toBe(waiting.reduce((sum, { lane }) => sum + lane, 0))
        expect(new Set(queue.values())).toEqual(new Set(waiting))
        const rest = waiting.map(() => queue.take())
        expect(queue.take()).toBeUndefined()
        for (const lane of [0, 1, 2, 3, 4]) {
          const numbers = [...taken, ...rest].flatMap((item) => (item?.lane === lane ? item.number : []))
          expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
        }
      }),
    )
  })

  test('a lane that has an item is served before any other lane is served twice (property)', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { taken, present, left } = run(all)
        for (const lane of [0, 1, 2, 3, 4]) {
          const served = new Set<number>()
          taken.forEach((item, at) => {
            if (item.lane === lane || !present[at]?.has(lane)) return served.clear()
            if (left[at]?.has(lane)) served.clear()
            expect(served).not.toContain(item.lane)
            return served.add(item.lane)
          })
        }
      }),
      { examples: [[[add(1), add(1), add(2), 'take', 'take', add(2), { remove: 0 }, add(1), 'take']]] },
    )
  })

  test('an item that arrives behind thousands of another lane is the next but one', () => {
    const queue = new FairQueue<string>()
    for (let count = 0; count < 9000; count++) queue.add(`many ${count}`, 'many', 1)
    queue.add('one', 'single', 1)
    expect([queue.take(), queue.take(), queue.take()]).toEqual(['many 0', 'one', 'many 1'])
  })
})
