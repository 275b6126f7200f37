import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countedSignal, outcomeOf, turn } from '../../test/support/outcome.ts'
import { openWire } from '../../test/support/wire.ts'
import type { JsonObject } from '../model/json.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { RpcError, WireError } from './wire-error.ts'

const gone = new WireError('exit', 'The server ended with exit code 1.', { sent: true })
const cancelledCall = { wire: 'cancelled', message: 'The call was cancelled.', sent: true }

describe('L3 rpc: requests', () => {
  test('L3 each request gets its own id and the result with that id', async () => {
    const wire = openWire()
    const one = wire.rpc.request('a', { x: 1 })
    const two = wire.rpc.request('b', undefined)
    wire.answer(2, 'second')
    wire.answer(1, null)
    expect(await Promise.all([one, two])).toEqual([null, 'second'])
    expect(wire.sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b' },
    ])
  })

  test('an error answer rejects the request with code, message and data', async () => {
    const wire = openWire()
    const call = wire.rpc.request('a', {})
    wire.refuse(1, -32602, 'bad', { field: 'x' })
    expect(await outcomeOf(call)).toEqual({ rpc: -32602, message: 'bad', data: { field: 'x' } })
  })

  test('an error answer without a code or a message still settles the request', async () => {
    const wire = openWire()
    const calls = [wire.rpc.request('a', {}), wire.rpc.request('b', {}), wire.rpc.request('c', {})]
    wire.say({ jsonrpc: '2.0', id: 1, error: 'no' })
    wire.say({ jsonrpc: '2.0', id: 2, error: { code: 'x', message: 'no' } })
    wire.say({ jsonrpc: '2.0', id: 3, error: { code: 7 } })
    const without = {
      wire: 'protocol',
      message: 'The server answered with an error that has no code.',
      sent: true,
    }
    expect(await Promise.all(calls.map(outcomeOf))).toEqual([
      without,
      without,
      { rpc: 7, message: 'error 7' },
    ])
  })

  test('after the channel closed, a request is rejected as unsent', async () => {
    const wire = openWire()
    wire.receiver.closed(gone)
    expect(await outcomeOf(wire.rpc.request('a', {}))).toEqual({
      wire: 'exit',
      message: 'The server ended with exit code 1.',
      sent: false,
    })
    wire.rpc.notify('n')
    expect(wire.sent).toEqual([])
  })

  test('params that are not JSON reject only their own request, also from the queue', async () => {
    const wire = openWire({ maxInFlight: 1 })
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const bad = cyclic as JsonObject // the types forbid it
    const counted = countedSignal()
    const first = outcomeOf(wire.rpc.request('a', {}))
    const second = outcomeOf(wire.rpc.request('b', bad, { signal: counted.signal }))
    const third = outcomeOf(wire.rpc.request('c', {}))
    wire.answer(1, 1)
    wire.answer(3, 3)
    expect(await first).toEqual({ value: 1 })
    expect(await second).toEqual({ error: expect.stringContaining('circular') as string })
    expect(await third).toEqual({ value: 3 })
    expect({ listeners: counted.listeners, methods: wire.methods }).toEqual({
      listeners: 0,
      methods: ['a', 'c'],
    })
  })
})

describe('rpc: a request with a shared deadline', () => {
  test('C27 gets the remaining time only, and the error names the whole limit', async () => {
    const wire = openWire()
    const options = { timeoutMs: 1000, maxTimeoutMs: 1500, deadline: 1500 }
    await wire.clock.advance(1200)
    const call = outcomeOf(wire.rpc.request('a', {}, options))
    await wire.clock.advance(300)
    expect(await call).toEqual({ wire: 'timeout', message: 'No answer to a within 1500 ms.', sent: true })
    await wire.clock.advance(5000)
    expect(await outcomeOf(wire.rpc.request('b', {}, options))).toEqual({
      wire: 'timeout',
      message: 'The time limit of 1500 ms was used up before b could be sent.',
      sent: false,
    })
    expect({ methods: wire.methods, timers: wire.clock.sleeping }).toEqual({
      methods: ['a', 'notifications/cancelled'],
      timers: 0,
    })
  })
})

