import { expect, test } from 'vitest'
import { createFrameQueue } from './frame-queue.ts'

test('1,000 events before a frame are one batch in their order', () => {
  const frames: (() => void)[] = []
  const batches: (readonly number[])[] = []
  const push = createFrameQueue<number>(
    (batch) => batches.push(batch),
    (run) => frames.push(run),
  )
  for (let each = 0; each < 1000; each++) push([each])
  expect({ frames: frames.length, batches: batches.length }).toEqual({ frames: 1, batches: 0 })
  frames.shift()?.()
  push([1000, 1001])
  frames.shift()?.()
  expect(batches.map((batch) => [batch.length, batch[0], batch.at(-1)])).toEqual([
    [1000, 0, 999],
    [2, 1000, 1001],
  ])
})

test('what an event causes while a batch is drawn is drawn in the next frame', () => {
  const frames: (() => void)[] = []
  const batches: (readonly number[])[] = []
  const push = createFrameQueue<number>(
    (batch) => {
      batches.push(batch)
      if (batch[0] === 1) push([2])
    },
    (run) => frames.push(run),
  )
  push([1])
  frames.shift()?.()
  expect(batches).toEqual([[1]])
  frames.shift()?.()
  expect(batches).toEqual([[1], [2]])
})
