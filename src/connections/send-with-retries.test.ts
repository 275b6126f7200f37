import { describe, expect, test } from 'vitest'
import { countedSignal, outcomeOf, turn } from '../../test/support/outcome.ts'
import { HostError } from '../model/error.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { UseCounter } from './link.ts'
import type { Link } from './link.ts'
import { sendWithRetries, RetryPause, pause, withTimeouts } from './send-with-retries.ts'
import type { RequestOptions, LinkHolder } from './send-with-retries.ts'

const rate = (retryAfterMs: number) => new WireError('rate', 'HTTP 429', { facts: { retryAfterMs } })

/** Sends to a server that gives these answers in order. */
function ask(
  answers: readonly unknown[],
  { method = 'tools/call', ...options }: RequestOptions & { method?: string } = {},
) {
  const clock = createFakeClock()
  const ending = new AbortController()
  const heard: string[] = []
  let links = 0
  const holder: LinkHolder = {
    clock,
    ending: ending.signal,
    jitter: () => 0,
    link: async () => ({ number: ++links, uses: new UseCounter() }) as unknown as Link, // only its identity matters
    answered: () => void heard.push('answered'),
    refused: ({ code }) => void heard.push(code),
  }
  let next = 0
  const result = outcomeOf(
    sendWithRetries(holder, { method, options }, async () => {
      const answer = answers[next++]
      if (answer instanceof Error) throw answer
      return answer
    }),
  )
  return { clock, ending, heard, result, asked: () => next }
}

describe('sendWithRetries', () => {
  test('an error answer counts as an answer', async () => {
    const good = ask(['fine'])
    const bad = ask([new RpcError(-32602, 'bad')])
    expect([await good.result, await bad.result]).toEqual([
      { value: 'fine' },
      { rpc: -32602, message: 'bad' },
    ])
    expect([good.heard, bad.heard]).toEqual([['answered'], ['answered']])
  })

  test('an error that is not a WireError is thrown unchanged', async () => {
    const { result, heard } = ask([new TypeError('circular')])
    expect(await result).toEqual({ error: 'TypeError: circular' })
    expect(heard).toEqual([])
  })

  test('FI-44 waits as long as the server says, then retries', async () => {
    const { clock, result, heard, asked } = ask([rate(2000), rate(1000), 'fine'])
    await clock.advance(1999)
    expect(asked()).toBe(1)
    await clock.advance(1)
    await clock.advance(1000)
    expect(await result).toEqual({ value: 'fine' })
    expect(heard).toEqual(['rate', 'rate', 'answered'])
  })

  test('FI-48 a request that may have run is not repeated, unless the caller declares it repeatable', async () => {
    const gone = new WireError('exit', 'It is gone.', { sent: true })
    const calls = [
      ask([gone, 'again']),
      ask([gone, 'again'], { isRepeatable: true }),
      ask([gone, 'again'], { method: 'tools/list' }),
    ]
    expect(await Promise.all(calls.map(({ result }) => result))).toEqual([
      { wire: 'exit', message: 'It is gone.', sent: true },
      { value: 'again' },
      { value: 'again' },
    ])
  })

  test('FI-48 whatever keeps a later attempt from leaving, the call counts as sent if the first one was', async () => {
    const gone = new WireError('closed', 'The stream ended.', { sent: true })
    const refused = new WireError('network', 'Nothing listens.')
    const [busy, auth] = [new WireError('busy', 'Too many.'), new WireError('auth', 'HTTP 401')]
    const unsentAfter = (error: WireError, method?: string) => {
      const { clock, result } = ask([gone, error, error, error], {
        isRepeatable: true,
        ...(method !== undefined && { method }),
      })
      void clock.advance(60_000)
      return result
    }
    const lost = { wire: 'closed', message: 'The stream ended.', sent: true }
    expect([await unsentAfter(refused), await unsentAfter(busy), await unsentAfter(auth)]).toEqual([
      { wire: 'network', message: 'Nothing listens.', sent: true },
      lost,
      lost,
    ])
    // A read-only request has no effect that the caller would have to know about.
    expect(await unsentAfter(refused, 'tools/list')).toEqual({
      wire: 'network',
      message: 'Nothing listens.',
      sent: false,
    })
  })

  test('FI-48 the same applies if the wait is cancelled or reconnecting fails', async () => {
    const gone = new WireError('upstream', 'HTTP 500', { sent: true })
    const given = countedSignal()
    const waiting = ask([gone, 'late'], { isRepeatable: true, signal: given.signal })
    await turn()
    given.abort()
    expect(await waiting.result).toEqual({
      wire: 'cancelled',
      message: 'Cancelled before it was sent again.',
      sent: true,
    })

    const links = [{ uses: new UseCounter() } as Link] // only `uses` is read
    const holder: LinkHolder = {
      clock: createFakeClock(),
      ending: new AbortController().signal,
      jitter: () => 0,
      link: async () => {
        const link = links.pop()
        if (link) return link
        throw new HostError('host.closed', {}, 'The host is closed.')
      },
      answered: () => undefined,
      refused: () => undefined,
    }
    const ended = new WireError('exit', 'It ended.', { sent: true })
    const call = { method: 'tools/call', options: { isRepeatable: true } }
    expect(await outcomeOf(sendWithRetries(holder, call, () => Promise.reject(ended)))).toEqual({
      wire: 'exit',
      message: 'It ended.',
      sent: true,
    })
  })

  test('C27 all attempts share one time limit, which starts with the first', async () => {
    const clock = createFakeClock()
    const deadlines: unknown[] = []
    const holder: LinkHolder = {
      clock,
      ending: new AbortController().signal,
      jitter: () => 0,
      link: () => clock.sleep(1000).then(() => ({ uses: new UseCounter() }) as Link), // only `uses` is read
      answered: () => undefined,
      refused: () => undefined,
    }
    const options = { timeoutMs: 3000, maxTimeoutMs: 3000 }
    const result = outcomeOf(
      sendWithRetries(holder, { method: 'tools/list', options }, async (_link, { deadline }) => {
        deadlines.push(deadline)
        throw rate(1500)
      }),
    )
    await clock.advance(60_000)
    expect(await result).toMatchObject({ wire: 'rate' })
    // The third attempt would exceed the time limit.
    expect(deadlines).toEqual([4000, 4000])
  })

  test('FI-44 a Retry-After beyond the remaining time is not waited for', async () => {
    const { result, asked } = ask([rate(2000), 'late'], { timeoutMs: 1000 })
    expect(await result).toMatchObject({ wire: 'rate' })
    expect(asked()).toBe(1)
  })

  test('a wait ends when the caller cancels', async () => {
    const counted = countedSignal()
    const { clock, result } = ask([rate(60_000), 'late'], { signal: counted.signal })
    await turn()
    counted.abort()
    expect(await result).toEqual({ wire: 'cancelled', message: 'Cancelled before it was sent.', sent: false })
    expect({ timers: clock.sleeping, listeners: counted.listeners }).toEqual({ timers: 0, listeners: 0 })
  })

  test('a wait ends with the connection, and leaves no timer', async () => {
    const { clock, ending, result } = ask([rate(60_000), 'late'])
    await turn()
    ending.abort()
    expect(await result).toMatchObject({ wire: 'cancelled', sent: false })
    expect(clock.sleeping).toBe(0)
  })

  test('after the connection has ended there is no retry', async () => {
    const { ending, result, asked } = ask([rate(1), 'late'])
    ending.abort()
    expect(await result).toMatchObject({ wire: 'rate' })
    expect(asked()).toBe(1)
  })
})

