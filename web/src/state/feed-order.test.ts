import { expect, test } from 'vitest'
import type { FeedEvent, Snapshot } from '../../../src/client.ts'
import { createFeedOrder } from './feed-order.ts'

const said = (seq: number): FeedEvent => ({
  seq,
  at: 0,
  type: 'server.said',
  server: 'notes',
  stream: 'stderr',
  line: `line ${seq}`,
})
const snapshot = (epoch: string, seq: number) => ({ epoch, seq }) as Snapshot // the order reads only these
const arrived = (epoch: string, seq: number): FeedEvent => ({
  seq,
  at: 0,
  type: 'snapshot',
  snapshot: snapshot(epoch, seq),
})

function ordered() {
  const passed: (number | string)[] = []
  const gaps: number[] = []
  const order = createFeedOrder({
    onEvents: (events) =>
      passed.push(
        ...events.map((event) => (event.type === 'snapshot' ? `snapshot ${event.seq}` : event.seq)),
      ),
    onGap: () => gaps.push(passed.length),
  })
  return { order, passed, gaps }
}

test('events after a snapshot pass once and in their order; known ones are dropped', () => {
  const { order, passed, gaps } = ordered()
  order.take([arrived('a', 4), said(3), said(4), said(5), said(6)])
  order.take([said(5), said(6), said(7)])
  expect({ passed, gaps, position: order.position }).toEqual({
    passed: ['snapshot 4', 5, 6, 7],
    gaps: [],
    position: { epoch: 'a', seq: 7 },
  })
})

test('a gap asks once for a snapshot, and what came meanwhile is applied after it', () => {
  const { order, passed, gaps } = ordered()
  order.take([arrived('a', 4), said(5)])
  order.take([said(8)], 'a')
  order.take([said(9), said(10)], 'a')
  expect(passed).toEqual(['snapshot 4', 5])
  order.restart(snapshot('a', 8))
  expect({ passed, gaps }).toEqual({ passed: ['snapshot 4', 5, 'snapshot 8', 9, 10], gaps: [2] })
})

test('a snapshot that is older than the gap asks again', () => {
  const { order, passed, gaps } = ordered()
  order.take([arrived('a', 1)])
  order.take([said(9)], 'a')
  order.restart(snapshot('a', 5))
  expect(gaps).toHaveLength(2)
  order.restart(snapshot('a', 8))
  expect(passed.at(-1)).toBe(9)
})

test('events of another start are not mixed in: their numbers mean nothing here', () => {
  const { order, passed, gaps } = ordered()
  order.take([arrived('a', 4)])
  order.take([said(5)], 'b')
  expect({ passed, gaps }).toEqual({ passed: ['snapshot 4'], gaps: [1] })
  order.restart(snapshot('b', 4))
  expect(passed).toEqual(['snapshot 4', 'snapshot 4', 5])
})

test('events before the first snapshot wait for it', () => {
  const { order, passed, gaps } = ordered()
  order.take([said(3), said(4)], 'a')
  order.restart(snapshot('a', 3))
  expect({ passed, gaps }).toEqual({ passed: ['snapshot 3', 4], gaps: [0] })
})
