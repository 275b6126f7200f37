import { describe, expect, test } from 'vitest'
import type { Status } from '../model/status.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { serverOf } from '../../test/support/server.ts'
import { ServerCaches } from './server-caches.ts'
import { StartTimes, waitTimesOf } from './start-times.ts'

const dayMs = 24 * 60 * 60 * 1000

describe('waitTimesOf (D-4)', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const now = Date.parse(at)
  test.each([
    ['a new server', undefined, 0, 10_000, 10_000],
    ['one that had its whole time', { at, reason: 'timed-out', waitedMs: 30_000 }, 0, 1000, 1000],
    ['one that was cut off early', { at, reason: 'cut-off', waitedMs: 200 }, 0, 10_000, 10_000],
    ['one that was cut off after 10 s', { at, reason: 'cut-off', waitedMs: 10_000 }, 0, 20_000, 1000],
    ['one that was cut off after 20 s', { at, reason: 'cut-off', waitedMs: 20_000 }, 0, 30_000, 1000],
    ['one that hung two days ago', { at, reason: 'timed-out', waitedMs: 30_000 }, 2 * dayMs, 10_000, 10_000],
  ] as const)('%s', (_who, start, laterMs, ms, skipMs) => {
    expect(waitTimesOf(start ? { start } : {}, now + laterMs)).toEqual({ ms, skipMs })
  })
})

describe('StartTimes', () => {
  const server = serverOf('x')
  const connecting = { state: 'connecting', step: 'queued', reason: 'asked-for', since: 0 } as const
  const closed: Status = { state: 'closed', reason: 'host-closed', since: 0 }
  const ready: Status = {
    state: 'ready',
    reason: 'greeted',
    since: 0,
    era: 'legacy',
    version: '',
    capabilities: {},
  }
  const failure = { code: 'timeout', message: '', hint: '', at: 0 } as const
  const timedOut: Status = { state: 'waiting', reason: 'failed', since: 0, retryAt: 0, failure }
  const crashed: Status = { ...timedOut, failure: { ...failure, code: 'exit' } }

  /** What is remembered after each of these starts, each in a host of its own: its length, and how it ends. */
  async function after(
    starts: readonly (readonly [ms: number, end: Status])[],
    { here = 30_000, entry = 30_000, questionMs = 0 } = {},
  ) {
    const clock = createFakeClock()
    const platform = createFakePlatform({ files: {}, clock })
    const caches = () => new ServerCaches({ directory: '/cache', platform }, { isStored: () => true })
    for (const [ms, end] of starts) {
      const opened = caches()
      const times = new StartTimes({ caches: opened, clock, startupMsOf: () => ({ entry, here }) })
      times.changed(server, connecting)
      await clock.advance(questionMs)
      if (ms > 0) times.changed(server, { ...connecting, step: 'resolving', reason: 'progress' })
      await clock.advance(ms)
      if (ms > 0) times.changed(server, { ...connecting, step: 'greeting', reason: 'progress' })
      times.changed(server, end)
      await times.close()
      await opened.close()
    }
    return (await caches().read(server)).start
  }

  test('remembers a server that had its whole time, until it gets ready', async () => {
    const at = '1970-01-01T00:00:30.000Z'
    expect(await after([[30_000, timedOut]])).toEqual({ at, reason: 'timed-out', waitedMs: 30_000 })
    expect(
      await after([
        [30_000, timedOut],
        [10, ready],
      ]),
    ).toBeUndefined()
  })

  test('remembers how long a server had that was cut off by another limit or by the end of the host', async () => {
    expect(await after([[12_000, closed]])).toMatchObject({ reason: 'cut-off', waitedMs: 12_000 })
    expect(await after([[15_000, timedOut]], { here: 15_000 })).toMatchObject({
      reason: 'cut-off',
      waitedMs: 15_000,
    })
    expect(await after([[29_500, closed]])).toMatchObject({ reason: 'timed-out' })
  })

  test('a shorter time changes nothing, nor does a cut of the short wait after a hang', async () => {
    const first = await after([[12_000, closed]])
    expect(
      await after([
        [12_000, closed],
        [300, closed],
      ]),
    ).toEqual(first)
    expect(
      await after([
        [30_000, timedOut],
        [1000, closed],
      ]),
    ).toMatchObject({ reason: 'timed-out' })
  })

  test('T57 no server is waited for longer than 30 s: one that had them is remembered, whatever its entry allows', async () => {
    const limits = { entry: 60_000, here: 60_000 }
    expect(await after([[30_000, closed]], limits)).toMatchObject({ reason: 'timed-out' })
    expect(await after([[20_000, closed]], limits)).toMatchObject({ reason: 'cut-off', waitedMs: 20_000 })
  })

  test('the time in which a person is asked about trust does not count', async () => {
    expect(await after([[0, closed]], { questionMs: 40_000 })).toBeUndefined()
    expect(await after([[12_000, closed]], { questionMs: 40_000 })).toMatchObject({
      reason: 'cut-off',
      waitedMs: 12_000,
    })
  })

  test('a restart forgets it; a crash is nothing to remember', async () => {
    const restarted: Status = { state: 'idle', reason: 'restarted', since: 0 }
    expect(
      await after([
        [30_000, timedOut],
        [1, restarted],
      ]),
    ).toBeUndefined()
    expect(await after([[20_000, crashed]])).toBeUndefined()
  })
})