describe('rpc: modern era', () => {
  test('requests from the server are counted and not answered; in the legacy era they are answered', async () => {
    const wire = openWire({ answer: async () => 'yes' })
    wire.rpc.speak('2026-07-28')
    wire.say({ jsonrpc: '2.0', id: 1, method: 'ping' })
    wire.say({ jsonrpc: '2.0', id: 2, method: 'roots/list' })
    await turn()
    expect({ sent: wire.sent, malformed: wire.rpc.counts.malformed }).toEqual({ sent: [], malformed: 2 })
    wire.rpc.speak('2025-11-25')
    wire.say({ jsonrpc: '2.0', id: 3, method: 'roots/list' })
    await turn()
    expect(wire.sent).toEqual([{ jsonrpc: '2.0', id: 3, result: 'yes' }])
  })

  test('a subscription cancelled by the server is rejected; a cancellation with any other id has no effect', async () => {
    const wire = openWire()
    const ended = outcomeOf(wire.rpc.request('subscriptions/listen', {}, { isUnlimited: true }))
    const call = wire.rpc.request('tools/call', {})
    for (const requestId of [2, '1', null, 1])
      wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    expect(await ended).toEqual({ wire: 'closed', message: 'The server ended the subscription.', sent: true })
    wire.answer(1, {})
    wire.answer(2, 'done')
    expect(await call).toBe('done')
    expect({ abandoned: wire.abandoned, methods: wire.methods, dropped: wire.dropped }).toEqual({
      abandoned: [1],
      methods: ['subscriptions/listen', 'tools/call'],
      dropped: [['late']],
    })
  })
})

test('T24 only the beginning of an unusable message is kept as a sample', async () => {
  const wire = openWire()
  const call = outcomeOf(wire.rpc.request('a', {}))
  const long = 'x'.repeat(100_000)
  wire.say(long)
  wire.say({ jsonrpc: '2.0', id: [long], method: 'a' })
  wire.say({ jsonrpc: '2.0', id: long, result: 1 })
  wire.say({ jsonrpc: '2.0', id: 1, result: 1, error: long })
  const { message } = (await call) as { readonly message: string }
  expect(
    [...wire.dropped.map(([, sample = '']) => sample), message].every(({ length }) => length < 300),
  ).toBe(true)
})

