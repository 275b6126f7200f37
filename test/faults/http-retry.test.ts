import { describe, expect, test } from 'vitest'
import type { HostError } from '../../src/index.ts'
import { toOutcome } from '../support/outcome.ts'
import { isAbout, createWatchedClock, did, outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest } from '../support/remote.ts'

/** Refuses the given number of times, then answers. */
const times = (count: number, refuse: (asked: McpRequest) => void) => {
  let left = count
  return (asked: McpRequest) => (left-- > 0 ? refuse(asked) : asked.answer())
}
const limited =
  (retryAfter: string, status = 429) =>
  (asked: McpRequest) =>
    asked.status(status, { 'retry-after': retryAfter })
const failing = (status: number) => (asked: McpRequest) => asked.status(status)

async function started(on: Parameters<typeof serveMcp>[0], entry = {}) {
  const server = await serveMcp(on)
  const clock = createWatchedClock()
  const x = await remoteHost({ type: 'http', url: server.url.href, ...entry }, { platform: { clock } })
  return { ...x, server, clock }
}

const httpDate = (at: number) => new Date(at).toUTCString()

describe('FI-44 HTTP 429 with Retry-After', () => {
  test.each([
    ['seconds', () => '3'],
    ['a date', (now: number) => httpDate(now + 3000)],
  ])(
    'FI-44 Retry-After as %s: a list and a call wait that long, then are sent again',
    async (_form, header) => {
      const clock = createWatchedClock()
      const refuse = (asked: McpRequest) => limited(header(clock.now()))(asked)
      const server = await serveMcp({ 'tools/list': times(1, refuse), 'tools/call': times(1, refuse) })
      const x = await remoteHost({ type: 'http', url: server.url.href }, { platform: { clock } })
      const list = x.list()
      expect(await clock.waited((ms) => ms === 3000)).toBe(3000)
      await x.otherAnswers()
      expect(server.of('tools/list')).toHaveLength(1)
      await clock.advance(3000)
      expect(await list).toHaveLength(1)
      // A rejected call did not run.
      const call = x.call()
      await clock.pass((ms) => ms === 3000)
      expect(await outcome(call)).toEqual(did())
      expect(server.of('tools/call')).toHaveLength(2)
    },
  )

  test('FI-44 an invalid Retry-After is ignored, and the usual back-off applies', async () => {
    const { list, server, clock } = await started({ 'tools/list': times(2, limited('soon, I hope')) })
    const listed = list()
    await clock.pass(isAbout(500))
    await clock.pass(isAbout(1000))
    expect(await listed).toHaveLength(1)
    expect(server.of('tools/list')).toHaveLength(3)
  })

  test('FI-44 a Retry-After over a minute is not waited for, and the error names the time', async () => {
    const { list, call, server, clock, status } = await started({
      'tools/list': limited('1000000000'),
      'tools/call': limited('61'),
    })
    const error = (await list().catch((cause: unknown) => cause)) as HostError<'server.failed'>
    expect({ code: error.code, data: error.data }).toMatchObject({
      code: 'server.failed',
      data: { failure: { code: 'rate', retryAt: clock.now() + 1e12 } },
    })
    await expect(call()).rejects.toMatchObject({
      code: 'server.failed',
      data: { failure: { code: 'rate', retryAt: clock.now() + 61_000 } },
    })
    expect([server.of('tools/list').length, server.of('tools/call').length]).toEqual([1, 1])
    expect(status()).toBe('ready')
  })

  test('FI-44 a Retry-After beyond the timeout of the call is not waited for', async () => {
    const { call, server } = await started({ 'tools/call': limited('3') })
    const called = call('work', {}, { timeoutMs: 2000 })
    expect(await outcome(called)).toEqual({ code: 'server.failed', failure: 'rate' })
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('FI-44 close while calls wait for their retry: each fails as cancelled, not sent', async () => {
    const { host, call, list, clock } = await started({
      '*': (asked) => asked.answer(),
      'tools/list': limited('3'),
      'tools/call': limited('3'),
    })
    const waiting = [outcome(list()), outcome(call())]
    await clock.waited((ms) => ms === 3000)
    await clock.waited((ms) => ms === 3000)
    await host.close()
    expect(await Promise.all(waiting)).toEqual([
      { code: 'call.cancelled', sent: false },
      { code: 'call.cancelled', sent: false },
    ])
  })

  test('FI-44 a call that is cancelled during its wait is not sent again', async () => {
    const { call, server, clock } = await started({ 'tools/call': times(1, limited('3')) })
    const cancel = new AbortController()
    const called = outcome(call('work', {}, { signal: cancel.signal }))
    await clock.waited((ms) => ms === 3000)
    cancel.abort()
    expect(await called).toEqual({ code: 'call.cancelled', sent: false })
    await clock.advance(3000)
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('FI-44 a server that is kept open and refuses the greeting is retried exactly after the Retry-After', async () => {
    const { clock, until, untilState, server } = await started(
      { 'server/discover': times(1, limited('40')) },
      { lifecycle: 'background' },
    )
    const event = await untilState('waiting')
    expect(event).toMatchObject({ status: { retryAt: clock.now() + 40_000, failure: { code: 'rate' } } })
    await clock.advance(39_000)
    expect(server.of('server/discover')).toHaveLength(1)
    await clock.advance(1000)
    await until((each) => each.type === 'server.changed' && each.status.state === 'ready')
    expect(server.of('server/discover')).toHaveLength(2)
  })
})

describe('FI-45 HTTP 5xx', () => {
  test.each([500, 502, 503, 504])('FI-45 %i: a list is sent at most three times', async (status) => {
    const { list, server, clock, otherAnswers } = await started({ 'tools/list': failing(status) })
    const listed = outcome(list())
    await clock.pass(isAbout(500))
    await otherAnswers()
    await clock.pass(isAbout(1000))
    expect(await listed).toEqual({ code: 'call.outcome-unknown', failure: 'upstream', sent: true })
    expect(server.of('tools/list')).toHaveLength(3)
  })

  test('FI-45 a list succeeds if its second attempt does', async () => {
    const { list, server, clock } = await started({ 'tools/list': times(1, failing(503)) })
    const listed = list()
    await clock.pass(isAbout(500))
    expect(await listed).toHaveLength(1)
    expect(server.of('tools/list')).toHaveLength(2)
  })

  test.each([500, 502, 503, 504])('FI-45 %i: a call is never repeated', async (status) => {
    const { call, server } = await started({ 'tools/call': failing(status) })
    expect(await outcome(call())).toEqual({ code: 'call.outcome-unknown', failure: 'upstream', sent: true })
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('FI-45 503 with Retry-After: a call is repeated only if the caller declares it repeatable', async () => {
    const { call, server, clock } = await started({ 'tools/call': limited('3', 503) })
    expect(await outcome(call())).toEqual({ code: 'server.failed', failure: 'upstream' })
    expect(server.of('tools/call')).toHaveLength(1)
    const repeated = outcome(call('work', {}, { isRepeatable: true }))
    await clock.pass((ms) => ms === 3000)
    await clock.pass((ms) => ms === 3000)
    expect(await repeated).toEqual({ code: 'server.failed', failure: 'upstream' })
    expect(server.of('tools/call')).toHaveLength(4)
  })
})

describe('FI-46 the circuit breaker', () => {
  /** Answers greetings; calls only on demand. */
  async function breaking(entry = {}) {
    let isWell = false
    let isGreeting = true
    const greet = (asked: McpRequest) => (isGreeting ? asked.answer() : asked.status(503))
    const x = await started(
      {
        'tools/call': (asked) => (isWell ? asked.answer() : asked.status(500)),
        'server/discover': greet,
        initialize: greet,
      },
      entry,
    )
    const fail = async (count: number) => {
      for (let index = 0; index < count; index++) await outcome(x.call())
    }
    const set = (state: { readonly well?: boolean; readonly greeting?: boolean }) => {
      isWell = state.well ?? isWell
      isGreeting = state.greeting ?? isGreeting
    }
    return { ...x, fail, set }
  }

  test('FI-46 five failures in a row open it: no request for 30 s, and other servers keep answering', async () => {
    const { fail, call, status, server, host, clock, otherAnswers } = await breaking()
    await fail(4)
    expect(status()).toBe('ready')
    await fail(1)
    expect(host.servers()[0]?.status).toMatchObject({
      state: 'waiting',
      reason: 'breaker-open',
      retryAt: clock.now() + 30_000,
      failure: { code: 'upstream' },
    })
    const before = server.requests.length
    expect(await outcome(call())).toEqual({ code: 'server.failed', failure: 'upstream' })
    await clock.advance(29_999)
    expect(await outcome(call())).toEqual({ code: 'server.failed', failure: 'upstream' })
    expect(server.requests.length).toBe(before)
    await otherAnswers()
  })

  test('FI-46 a call while it is open fails at once, with the remaining time and the last failure', async () => {
    const { fail, set, call, host, clock } = await breaking()
    await fail(5)
    set({ well: true })
    const retryAt = clock.now() + 30_000
    const told = async () => toOutcome(await call().catch((error: unknown) => error))
    const failed = 'Last failure: The server answered with HTTP 500 (no content type, no body)'
    const leftAlone = (seconds: number) => ({
      host: 'server.failed',
      message: `Failed to connect to "x": Connecting is paused after failures, for another ${seconds} s. ${failed}`,
      data: { server: 'x', failure: expect.objectContaining({ code: 'upstream' }) as unknown, retryAt },
    })
    expect(await told()).toEqual(leftAlone(30))
    await clock.advance(20_500)
    expect(await told()).toEqual(leftAlone(10))
    await host.restart('x')
    expect(await outcome(call())).toEqual(did())
  })

  test('FI-46 an answer in between resets the count', async () => {
    const { fail, set, status } = await breaking()
    await fail(4)
    set({ well: true })
    await fail(1)
    set({ well: false })
    await fail(4)
    expect(status()).toBe('ready')
  })

  test('FI-46 after 30 s exactly one probe is sent for any number of calls, and its success closes the breaker', async () => {
    const { fail, set, call, server, clock, status } = await breaking({ protocol: 'legacy' })
    await fail(5)
    set({ well: true })
    await clock.advance(30_000)
    const before = server.requests.length
    const answers = await Promise.all(Array.from({ length: 10 }, () => outcome(call())))
    expect(answers).toEqual(Array.from({ length: 10 }, () => did()))
    const after = server.requests.slice(before).map(({ message }) => message.method)
    expect([after[0], after.filter((method) => method === 'initialize').length]).toEqual(['initialize', 1])
    expect(status()).toBe('ready')
  })

  test('FI-46 a failed probe opens it for longer, and nothing else is sent', async () => {
    const { fail, set, call, server, clock, host } = await breaking({ protocol: 'legacy' })
    await fail(5)
    set({ greeting: false })
    await clock.advance(30_000)
    const before = server.requests.length
    const answers = await Promise.all(Array.from({ length: 10 }, () => outcome(call())))
    expect(new Set(answers.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ code: 'server.failed', failure: 'upstream' })]),
    )
    expect(server.requests.slice(before).map(({ message }) => message.method)).toEqual(['initialize'])
    expect(host.servers()[0]?.status).toMatchObject({
      state: 'waiting',
      reason: 'breaker-open',
      retryAt: clock.now() + 60_000,
    })
  })

  test('FI-46 a server with a fixed era is probed as well: one probe for any number of calls', async () => {
    const { fail, set, call, server, clock, host } = await breaking({ protocol: '2026-07-28' })
    await fail(5)
    set({ greeting: false })
    await clock.advance(30_000)
    const before = server.requests.length
    const refused = await Promise.all(Array.from({ length: 10 }, () => outcome(call())))
    expect(new Set(refused.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ code: 'server.failed', failure: 'upstream' })]),
    )
    expect(server.requests.slice(before).map(({ message }) => message.method)).toEqual(['server/discover'])
    expect(host.servers()[0]?.status).toMatchObject({ reason: 'breaker-open', retryAt: clock.now() + 60_000 })
    set({ well: true, greeting: true })
    await clock.advance(60_000)
    const answers = await Promise.all(Array.from({ length: 10 }, () => outcome(call())))
    expect(answers).toMatchObject(Array.from({ length: 10 }, () => did()))
    const methods = server.requests.slice(before + 1).map(({ message }) => message.method)
    expect([methods[0], methods.filter((method) => method === 'server/discover').length]).toEqual([
      'server/discover',
      1,
    ])
  })

  test('FI-46 a server that greets and still fails is paused after one more failure', async () => {
    const { fail, server, clock, host } = await breaking()
    await fail(5)
    await clock.advance(30_000)
    const before = server.of('tools/call').length
    await fail(3)
    expect(server.of('tools/call').length).toBe(before + 1)
    expect(host.servers()[0]?.status).toMatchObject({ reason: 'breaker-open', retryAt: clock.now() + 60_000 })
  })

  test('FI-46 calls in flight when it opens finish on their own and do not affect the breaker', async () => {
    let isListening = true
    const clock = createWatchedClock()
    const held: McpRequest[] = []
    const server = await serveMcp({
      'tools/call': (asked) => {
        if (asked.message.params?.['name'] === 'long') held.push(asked)
        else if (isListening) limited('61', 503)(asked)
      },
    })
    const x = await remoteHost({ type: 'http', url: server.url.href }, { platform: { clock } })
    const long = outcome(x.call('long'))
    await server.until('tools/call')
    for (let index = 0; index < 5; index++) await outcome(x.call())
    isListening = false
    expect(x.status()).toBe('waiting')
    held[0]?.answer()
    expect(await long).toEqual(did('long'))
    expect(x.host.servers()[0]?.status).toMatchObject({ state: 'waiting', reason: 'breaker-open' })
    expect(server.of('tools/call')).toHaveLength(6)
    expect(held).toHaveLength(1)
  })

  test('FI-46 a call in flight when it opens fails with close, as sent', async () => {
    const server = await serveMcp({
      'tools/call': (asked) => {
        if (asked.message.params?.['name'] !== 'long') asked.status(500)
      },
    })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const long = outcome(x.call('long'))
    await server.until('tools/call')
    for (let index = 0; index < 5; index++) await outcome(x.call())
    expect(x.status()).toBe('waiting')
    await x.host.close()
    expect(await long).toMatchObject({ sent: true })
  })

  test('FI-46 queued calls when it opens fail as not sent, and never reach the server', async () => {
    const held: McpRequest[] = []
    const server = await serveMcp({
      'tools/call': (asked) => {
        held.push(asked)
        // Five answers make room for five more.
        if (held.length === 21) for (const each of held.slice(5)) each.answer()
      },
    })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const calls = Array.from({ length: 25 }, () => outcome(x.call()))
    await server.until('tools/call', 16)
    for (const asked of held.slice(0, 5)) asked.status(500)
    const answers = (await Promise.all(calls)).map((each) => JSON.stringify(each))
    const count = (answer: unknown) => answers.filter((each) => each === JSON.stringify(answer)).length
    expect([
      count(did()),
      count({ code: 'call.outcome-unknown', failure: 'upstream', sent: true }),
      count({ code: 'server.failed', failure: 'upstream' }),
    ]).toEqual([16, 5, 4])
    expect(server.of('tools/call')).toHaveLength(21)
  })
})