test('pause: leaves no listener on signals that outlive it', async () => {
  const clock = createFakeClock()
  const [one, two] = [countedSignal(), countedSignal()]
  const waits = [pause(10, [one.signal, undefined, two.signal], clock), pause(20, [one.signal], clock)]
  await clock.advance(20)
  await Promise.all(waits)
  expect([one.listeners, two.listeners, clock.sleeping]).toEqual([0, 0, 0])
  one.abort()
  expect(await outcomeOf(pause(10, [two.signal, one.signal], clock))).toMatchObject({ wire: 'cancelled' })
  expect([two.listeners, clock.sleeping]).toEqual([0, 0])
})

test('C27 withTimeouts: a call has the timeout of the entry and the hard limit, unless its caller wants more', () => {
  const timeouts = { startupMs: 1, callMs: 60_000, maxCallMs: 600_000 }
  const times = (options: RequestOptions) => {
    const { timeoutMs, maxTimeoutMs } = withTimeouts(options, timeouts, createFakeClock().monotonic())
    return [timeoutMs, maxTimeoutMs]
  }
  expect([
    times({}),
    times({ timeoutMs: 5000 }),
    times({ timeoutMs: 900_000 }),
    times({ timeoutMs: 0 }),
    times({ maxTimeoutMs: 70_000 }),
    times({ timeoutMs: 0, maxTimeoutMs: 70_000 }),
  ]).toEqual([
    [60_000, 600_000],
    [5000, 600_000],
    [900_000, 900_000],
    [0, 0],
    [60_000, 70_000],
    [0, 70_000],
  ])
})

describe('retry pause', () => {
  test('all waiting calls share one sleep and one listener', async () => {
    const clock = createFakeClock()
    const ending = countedSignal()
    const nextTry = new RetryPause()
    const waits = Array.from({ length: 100 }, () => nextTry.wait(500, ending.signal, clock))
    expect([clock.sleeping, ending.listeners]).toEqual([1, 1])
    await clock.advance(500)
    await Promise.all(waits)
    expect([clock.sleeping, ending.listeners]).toEqual([0, 0])
  })

  test('wake() ends it for all, and a later wait starts a new pause', async () => {
    const clock = createFakeClock()
    const ending = countedSignal()
    const nextTry = new RetryPause()
    nextTry.wake()
    const waits = [nextTry.wait(500, ending.signal, clock), nextTry.wait(500, ending.signal, clock)]
    expect(clock.sleeping).toBe(1)
    nextTry.wake()
    await Promise.all(waits)
    void nextTry.wait(500, ending.signal, clock).catch(() => undefined)
    expect([clock.sleeping, ending.listeners]).toEqual([1, 1])
  })

  test('rejects when the connection ends', async () => {
    const clock = createFakeClock()
    const ending = countedSignal()
    const wait = outcomeOf(new RetryPause().wait(500, ending.signal, clock))
    ending.abort()
    expect(await wait).toMatchObject({ wire: 'cancelled', sent: false })
    expect([clock.sleeping, ending.listeners]).toEqual([0, 0])
  })
})
