import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Failure, FailureCode, Status } from '../model/status.ts'
import { beginLife, isQuarantined, nextLife, remainingWaitMs } from './life.ts'
import type { UntimedLifeEvent, Life, LifeEvent } from './life.ts'

const greeting = { era: 'legacy', version: '2025-11-25', capabilities: { tools: {} } } as const
const failure = (code: FailureCode = 'exit'): Failure => ({ code, message: 'm', hint: 'h', at: 0 })
const declared: Status = { state: 'idle', reason: 'declared', since: 0 }

const connect: UntimedLifeEvent = { type: 'connect', reason: 'asked-for' }
const greeted: UntimedLifeEvent = { type: 'greeted', greeting }
const failed = (more: Partial<UntimedLifeEvent & { type: 'failed' }> = {}): UntimedLifeEvent => ({
  type: 'failed',
  failure: failure('network'),
  isFinal: false,
  jitter: 0,
  ...more,
})
const crashed = (more: Partial<UntimedLifeEvent & { type: 'crashed' }> = {}): UntimedLifeEvent => ({
  type: 'crashed',
  failure: failure(),
  isFinal: false,
  jitter: 0,
  ...more,
})
const refused: UntimedLifeEvent = { type: 'refused', failure: failure('upstream') }

/** Applies events at given times; wall-clock time is 1000 s ahead of the monotonic clock. */
class Story {
  life: Life = beginLife(declared)
  at = 0
  after(ms: number): this {
    this.at += ms
    return this
  }
  happen(...happenings: readonly UntimedLifeEvent[]): this {
    for (const happening of happenings)
      this.life = nextLife(this.life, { ...happening, now: 1_000_000 + this.at, monotonic: this.at })
    return this
  }
  get status(): Status {
    return this.life.status
  }
  get wait(): number {
    return remainingWaitMs(this.life, { now: 1_000_000 + this.at, monotonic: this.at })
  }
}

describe('life: regular course', () => {
  test('from idle to ready, each step has its reason; since is the begin of the attempt until it is ready', () => {
    const story = new Story().after(5).happen(connect)
    const seen = [story.status]
    for (const step of ['resolving', 'starting', 'greeting'] as const)
      seen.push(story.after(1).happen({ type: 'step', step }).status)
    seen.push(story.after(1).happen(greeted).status)
    expect(seen).toEqual([
      { state: 'connecting', step: 'queued', reason: 'asked-for', since: 1_000_005 },
      { state: 'connecting', step: 'resolving', reason: 'progress', since: 1_000_005 },
      { state: 'connecting', step: 'starting', reason: 'progress', since: 1_000_005 },
      { state: 'connecting', step: 'greeting', reason: 'progress', since: 1_000_005 },
      { state: 'ready', reason: 'greeted', since: 1_000_009, ...greeting },
    ])
  })

  test('a stopped connection is idle again, and a closed one stays closed', () => {
    const story = new Story().happen(connect, greeted, { type: 'stopped', reason: 'idle' })
    expect(story.status).toEqual({ state: 'idle', reason: 'idle', since: 1_000_000 })
    story.happen({ type: 'closed' }, connect, greeted, { type: 'restarted' }, crashed())
    expect(story.life).toEqual(beginLife({ state: 'closed', reason: 'host-closed', since: 1_000_000 }))
  })

  test('a disabled or untrusted server can only be closed', () => {
    for (const state of ['disabled', 'untrusted'] as const) {
      const status: Status = { state, reason: 'switched-off', since: 0 }
      const story = new Story()
      story.life = beginLife(status)
      story.happen(connect, greeted, failed(), { type: 'restarted' }, { type: 'stopped', reason: 'stopped' })
      expect(story.status).toBe(status)
      expect(story.happen({ type: 'closed' }).status.state).toBe('closed')
    }
  })
})