describe('FI-13 to FI-17 rpc: answers that match no request', () => {
  test('FI-13 an answer with an unknown id is counted, and the call keeps waiting', async () => {
    const wire = openWire()
    const call = wire.rpc.request('a', {})
    wire.answer(99, 'x')
    wire.answer('abc', 'x')
    wire.answer(1, 'right')
    expect(await call).toBe('right')
    expect(wire.dropped).toEqual([
      ['unmatched', 'an answer to 99'],
      ['unmatched', 'an answer to "abc"'],
    ])
    expect(wire.rpc.counts).toEqual({
      noise: 0,
      malformed: 0,
      oversize: 0,
      late: 0,
      duplicate: 0,
      unmatched: 2,
      untaken: 0,
    })
  })

  test('FI-14 the first of two answers counts, the second is dropped as a duplicate', async () => {
    const wire = openWire()
    const call = wire.rpc.request('a', {})
    wire.answer(1, 'first')
    wire.answer(1, 'second')
    expect(await call).toBe('first')
    expect(wire.dropped).toEqual([['duplicate']])
  })

  test('FI-15 an answer whose id is a string instead of the number is not accepted', async () => {
    const wire = openWire()
    const call = wire.rpc.request('a', {})
    wire.answer('1', 'text')
    wire.answer(1, 'number')
    expect(await call).toBe('number')
    expect(wire.dropped).toEqual([['unmatched', 'an answer to "1", a string where the request had a number']])
  })

  test('FI-16 an answer after a cancel or a timeout is dropped as late', async () => {
    const wire = openWire()
    const controller = new AbortController()
    const one = outcomeOf(wire.rpc.request('a', {}, { signal: controller.signal }))
    const two = outcomeOf(wire.rpc.request('b', {}, { timeoutMs: 10 }))
    controller.abort()
    await wire.clock.advance(10)
    wire.answer(1, 'x')
    wire.answer(2, 'x')
    wire.answer(2, 'x')
    expect([await one, await two]).toEqual([
      cancelledCall,
      { wire: 'timeout', message: 'No answer to b within 10 ms.', sent: true },
    ])
    expect(wire.dropped).toEqual([['late'], ['late'], ['duplicate']])
  })

  test.each([
    ['both result and error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } }],
    ['neither result nor error', { jsonrpc: '2.0', id: 1 }],
    ['no jsonrpc member', { id: 1, result: {} }],
    ['another jsonrpc version', { jsonrpc: '1.0', id: 1, result: {} }],
  ])('FI-17 an answer with %s fails its call', async (_what, answer) => {
    const wire = openWire()
    const call = wire.rpc.request('a', {})
    wire.say(answer)
    expect(await outcomeOf(call)).toEqual({
      wire: 'protocol',
      message: `The answer is not a JSON-RPC answer: ${JSON.stringify(answer)}`,
      sent: true,
    })
    expect(wire.dropped).toEqual([])
  })

  test('FI-17 an answer in a batch fails its call; a server request in the batch does not', async () => {
    const wire = openWire()
    const calls = [wire.rpc.request('a', {}), wire.rpc.request('b', {})]
    wire.say([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ])
    wire.say([{ jsonrpc: '2.0', method: 'n' }])
    wire.answer(2, 'fine')
    expect(await Promise.all(calls.map(outcomeOf))).toEqual([
      {
        wire: 'protocol',
        message: 'The answer came in a batch.',
        sent: true,
      },
      { value: 'fine' },
    ])
    expect(wire.dropped).toEqual([['malformed', 'a batch']])
  })

  test('a batch is accepted in the revision that has batches', async () => {
    const wire = openWire()
    wire.rpc.speak('2025-03-26')
    const calls = [wire.rpc.request('a', {}), wire.rpc.request('b', {})]
    wire.say([
      { jsonrpc: '2.0', id: 2, result: 2 },
      { jsonrpc: '2.0', method: 'n' },
      { jsonrpc: '2.0', id: 1, result: 1 },
    ])
    expect(await Promise.all(calls)).toEqual([1, 2])
    expect(wire.notified).toEqual([{ jsonrpc: '2.0', method: 'n' }])
  })

  test('FI-17 an answer with id null, a request with an invalid id and a non-message are dropped and counted', () => {
    const wire = openWire()
    wire.say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } })
    wire.say({ jsonrpc: '2.0', id: null, method: 'ping' })
    wire.say({ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' })
    wire.say({ id: 1, method: 'ping' })
    wire.say('hello')
    wire.say(null)
    expect(wire.dropped).toEqual([
      ['unmatched', 'an answer to null'],
      ['malformed', 'a request with the id null'],
      ['malformed', 'a request with the id {"a":1}'],
      ['malformed', 'a message without "jsonrpc": "2.0"'],
      ['noise', '"hello"'],
      ['noise', 'null'],
    ])
    expect(wire.sent).toEqual([])
  })

  test('T44 names of Object.prototype members are neither ids nor answers', async () => {
    const wire = openWire()
    const call = wire.rpc.request('a', {})
    for (const id of ['__proto__', 'constructor', 'toString', NaN, 1.5, -1, true])
      wire.answer(id as string, {})
    const evil: unknown = JSON.parse('{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"polluted":true}}}')
    wire.say(evil)
    await call
    expect({ dropped: wire.dropped.length, polluted: 'polluted' in {} }).toEqual({
      dropped: 7,
      polluted: false,
    })
  })

  test('no input throws, and every call settles exactly once (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.jsonValue(), messages), { maxLength: 30 }), async (heard) => {
        const wire = openWire({ maxInFlight: 2 })
        let ends = 0
        for (const method of ['a', 'b', 'c']) {
          const count = () => void ends++
          wire.rpc.request(method, {}, { timeoutMs: 10 }).then(count, count)
        }
        for (const message of heard) wire.say(message)
        wire.receiver.closed(gone)
        for (const message of heard) wire.say(message)
        await turn()
        expect({ ends, timers: wire.clock.sleeping }).toEqual({ ends: 3, timers: 0 })
      }),
      { numRuns: 100 },
    )
  })
})

const ids = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('1', null, true, {}, []))
const messages = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: ids,
    method: fc.constantFrom('ping', 'notifications/progress', 'notifications/cancelled', 1),
    params: fc.oneof(
      fc.record({ progressToken: ids, requestId: ids, progress: fc.integer() }),
      fc.jsonValue(),
    ),
    result: fc.jsonValue(),
    error: fc.oneof(fc.jsonValue(), fc.record({ code: fc.integer(), message: fc.string() })),
  },
  { requiredKeys: [] },
)

