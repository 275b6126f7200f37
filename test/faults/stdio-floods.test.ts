import { expect, test } from 'vitest'
import { matchGlob } from '../../src/model/glob.ts'
import { nodePlatform } from '../../src/index.ts'
import { callOutcome, faultHost, faulty } from '../support/fault-host.ts'
import type { FaultHost } from '../support/fault-host.ts'

const countOf = (fault: FaultHost, type: string) =>
  fault.events.filter((event) => event.type === type && 'server' in event && event.server === 'x').length

test('FI-30 notification flood: 10000 list changes are passed on as one, then one per second; other notifications are capped', async () => {
  await using fault = await faultHost({ x: faulty() })
  const changed = { method: 'notifications/tools/list_changed', times: 10_000 }
  await fault.act([{ notify: changed }, 'answer'])
  expect(countOf(fault, 'list.changed')).toBe(1)
  await fault.goodAnswers()
  await fault.clock.advance(1000)
  expect(countOf(fault, 'list.changed')).toBe(2)
  await fault.clock.advance(60_000)
  expect(countOf(fault, 'list.changed')).toBe(2)
  expect(countOf(fault, 'server.notified')).toBe(100)
  await fault.act([{ notify: 'notifications/message' }, 'answer'])
  expect(fault.warnings()).toEqual(['9900 notifications arrived too fast and were dropped.'])
  expect(countOf(fault, 'server.notified')).toBe(101)
})

test('FI-30 progress flood: progress with an unknown token reaches no call', async () => {
  await using fault = await faultHost({ x: faulty() })
  const seen: unknown[] = []
  const step = [
    { progress: { times: 10_000, token: 'nobody' } },
    { progress: { times: 2, token: 4 } },
    'answer',
  ]
  await fault.call('do', { args: { step }, onProgress: (progress) => seen.push(progress) })
  expect(seen).toEqual([])
  await fault.goodAnswers()
})

test.each([
  ['same-cursor', 2, 'Its list of tools was cut because a cursor was repeated.'],
  ['new-cursor', 200, 'Its list of tools was cut after 200 pages.'],
] as const)('FI-31 endless list (%s): is truncated, with a warning', async (pages, found, warning) => {
  await using fault = await faultHost({ x: faulty({ pages }) })
  const list = fault.host.list('x', 'tools')
  await fault.goodAnswers()
  const { items, quarantined } = await list
  expect(items.length + quarantined.length).toBe(found)
  expect(fault.warnings()).toContain(warning)
  await fault.goodAnswers()
})

test('FI-31 huge list: of 100,000 tools the first 10,000 are taken', async () => {
  await using fault = await faultHost({ x: faulty({ tools: 100_000 }) })
  const list = fault.host.list('x', 'tools')
  await fault.goodAnswers()
  const { items } = await list
  expect(items).toHaveLength(10_000)
  expect(items.at(-1)).toMatchObject({ name: 'tool-9999' })
  expect(fault.warnings()).toEqual(['Its list of tools was cut after 10000 entries.'])
})

test('FI-32 constant changes: the tools are listed again once a second, and no listener is left', async () => {
  await using fault = await faultHost({ x: faulty({ tools: { count: 3, changing: true } }) })
  const generations: unknown[] = []
  const listeners = process.eventNames().map((name) => process.listenerCount(name))
  await fault.host.connect('x')
  using _ = fault.host.on((event) => {
    if (event.type !== 'list.changed' || event.list !== 'tools') return
    void fault.host.list('x', 'tools').then(({ items }) => generations.push(items[0]))
  })
  for (let second = 1; second <= 5; second++) {
    await fault.act([{ listChanged: 'tools' }, { listChanged: 'tools' }, { listChanged: 'tools' }, 'answer'])
    await fault.clock.advance(1000)
    await fault.call()
  }
  const heard = (await fault.journal()).filter(({ message }) => message?.method === 'tools/list')
  expect(heard.length).toBeLessThanOrEqual(6)
  expect(generations).toHaveLength(heard.length)
  expect(generations.at(-1)).toMatchObject({ description: `Tool 0 (list ${heard.length})` })
  expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(listeners)
  await fault.goodAnswers()
})

test('FI-21 a server that stops reading: the call times out, the queue is bounded, and close works', async () => {
  await using fault = await faultHost(
    { x: faulty() },
    { limits: { maxInFlight: { stdio: 4, http: 4 }, maxQueued: 8 } },
  )
  await fault.act(['stopReading', 'answer'])
  const large = fault.call('large', { args: { text: 'x'.repeat(5_000_000) } })
  await fault.goodAnswers()
  const others = Array.from({ length: 12 }, () => callOutcome(fault.call()))
  expect(await others.at(-1)).toEqual({ code: 'call.busy', server: 'x' })
  await fault.clock.advance(60_000)
  expect(await callOutcome(large)).toMatchObject({ code: 'call.timeout', sent: true })
  // The queued ones have their own 60 s, four at a time.
  await fault.clock.advance(60_000)
  await fault.clock.advance(60_000)
  expect(await Promise.all(others.slice(0, -1))).toEqual(
    Array.from({ length: 11 }, () => ({
      code: 'call.timeout',
      server: 'x',
      method: 'tools/call',
      sent: false,
    })),
  )
  await fault.goodAnswers()
})

test('FI-27 a disk that does not respond delays neither the server nor its calls, and close only briefly', async () => {
  const { files } = nodePlatform()
  const stuck: string[] = []
  await using fault = await faultHost(
    { x: faulty() },
    {
      platform: {
        files: {
          ...files,
          append(path, text) {
            if (!path.endsWith('.log')) return files.append(path, text)
            stuck.push(path)
            return new Promise(() => undefined)
          },
        },
      },
    },
  )
  await fault.act([{ stderr: 'one' }, 'answer'])
  await fault.clock.advance(100)
  await expect.poll(() => stuck.length).toBe(1)
  await fault.act([{ stderrFlood: 3_000_000 }, 'answer'])
  await fault.goodAnswers()
  await fault.clock.advance(60_000)
  await fault.call()
  expect(stuck).toHaveLength(1)
})

test('FI-81 globs over 100,000 names match correctly and in linear time', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `server-${index % 100}__tool_${index}`)
  expect(names.filter((name) => matchGlob('server-7__*', name))).toHaveLength(1000)
  expect(names.filter((name) => matchGlob('*_9999*', name))).toHaveLength(11)
  expect(names.filter((name) => matchGlob(`${'*a'.repeat(12)}*b`, `${'a'.repeat(31)}${name}`))).toEqual([])
})
