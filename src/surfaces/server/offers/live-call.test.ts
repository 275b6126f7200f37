import { expect, test } from 'vitest'
import { dropContents } from './live-call.ts'
import type { LiveCall } from './live-call.ts'

function ended(id: string, textLength: number, bytes: number): LiveCall {
  const result = { text: '', blocks: [], failed: false, ref: 'shop/show', ms: 1 }
  const times = { startedAt: 0, began: 0, progress: [], stderr: [], notes: [] }
  const args = { text: 'x'.repeat(textLength) }
  return { id, ref: 'shop/show', by: 'app', ...times, decision: '', state: 'done', args, bytes, result }
}

test('older calls let their results and long arguments go when all of them are too much', () => {
  const calls = [ended('newest', 900_000, 0), ended('short', 10, 90_000), ended('long', 900_000, 0)]
  dropContents(calls, 950_000)
  dropContents(calls, 950_000)
  const kept = calls.map(({ id, args, result }) => [id, JSON.stringify(args).length < 900_000, !result])
  expect(kept).toEqual([
    ['newest', false, false],
    ['short', true, true],
    ['long', true, true],
  ])
  expect(calls[1]?.args).toEqual({ text: 'x'.repeat(10) })
})