describe('C18 rpc: cancellation and timeout', () => {
  test('C18 an abort rejects the call immediately and sends notifications/cancelled', async () => {
    const wire = openWire()
    const counted = countedSignal()
    const call = wire.rpc.request('tools/call', {}, { signal: counted.signal })
    counted.abort()
    const error: unknown = await call.catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'cancelled', sent: true, cause: counted.signal.reason })
    expect(wire.sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1, reason: 'The call was cancelled.' },
      },
    ])
    expect(wire.abandoned).toEqual([1])
  })

  test('C18 a timeout rejects the call and sends notifications/cancelled', async () => {
    const wire = openWire()
    const call = outcomeOf(wire.rpc.request('tools/call', {}, { timeoutMs: 50 }))
    await wire.clock.advance(50)
    expect(await call).toEqual({
      wire: 'timeout',
      message: 'No answer to tools/call within 50 ms.',
      sent: true,
    })
    expect(wire.sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1, reason: 'No answer to tools/call within 50 ms.' },
      },
    ])
  })

  test('C18 no notification if the transport informs the server, if nothing was sent, or for initialize', async () => {
    const told = openWire({ fate: 'told' })
    const unsent = openWire({ fate: 'unsent' })
    const handshake = openWire()
    const calls = [told, unsent].map(({ rpc }) => outcomeOf(rpc.request('a', {}, { timeoutMs: 5 })))
    const initialize = outcomeOf(handshake.rpc.request('initialize', {}, { timeoutMs: 5 }))
    for (const { clock } of [told, unsent, handshake]) await clock.advance(5)
    expect((await Promise.all(calls)).map((end) => (end as { sent: boolean }).sent)).toEqual([true, false])
    expect(await initialize).toMatchObject({ wire: 'timeout' })
    expect([told, unsent, handshake].map(({ methods }) => methods)).toEqual([['a'], ['a'], ['initialize']])
    unsent.answer(1, 'x')
    expect(unsent.dropped).toEqual([['duplicate']])
  })

  test('a signal that is already aborted sends nothing', async () => {
    const wire = openWire()
    const aborted = AbortSignal.abort()
    expect(await outcomeOf(wire.rpc.request('a', {}, { signal: aborted }))).toEqual({
      wire: 'cancelled',
      message: 'Cancelled before it was sent.',
      sent: false,
    })
    expect(wire.sent).toEqual([])
  })

  test('no listener stays on a signal that outlives its calls', async () => {
    const wire = openWire({ maxInFlight: 2, maxQueued: 3 })
    const counted = countedSignal()
    const calls = Array.from({ length: 6 }, () =>
      outcomeOf(wire.rpc.request('a', {}, { signal: counted.signal, timeoutMs: 10 })),
    )
    expect(counted.listeners).toBe(5)
    wire.answer(1, 1)
    wire.refuse(2, 1)
    await wire.clock.advance(10)
    wire.receiver.closed(gone)
    await Promise.all(calls)
    expect({ listeners: counted.listeners, timers: wire.clock.sleeping }).toEqual({ listeners: 0, timers: 0 })
  })
})