describe('FI-28 life: crashes', () => {
  test('FI-28 FI-91 the wait doubles from 0.5 to 4 s, and after the fifth crash in three minutes it rests for five', () => {
    const story = new Story()
    const waits: number[] = []
    for (let crash = 1; crash <= 4; crash++) {
      story.happen(connect, greeted, crashed())
      waits.push(story.wait)
      story.after(story.wait)
    }
    story.happen(connect, greeted, crashed())
    expect(waits).toEqual([500, 1000, 2000, 4000])
    expect(story.status).toEqual({
      state: 'waiting',
      reason: 'crash-loop',
      since: 1_007_500,
      retryAt: 1_307_500,
      failure: failure(),
    })
  })

  test('FI-91 each rest is twice as long, up to an hour, and needs five crashes again', () => {
    const story = new Story()
    const rests: number[] = []
    const waits: number[] = []
    for (let crash = 1; crash <= 30; crash++) {
      story.happen(connect, greeted, crashed())
      if (story.status.reason === 'crash-loop') rests.push(story.wait / 60_000)
      else waits.push(story.wait)
      story.after(story.wait)
    }
    expect(rests).toEqual([5, 10, 20, 40, 60, 60])
    expect(waits).toEqual(Array.from({ length: 6 }, () => [500, 1000, 2000, 4000]).flat())
  })

  test('FI-91 60 s of health after a rest make the next one short again, less does not', () => {
    const nextRest = (healthyMs: number) => {
      const story = new Story()
      for (let crash = 1; crash <= 5; crash++) story.happen(connect, greeted, crashed())
      story.after(story.wait).happen(connect, greeted).after(healthyMs).happen(crashed())
      for (let crash = 2; crash <= 5; crash++) story.happen(connect, greeted, crashed())
      return story.wait
    }
    expect([nextRest(59_999), nextRest(60_000)]).toEqual([600_000, 300_000])
  })

  test('FI-28 five crashes that are further apart are no crash loop', () => {
    const story = new Story()
    for (let crash = 1; crash <= 10; crash++) story.happen(connect, greeted, crashed()).after(46_000)
    expect(story.status.state).toBe('waiting')
  })

  test('FI-28 crashes before the greeting count as well', () => {
    const story = new Story()
    for (let crash = 1; crash <= 4; crash++) story.happen(connect, failed({ failure: failure('exit') }))
    expect(story.status.state).toBe('waiting')
    story.happen(connect, failed({ failure: failure('exit') }))
    expect(story.status).toMatchObject({ state: 'waiting', reason: 'crash-loop' })
  })

  test('FI-28 FI-91 a restart ends the rest, a stop does not', () => {
    const story = new Story()
    for (let crash = 1; crash <= 5; crash++) story.happen(connect, greeted, crashed())
    story.happen({ type: 'stopped', reason: 'stopped' })
    expect(story.status).toMatchObject({ state: 'waiting', reason: 'crash-loop' })
    story.happen({ type: 'restarted' })
    expect(story.life).toEqual(beginLife({ state: 'idle', reason: 'restarted', since: 1_000_000 }))
  })

  test('60 s of health clear earlier failures, less does not', () => {
    const waitAfter = (healthyMs: number) => {
      const story = new Story().happen(
        connect,
        greeted,
        crashed(),
        connect,
        greeted,
        crashed(),
        connect,
        greeted,
      )
      story.after(healthyMs).happen(crashed())
      return { wait: story.wait, crashes: story.life.crashes.length }
    }
    expect([waitAfter(59_999), waitAfter(60_000)]).toEqual([
      { wait: 2000, crashes: 3 },
      { wait: 500, crashes: 1 },
    ])
  })

  test('time spent waiting for a login does not count as health', () => {
    const login: UntimedLifeEvent = { type: 'login-needed', failure: failure('auth'), login: 'log in' }
    const story = new Story().happen(connect, greeted, crashed(), connect, greeted, login).after(70_000)
    story.happen({ type: 'stopped', reason: 'stopped' })
    expect(story.life).toMatchObject({ failures: 1, crashes: [0] })
  })

  test('with restart "never" the first crash is final', () => {
    const story = new Story().happen(connect, greeted, crashed({ isFinal: true }))
    expect(story.status).toEqual({ state: 'failed', reason: 'crashed', since: 1_000_000, failure: failure() })
  })
})

