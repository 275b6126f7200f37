import { expect, test } from 'vitest'
import type { CallRow } from '../../../../src/client.ts'
import { barOf, changeFilter, fits, mergeCalls, neighbors, readFilter } from './call-list.ts'

const call = (id: string, at: number, more: Partial<CallRow> = {}): CallRow => ({
  id,
  ref: 'github/list_runs',
  server: 'github',
  tool: 'list_runs',
  by: 'chat',
  state: 'done',
  tone: 'ok',
  word: 'ok',
  at,
  ...more,
})

test('the filter is what the address says, and empty values are left out', () => {
  const filter = readFilter({ server: 'github', state: '', other: 'x', words: 'run' })
  expect(filter).toEqual({ server: 'github', words: 'run' })
  expect(changeFilter(filter, 'server', '')).toEqual({ words: 'run' })
  expect(changeFilter(filter, 'by', 'page')).toEqual({ server: 'github', words: 'run', by: 'page' })
})

test('a call that an event tells of is shown if it fits the filter', () => {
  const one = call('a', 1, { conversationTitle: 'Fix the flaky test' })
  expect(fits(one, {})).toBe(true)
  expect(fits(one, { server: 'github', by: 'chat', words: 'FLAKY list' })).toBe(true)
  expect(fits(one, { server: 'files' })).toBe(false)
  expect(fits(one, { state: 'failed' })).toBe(false)
  expect(fits(one, { words: 'zebra' })).toBe(false)
})

test('answers and events make one list, the newest first, each call once and as it was told last', () => {
  const running = call('b', 5, { state: 'running' })
  const merged = mergeCalls([call('a', 1), running], [call('c', 3)], [call('b', 5)])
  expect(merged.map(({ id, state }) => `${id} ${state}`)).toEqual(['b done', 'c done', 'a done'])
  expect(neighbors(merged, 'c')).toEqual({ earlier: 'a', later: 'b' })
  expect(neighbors(merged, 'x')).toEqual({})
})

test('bars grow with the root of the time', () => {
  expect([undefined, 0, 1, 100, 400].map((ms) => barOf(ms, 400))).toEqual([0, 1, 5, 50, 100])
  expect(barOf(5, 0)).toBe(0)
})