describe('C27 rpc: timeouts', () => {
  test('C27 progress restarts the wait and reaches the caller, up to the hard limit', async () => {
    const wire = openWire()
    const seen: unknown[] = []
    const onProgress = (progress: unknown) => void seen.push(progress)
    const call = outcomeOf(
      wire.rpc.request('a', { _meta: { trace: 't' } }, { timeoutMs: 100, maxTimeoutMs: 250, onProgress }),
    )
    expect(wire.sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { _meta: { trace: 't', progressToken: 1 } } },
    ])
    const progress = (params: unknown) =>
      wire.say({ jsonrpc: '2.0', method: 'notifications/progress', params })
    for (const step of [1, 2, 3]) {
      await wire.clock.advance(80)
      progress({ progressToken: 1, progress: step, total: 3, message: 'm', other: true })
    }
    progress({ progressToken: 1, progress: 'x' })
    progress({ progressToken: 9, progress: 1 })
    progress(undefined)
    await wire.clock.advance(9)
    expect(wire.methods).toEqual(['a'])
    await wire.clock.advance(1)
    expect(await call).toEqual({ wire: 'timeout', message: 'No answer to a within 250 ms.', sent: true })
    expect(seen).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: 'm' })))
    expect(wire.notified).toEqual([])
  })

  test('C27 time spent answering a question of the server does not count, up to the hard limit', async () => {
    let reply: (answer: JsonObject) => void = () => undefined
    const wire = openWire({ answer: () => new Promise((resolve) => (reply = resolve)) })
    const calls = [250, 1000].map((maxTimeoutMs) =>
      outcomeOf(wire.rpc.request('a', {}, { timeoutMs: 100, maxTimeoutMs })),
    )
    await wire.clock.advance(90)
    wire.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} })
    await wire.clock.advance(160)
    expect(await calls[0]).toEqual({ wire: 'timeout', message: 'No answer to a within 250 ms.', sent: true })
    await wire.clock.advance(250)
    reply({ action: 'decline' })
    await turn()
    await wire.clock.advance(99)
    expect(wire.methods.filter((method) => method === 'notifications/cancelled')).toHaveLength(1)
    await wire.clock.advance(1)
    expect(await calls[1]).toEqual({ wire: 'timeout', message: 'No answer to a within 100 ms.', sent: true })
  })

  test('C27 a ping from the server does not extend the wait', async () => {
    const wire = openWire()
    const call = outcomeOf(wire.rpc.request('a', {}, { timeoutMs: 100 }))
    await wire.clock.advance(90)
    wire.say({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    await wire.clock.advance(10)
    expect(await call).toEqual({ wire: 'timeout', message: 'No answer to a within 100 ms.', sent: true })
  })

  test('C27 without progress timeoutMs counts, and 0 means no limit', async () => {
    const wire = openWire()
    const patient = outcomeOf(wire.rpc.request('patient', {}, { timeoutMs: 0 }))
    const hasty = outcomeOf(wire.rpc.request('hasty', {}, { timeoutMs: 100, maxTimeoutMs: 1000 }))
    await wire.clock.advance(100)
    expect(await hasty).toMatchObject({ message: 'No answer to hasty within 100 ms.' })
    await wire.clock.advance(10_000_000)
    wire.answer(1, 'at last')
    expect(await patient).toEqual({ value: 'at last' })
  })

  test('a throwing progress listener fails neither the call nor the connection', async () => {
    const wire = openWire()
    const thrown: unknown[] = []
    const listeners = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.once('uncaughtException', (error) => thrown.push(error.message))
    try {
      const onProgress = () => {
        throw new Error('a bug of the embedder')
      }
      const call = wire.rpc.request('a', {}, { onProgress })
      wire.say({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 1, progress: 1 },
      })
      wire.answer(1, 'fine')
      expect(await call).toBe('fine')
      await turn()
    } finally {
      for (const listener of listeners) process.on('uncaughtException', listener)
    }
    expect(thrown).toEqual(['a bug of the embedder'])
  })

  test('FI-82 after a suspension of this process, no call times out before buffered answers are read', async () => {
    const inner = createFakeClock()
    let stalled = 0
    const clock = {
      ...inner,
      monotonic: () => inner.monotonic() + stalled,
      advance: (ms: number) => inner.advance(ms),
      sleeping: 0,
    }
    const wire = openWire({ clock })
    const calls = Array.from({ length: 20 }, () => outcomeOf(wire.rpc.request('a', {}, { timeoutMs: 1000 })))
    const lost = outcomeOf(wire.rpc.request('lost', {}, { timeoutMs: 1500, maxTimeoutMs: 1500 }))
    await inner.advance(500)
    stalled = 5000
    await inner.advance(500)
    for (let id = 1; id <= 20; id++) wire.answer(id, id)
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => ({ value: index + 1 })))
    await inner.advance(10_000)
    expect(await lost).toEqual({ wire: 'timeout', message: 'No answer to lost within 1500 ms.', sent: true })
    expect(wire.methods.filter((method) => method === 'notifications/cancelled')).toHaveLength(1)
  })

  test('FI-82 the hard limit is extended by the suspension too, so later progress still counts', async () => {
    const inner = createFakeClock()
    let stalled = 0
    const clock = {
      ...inner,
      monotonic: () => inner.monotonic() + stalled,
      advance: (ms: number) => inner.advance(ms),
      sleeping: 0,
    }
    const wire = openWire({ clock })
    const options = { timeoutMs: 1000, maxTimeoutMs: 4000, onProgress: () => undefined }
    const call = outcomeOf(wire.rpc.request('a', {}, options))
    await inner.advance(500)
    stalled = 60_000
    await inner.advance(500)
    wire.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })
    await inner.advance(900)
    wire.answer(1, 'fine')
    expect(await call).toEqual({ value: 'fine' })
  })
})