describe('FI-29 life: a tool that crashes the server', () => {
  test('FI-29 is quarantined for five minutes after three crashes, and the server continues', () => {
    const story = new Story()
    const held: boolean[] = []
    for (let crash = 1; crash <= 3; crash++) {
      story.happen(connect, greeted, crashed({ tool: 'bad' }))
      held.push(isQuarantined(story.life, 'bad', story.at))
    }
    expect(held).toEqual([false, false, true])
    expect(story.status.state).toBe('waiting')
    expect([
      isQuarantined(story.life, 'good', story.at),
      isQuarantined(story.life, 'bad', 299_999),
      isQuarantined(story.life, 'bad', 300_000),
    ]).toEqual([false, true, false])
  })

  test('FI-29 crashes of a quarantined tool do not count as a crash loop', () => {
    const story = new Story()
    for (const tool of [undefined, undefined, 'bad', 'bad', 'bad'])
      story.happen(connect, greeted, crashed({ tool }))
    expect(story.status).toMatchObject({ state: 'waiting', reason: 'crashed' })
    story.happen(connect, greeted, crashed())
    expect(story.status).toMatchObject({ state: 'waiting', reason: 'crash-loop' })
  })

  test('T44 a tool name may be that of an Object.prototype member', () => {
    for (const tool of ['__proto__', 'constructor', 'toString']) {
      const story = new Story()
      expect(isQuarantined(story.life, tool, 0)).toBe(false)
      for (let crash = 1; crash <= 3; crash++) story.happen(connect, greeted, crashed({ tool }))
      expect([tool, isQuarantined(story.life, tool, 0), 'until' in {}]).toEqual([tool, true, false])
    }
  })
})

describe('life: failed attempts', () => {
  test('FI-56 the wait grows up to 30 s', () => {
    const story = new Story()
    const waits: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      story.happen(connect, failed())
      waits.push(story.wait)
      story.after(story.wait)
    }
    expect(waits).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000,
    ])
    expect(story.status).toMatchObject({ state: 'waiting', reason: 'failed' })
    expect(story.wait).toBe(0)
  })

  test('FI-56 after a sleep of the machine there is no wait', () => {
    const story = new Story().happen(connect, failed(), connect, failed(), connect, failed())
    const moment = { now: 1_000_000, monotonic: 0 }
    expect([
      remainingWaitMs(story.life, moment),
      remainingWaitMs(story.life, { ...moment, now: 1_009_000 }),
      remainingWaitMs(story.life, { ...moment, now: 1_300_000 }),
    ]).toEqual([2000, 2000, 0])
  })

  test('a final failure stays, and the next request may retry it', () => {
    const story = new Story().happen(connect, failed({ isFinal: true, failure: failure('spawn') }))
    expect(story.status).toEqual({
      state: 'failed',
      reason: 'failed',
      since: 1_000_000,
      failure: failure('spawn'),
    })
    expect(story.happen(connect).status.state).toBe('connecting')
  })

  test('a required login is a state of its own', () => {
    const login: UntimedLifeEvent = {
      type: 'login-needed',
      failure: failure('auth'),
      login: 'plugboard login x',
    }
    const needed = {
      state: 'needs-auth',
      reason: 'login-needed',
      since: 1_000_000,
      failure: failure('auth'),
      login: 'plugboard login x',
    }
    expect(new Story().happen(connect, login).status).toEqual(needed)
    expect(new Story().happen(connect, greeted, login).status).toEqual(needed)
    expect(new Story().happen(login).status).toBe(declared)
  })
})

