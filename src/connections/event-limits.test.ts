import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import type { DropReason } from '../wire/channel.ts'
import { DropMonitor, RateLimit } from './event-limits.ts'

function open() {
  const clock = createFakeClock()
  const said: string[] = []
  const warned: string[] = []
  const complaints = new DropMonitor(clock, {
    showLine: (line) => void said.push(line),
    warn: (message) => void warned.push(message),
  })
  const drop = (what: DropReason, times: number, sample?: string) => {
    for (let index = 0; index < times; index++) complaints.dropped(what, sample)
  }
  return { clock, said, warned, drop }
}

test('FI-05 drop monitor: the first three lines of noise are shown, 1000 in a minute cause a warning', () => {
  const { said, warned, drop } = open()
  drop('noise', 999, 'hello')
  expect({ said, warned }).toEqual({ said: ['hello', 'hello', 'hello'], warned: [] })
  drop('noise', 5000)
  expect(warned).toEqual(['It sent 1000 lines on stdout that are not messages within a minute.'])
})

test('FI-13 drop monitor: ten unmatched answers in a minute cause a warning, at most once a minute', async () => {
  const { clock, warned, drop } = open()
  drop('unmatched', 9)
  await clock.advance(60_000)
  drop('unmatched', 9)
  expect(warned).toEqual([])
  drop('unmatched', 20, 'an answer to 7')
  await clock.advance(60_000)
  drop('unmatched', 10, 'an answer to "8"')
  expect(warned).toEqual([
    'It sent 10 answers to requests that are not open within a minute. The last one: an answer to 7',
    'It sent 10 answers to requests that are not open within a minute. The last one: an answer to "8"',
  ])
})

test('T24 drop monitor: requests from a server that does not accept our answers cause a warning', () => {
  const { warned, drop } = open()
  drop('untaken', 1000)
  expect(warned).toEqual(['It sent 10 requests without accepting our answers within a minute.'])
})

test('FI-16 drop monitor: late, duplicate and oversize answers cause no warning', () => {
  const { said, warned, drop } = open()
  for (const what of ['late', 'duplicate', 'oversize'] as const) drop(what, 2000, 'x')
  expect({ said, warned }).toEqual({ said: [], warned: [] })
})

test('FI-30 rate limit: 100 notifications pass per second, and the number of dropped ones is reported once', async () => {
  const clock = createFakeClock()
  const keptBack: number[] = []
  const cap = new RateLimit(clock, (count) => void keptBack.push(count))
  const passed = (times: number) => Array.from({ length: times }, () => cap.admits()).filter(Boolean).length
  expect([passed(100), passed(9900), keptBack]).toEqual([100, 0, []])
  await clock.advance(999)
  expect(passed(1)).toBe(0)
  await clock.advance(1)
  expect([passed(50), keptBack]).toEqual([50, [9901]])
  await clock.advance(1000)
  expect([passed(1), keptBack]).toEqual([1, [9901]])
})