test.each([
  [429, 'rate'],
  [503, 'upstream'],
] as const)('FI-101 rpc: after HTTP %i half as many requests are in flight', async (status, code) => {
  const wire = openWire({ maxInFlight: 8 })
  const calls = Array.from({ length: 20 }, () => outcomeOf(wire.rpc.request('a', {})))
  const inFlight = () => wire.sent.length - ended
  let ended = 0
  for (const id of [1, 2]) {
    ended++
    wire.receiver.failed(id, new WireError(code, 'too many', { facts: { status } }))
  }
  const afterRefusal = inFlight()
  for (const id of [3, 4, 5, 6]) {
    ended++
    wire.answer(id, null)
  }
  // Nothing is sent until fewer than four are left; four answers give the fifth place back.
  expect([afterRefusal, inFlight()]).toEqual([6, 5])
  wire.receiver.closed(gone)
  await Promise.all(calls)
})

describe('FI-58 rpc: more requests than maxInFlight', () => {
  test('FI-58 of 1000 requests 16 are in flight at a time; the others follow in order, each once', async () => {
    const wire = openWire({ maxInFlight: 16, maxQueued: 1000 })
    const calls = Array.from({ length: 1000 }, (_, index) => wire.rpc.request('a', { index }))
    let most = 0
    for (let answered = 0; answered < 1000; answered++) {
      most = Math.max(most, wire.sent.length - answered)
      wire.answer(answered + 1, answered)
    }
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => index))
    expect(most).toBe(16)
    expect(wire.sent.map((message) => ('params' in message ? message.params : undefined))).toEqual(
      calls.map((_, index) => ({ index })),
    )
  })

  test('FI-58 a cancelled request leaves the queue without any message to the server', async () => {
    const wire = openWire({ maxInFlight: 1 })
    const controller = new AbortController()
    const first = wire.rpc.request('first', {})
    const second = outcomeOf(wire.rpc.request('second', {}, { signal: controller.signal }))
    const third = wire.rpc.request('third', {})
    controller.abort()
    expect(await second).toEqual({ wire: 'cancelled', message: 'The call was cancelled.', sent: false })
    wire.answer(1, 1)
    wire.answer(2, 3)
    expect(await Promise.all([first, third])).toEqual([1, 3])
    expect(wire.methods).toEqual(['first', 'third'])
  })

  test('a full queue rejects as busy, and the handshake bypasses the queue', async () => {
    const wire = openWire({ maxInFlight: 1, maxQueued: 1 })
    const first = wire.rpc.request('first', {})
    const second = wire.rpc.request('second', {})
    expect(await outcomeOf(wire.rpc.request('third', {}))).toEqual({
      wire: 'busy',
      message: '1 requests are running and 1 are queued.',
      sent: false,
    })
    const unlimited = wire.rpc.request('subscriptions/listen', {}, { isUnlimited: true })
    wire.answer(2, 'ahead')
    wire.answer(1, 'done')
    wire.answer(3, 'next')
    expect(await Promise.all([first, second, unlimited])).toEqual(['done', 'next', 'ahead'])
  })

  test('FI-58 the arguments in the queue are bounded together; room comes back with each that leaves it', async () => {
    const wire = openWire({ maxInFlight: 1, maxQueuedBytes: 3_000_000 })
    const large = { text: 'x'.repeat(1_000_000) }
    const first = wire.rpc.request('first', large)
    const controller = new AbortController()
    const queued = ['a', 'b'].map((method) => wire.rpc.request(method, large))
    const cancelled = outcomeOf(wire.rpc.request('c', { text: 'x'.repeat(900_000) }, controller))
    const busy = {
      wire: 'busy',
      message: 'The arguments of the queued requests would exceed 3 MB.',
      sent: false,
    }
    expect(await outcomeOf(wire.rpc.request('d', large))).toEqual(busy)
    controller.abort()
    expect(await cancelled).toMatchObject({ wire: 'cancelled', sent: false })
    queued.push(wire.rpc.request('e', { text: 'x'.repeat(900_000) }))
    expect(await outcomeOf(wire.rpc.request('f', large))).toEqual(busy)
    for (const id of [1, 2, 3, 4]) wire.answer(id, id)
    expect(await Promise.all([first, ...queued])).toEqual([1, 2, 3, 4])
    expect(wire.methods).toEqual(['first', 'a', 'b', 'e'])
  })

  test.each([
    ['of many requests', { maxQueued: 4 }, ''],
    ['of large arguments', { maxQueuedBytes: 4000 }, 'x'.repeat(800)],
  ])(
    'FI-103 a queue that one lane fills with %s has room for another: its newest ones are refused',
    async (_, limits, text) => {
      const wire = openWire({ maxInFlight: 1, ...limits })
      const ask = (method: string, lane: string) => outcomeOf(wire.rpc.request(method, { text }, { lane }))
      const many = ['a1', 'a2', 'a3', 'a4', 'a5'].map((method) => ask(method, 'a'))
      const few = ['b1', 'b2'].map((method) => ask(method, 'b'))
      // Both hold two now, so neither has to make room for more of the other.
      expect(await ask('b3', 'b')).toMatchObject({ wire: 'busy', sent: false })
      for (let id = 1; id <= 5; id++) wire.answer(id, id)
      expect(await Promise.all(many)).toMatchObject([
        { value: 1 },
        { value: 2 },
        { value: 4 },
        { wire: 'busy' },
        { wire: 'busy' },
      ])
      expect(await Promise.all(few)).toMatchObject([{ value: 3 }, { value: 5 }])
      expect(wire.methods).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
    },
  )

  test('lanes take turns, each in its own order', async () => {
    const wire = openWire({ maxInFlight: 1 })
    const ask = (method: string, lane?: unknown) => wire.rpc.request(method, {}, { lane })
    const calls = ['a1', 'a2', 'a3', 'a4'].map((method) => ask(method, 'a'))
    calls.push(ask('b1', 'b'), ask('c1', {}), ask('b2', 'b'), ask('d1'))
    for (let id = 1; id <= calls.length; id++) wire.answer(id, id)
    await Promise.all(calls)
    expect(wire.methods).toEqual(['a1', 'a2', 'b1', 'c1', 'd1', 'a3', 'b2', 'a4'])
  })

  test('FI-58 the arguments in the queue are counted in bytes, as they are sent', async () => {
    const wire = openWire({ maxInFlight: 1, maxQueuedBytes: 1_000_000 })
    void outcomeOf(wire.rpc.request('first', {}))
    const euros = { text: '€'.repeat(400_000) }
    expect(await outcomeOf(wire.rpc.request('a', euros))).toMatchObject({ wire: 'busy' })
  })

  test('C27 the time limits of a request begin when it leaves the queue', async () => {
    const wire = openWire({ maxInFlight: 1 })
    const first = wire.rpc.request('first', {})
    const queueTime = { ms: 0 }
    const options = { timeoutMs: 20, maxTimeoutMs: 50, deadline: 50, queueTime }
    const second = outcomeOf(wire.rpc.request('second', {}, options))
    await wire.clock.advance(1000)
    wire.answer(1, 'done')
    await first
    expect({ methods: wire.methods, queueTime }).toEqual({
      methods: ['first', 'second'],
      queueTime: { ms: 1000 },
    })
    await wire.clock.advance(19)
    wire.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 2, progress: 1 } })
    await wire.clock.advance(19)
    wire.answer(2, 'in time')
    expect(await second).toEqual({ value: 'in time' })
  })

  test('C27 after the queue, the silence limit and the total limit hold as without it', async () => {
    const wire = openWire({ maxInFlight: 1 })
    const first = wire.rpc.request('first', {})
    const options = { maxTimeoutMs: 30, deadline: 30, queueTime: { ms: 0 } }
    const second = outcomeOf(wire.rpc.request('second', {}, { ...options, timeoutMs: 20 }))
    await wire.clock.advance(1000)
    wire.answer(1, 'done')
    await first
    await wire.clock.advance(20)
    expect(await second).toEqual({
      wire: 'timeout',
      message: 'No answer to second within 20 ms.',
      sent: true,
    })
  })

  test('C27 a total limit of the caller counts in the queue', async () => {
    const wire = openWire({ maxInFlight: 1 })
    const first = wire.rpc.request('first', {})
    const second = outcomeOf(wire.rpc.request('second', {}, { timeoutMs: 10, maxTimeoutMs: 20 }))
    await wire.clock.advance(20)
    expect(await second).toEqual({
      wire: 'timeout',
      message: 'The time limit of 20 ms was used up before second could be sent.',
      sent: false,
    })
    wire.answer(1, 'done')
    await first
    expect(wire.methods).toEqual(['first'])
  })

  test('thousands of queued requests that are not JSON fail one by one', async () => {
    const wire = openWire({ maxInFlight: 1, maxQueued: 10_000 })
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const first = wire.rpc.request('first', {})
    const bad = Array.from({ length: 9999 }, () => outcomeOf(wire.rpc.request('bad', cyclic as JsonObject))) // the types forbid it
    const last = wire.rpc.request('last', {})
    wire.answer(1, 1)
    wire.answer(10_001, 2)
    expect(await Promise.all([first, last])).toEqual([1, 2])
    expect(new Set((await Promise.all(bad)).map((each) => Object.keys(each as object)[0]))).toEqual(
      new Set(['error']),
    )
  })
})