describe('FI-45 FI-46 life: the breaker', () => {
  const five = [refused, refused, refused, refused, refused]

  test('FI-45 opens at the fifth failure in a row, not earlier, and not with an answer in between', () => {
    const story = new Story().happen(connect, greeted, refused, refused, refused, refused)
    expect(story.status.state).toBe('ready')
    story.happen({ type: 'answered' }, refused, refused, refused, refused)
    expect(story.status.state).toBe('ready')
    expect(story.happen(refused).status).toEqual({
      state: 'waiting',
      reason: 'breaker-open',
      since: 1_000_000,
      retryAt: 1_030_000,
      failure: failure('upstream'),
    })
  })

  test('FI-45 opens for longer each time, up to 5 minutes', () => {
    const story = new Story().happen(connect, greeted, ...five)
    const waits = [story.wait]
    for (let attempt = 0; attempt < 10; attempt++) {
      story.after(story.wait).happen(connect, failed({ failure: failure('upstream') }))
      waits.push(story.wait)
    }
    expect(waits).toEqual([30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 300].map((s) => s * 1000))
  })

  test('FI-46 half open, one failure opens it again and one answer closes it', () => {
    const opened = () =>
      new Story()
        .happen(connect, greeted, ...five)
        .after(30_000)
        .happen(connect, greeted)
    expect(opened().happen(refused).status).toMatchObject({ state: 'waiting', reason: 'breaker-open' })
    const closed = opened().happen({ type: 'answered' }, refused, refused, refused, refused)
    expect(closed.status.state).toBe('ready')
  })

  test('FI-56 opens for at most 30 s if the server cannot be reached', () => {
    const gone: UntimedLifeEvent = { type: 'refused', failure: failure('network') }
    const story = new Story().happen(connect, greeted, gone, gone, gone, gone, gone)
    for (let attempt = 0; attempt < 5; attempt++) story.after(story.wait).happen(connect, failed())
    expect(story.wait).toBe(30_000)
  })

  test('FI-44 the time that the server asks for is waited, up to 5 minutes', () => {
    const asks = (ms: number): UntimedLifeEvent =>
      ({ ...failed(), failure: { ...failure('rate'), retryAt: 1_000_000 + ms } }) as UntimedLifeEvent
    expect([100, 20_000, 10 ** 12].map((ms) => new Story().happen(connect, asks(ms)).wait)).toEqual([
      500, 20_000, 300_000,
    ])
  })
})