describe('rpc: close, notifications and failures', () => {
  test('requests in flight fail as sent, queued ones as unsent, and onClosed is called once', async () => {
    const wire = openWire({ maxInFlight: 1 })
    const calls = [wire.rpc.request('a', {}), wire.rpc.request('b', {})].map(outcomeOf)
    wire.receiver.closed(gone)
    wire.receiver.closed(new WireError('closed', 'again'))
    const ended = { wire: 'exit', message: 'The server ended with exit code 1.' }
    expect(await Promise.all(calls)).toEqual([
      { ...ended, sent: true },
      { ...ended, sent: false },
    ])
    expect(wire.ended).toEqual([gone])
  })

  test('a request from the server after close reaches no handler', async () => {
    const asked: string[] = []
    const wire = openWire({
      answer: async ({ method }) => {
        asked.push(method)
        return {}
      },
    })
    await wire.rpc.close(new WireError('cancelled', 'The host was closed.'))
    wire.say({ jsonrpc: '2.0', id: 1, method: 'elicitation/create' })
    wire.say({ jsonrpc: '2.0', method: 'notifications/message' })
    await turn()
    expect({ asked, sent: wire.sent, notified: wire.notified }).toEqual({ asked: [], sent: [], notified: [] })
  })

  test('notifications pass in both directions', () => {
    const wire = openWire()
    wire.rpc.notify('a')
    wire.rpc.notify('b', { x: 1 })
    wire.say({ jsonrpc: '2.0', method: 'c', params: [1] })
    wire.say({ jsonrpc: '2.0', method: 'd', params: { x: 1 } })
    expect(wire.sent).toEqual([
      { jsonrpc: '2.0', method: 'a' },
      { jsonrpc: '2.0', method: 'b', params: { x: 1 } },
    ])
    expect(wire.notified).toEqual([
      { jsonrpc: '2.0', method: 'c' },
      { jsonrpc: '2.0', method: 'd', params: { x: 1 } },
    ])
  })

  test('a failure reported by the channel rejects its request; a repeated one is dropped as a duplicate', async () => {
    const wire = openWire()
    const call = wire.rpc.request('a', {})
    const error = new WireError('upstream', 'HTTP 500', { sent: true })
    wire.receiver.failed(1, error)
    wire.receiver.failed(1, error)
    await expect(call).rejects.toBe(error)
    expect(wire.dropped).toEqual([['duplicate']])
  })

  test('an RpcError thrown by a handler is sent to the server unchanged', async () => {
    const wire = openWire({
      answer: async () => {
        throw new RpcError(-32000, 'not now', { why: 'x' })
      },
    })
    wire.say({ jsonrpc: '2.0', id: 'q', method: 'roots/list' })
    await turn()
    expect(wire.sent).toEqual([
      { jsonrpc: '2.0', id: 'q', error: { code: -32000, message: 'not now', data: { why: 'x' } } },
    ])
  })
})