describe('FI-87 life: any events in any order (property)', () => {
  const legal: Readonly<Record<Status['state'], readonly Status['state'][]>> = {
    disabled: ['closed'],
    untrusted: ['closed'],
    idle: ['idle', 'connecting', 'closed'],
    connecting: ['connecting', 'ready', 'needs-auth', 'waiting', 'failed', 'idle', 'closed'],
    ready: ['needs-auth', 'waiting', 'failed', 'idle', 'closed'],
    'needs-auth': ['connecting', 'idle', 'closed'],
    waiting: ['connecting', 'idle', 'closed'],
    failed: ['connecting', 'idle', 'closed'],
    closed: [],
  }
  const code = fc.constantFrom<FailureCode>('exit', 'network', 'upstream', 'timeout')
  const some = {
    failure: code.map((each) => failure(each)),
    jitter: fc.double({ min: -0.2, max: 0.2, noNaN: true }),
  }
  const happening = fc.oneof(
    { weight: 6, arbitrary: fc.constant(connect) },
    { weight: 6, arbitrary: fc.constant(greeted) },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('failed' as const), isFinal: fc.constant(false), ...some }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('crashed' as const),
        isFinal: fc.constant(false),
        tool: fc.constantFrom(undefined, 'a', 'b'),
        ...some,
      }),
    },
    { weight: 1, arbitrary: fc.constant(failed({ isFinal: true })) },
    { weight: 3, arbitrary: fc.constant(refused) },
    { weight: 1, arbitrary: fc.constant<UntimedLifeEvent>({ type: 'answered' }) },
    { weight: 1, arbitrary: fc.constant<UntimedLifeEvent>({ type: 'step', step: 'starting' }) },
    {
      weight: 1,
      arbitrary: fc.constant<UntimedLifeEvent>({
        type: 'login-needed',
        failure: failure('auth'),
        login: 'l',
      }),
    },
    { weight: 1, arbitrary: fc.constant<UntimedLifeEvent>({ type: 'stopped', reason: 'stopped' }) },
    { weight: 1, arbitrary: fc.constant<UntimedLifeEvent>({ type: 'restarted' }) },
    { weight: 1, arbitrary: fc.constant<UntimedLifeEvent>({ type: 'closed' }) },
  )
  const events = fc.array(fc.tuple(fc.nat(70_000), happening), { maxLength: 60 })
  const start = fc.constantFrom<Status>(
    declared,
    { state: 'disabled', reason: 'switched-off', since: 0 },
    { state: 'untrusted', reason: 'not-trusted', since: 0 },
  )

  function run(
    first: Status,
    steps: readonly (readonly [number, UntimedLifeEvent])[],
    see: (before: Life, event: LifeEvent, after: Life) => void,
  ) {
    let life = beginLife(first)
    let at = 0
    for (const [ms, each] of steps) {
      at += ms
      const event: LifeEvent = { ...each, now: 5_000_000 + at, monotonic: at }
      const next = nextLife(life, event)
      see(life, event, next)
      life = next
    }
  }

  test('FI-87 only legal transitions occur, closed is final, and since and reason are always set', () => {
    fc.assert(
      fc.property(start, events, (first, steps) => {
        run(first, steps, ({ status: before }, event, { status: after }) => {
          const isNews = before !== after
          expect({
            isLegal: !isNews || legal[before.state].includes(after.state),
            isDated: !isNews || after.since === (event.type === 'step' ? before.since : event.now),
            reason: typeof after.reason,
            isFinal: before.state !== 'closed' || !isNews,
            isClosed: event.type !== 'closed' || after.state === 'closed',
          }).toEqual({ isLegal: true, isDated: true, reason: 'string', isFinal: true, isClosed: true })
        })
      }),
      { numRuns: 500 },
    )
  })

  test('FI-87 FI-28 FI-91 rests exactly at the fifth crash in three minutes, between 5 minutes and an hour', () => {
    fc.assert(
      fc.property(events, (steps) => {
        run(declared, steps, (before, event, after) => {
          const { status } = after
          if (status.reason !== 'crash-loop' || before.status === status) return
          const lately = before.crashes.filter((at) => event.monotonic - at < 180_000)
          expect(lately.length).toBeGreaterThanOrEqual(4)
          const ms = status.state === 'waiting' ? status.retryAt - event.now : 0
          expect(ms).toBe(Math.min(300_000 * 2 ** before.rests, 3_600_000))
        })
      }),
      { numRuns: 500 },
    )
  })

  test('FI-87 waits grow with failures in a row, within 20 % of the plan and never over 30 s', () => {
    const jitters = fc.array(fc.double({ min: -0.2, max: 0.2, noNaN: true }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(jitters, (each) => {
        const story = new Story()
        each.forEach((jitter, index) => {
          story.happen(connect, failed({ jitter }))
          const plan = Math.min(500 * 2 ** index, 30_000)
          expect(story.wait).toBeGreaterThanOrEqual(Math.floor(plan * 0.8))
          expect(story.wait).toBeLessThanOrEqual(Math.min(Math.ceil(plan * 1.2), 30_000))
          story.after(story.wait)
        })
      }),
    )
  })

  test('FI-87 while waiting, retryAt and resumeAt are equally far away', () => {
    fc.assert(
      fc.property(events, (steps) => {
        run(declared, steps, (_before, _event, { status, resumeAt }) => {
          const retryAt = status.state === 'waiting' ? status.retryAt - 5_000_000 : resumeAt
          expect(retryAt).toBe(resumeAt)
        })
      }),
    )
  })
})
