import { describe, expect, test } from 'vitest'
import { countedSignal, outcomeOf, turn } from '../../../test/support/outcome.ts'
import { openWire } from '../../../test/support/wire.ts'
import type { WireRequest, Wire, WireOptions } from '../../../test/support/wire.ts'
import type { JsonObject } from '../../model/json.ts'
import type { AnswerRequest } from '../inbox.ts'
import { WireError } from '../wire-error.ts'
import { requestMeta } from './modern.ts'
import { Peer } from './peer.ts'
import type { PeerOptions } from './peer.ts'

const self = { info: { name: 'plugboard', version: '1.0.0' }, capabilities: {} }
const _meta = requestMeta(self)
const modern = { era: 'modern', version: '2026-07-28', capabilities: {} } as const
const legacy = { era: 'legacy', version: '2025-11-25', capabilities: {} } as const
const asking = { resultType: 'input_required', inputRequests: { who: { method: 'elicitation/create' } } }

interface Options extends WireOptions, Partial<Pick<PeerOptions, 'greeting' | 'paramHeadersOf'>> {
  readonly person?: AnswerRequest
}

function open({ greeting = modern, paramHeadersOf, person, ...options }: Options = {}) {
  const wire = openWire(options)
  const ended = new AbortController()
  const peer = new Peer(wire.rpc, {
    greeting,
    self,
    clock: wire.clock,
    answer: person ?? (async () => ({ action: 'accept' })),
    paramHeadersOf: paramHeadersOf ?? (async () => undefined),
    ended: ended.signal,
  })
  const close = (error: WireError) => {
    wire.receiver.closed(error)
    ended.abort(error)
  }
  return { wire, peer, close }
}

/** Answers with these results in order; the last one repeats. */
function inTurn(...results: readonly unknown[]) {
  let next = 0
  return ({ id }: WireRequest, wire: Wire) => wire.answer(id, results[Math.min(next++, results.length - 1)])
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers() {
  const resolvers: ((value: JsonObject) => void)[] = []
  const promise = new Promise<JsonObject>((resolve) => void resolvers.push(resolve))
  return { promise, resolve: (value: JsonObject) => resolvers.forEach((each) => each(value)) }
}

const paramsOf = ({ sent }: Wire) => sent.map((message) => ('params' in message ? message.params : undefined))
const idsOf = ({ sent }: Wire) => sent.map((message) => ('id' in message ? message.id : undefined))

describe('C29 peer: request by era', () => {
  test('C29 legacy: request and result pass unchanged', async () => {
    const { wire, peer } = open({ greeting: legacy, server: inTurn(asking) })
    expect(await peer.request('tools/call', { name: 't' })).toEqual(asking)
    peer.notify('n', { a: 1 })
    peer.notify('m')
    expect(wire.sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't' } },
      { jsonrpc: '2.0', method: 'n', params: { a: 1 } },
      { jsonrpc: '2.0', method: 'm' },
    ])
  })

  test('C29 modern: every request carries revision, client info and capabilities', async () => {
    const { wire, peer } = open({ server: inTurn({ resultType: 'complete', x: 1 }) })
    expect(await peer.request('tools/list', undefined)).toEqual({ resultType: 'complete', x: 1 })
    peer.notify('n')
    expect(paramsOf(wire)).toEqual([{ _meta }, { _meta }])
  })

  test.each([{ x: 1 }, {}, null, 'text', [1]])(
    'modern: a result without resultType is complete: %j',
    async (result) => {
      const { peer } = open({ server: inTurn(result) })
      expect(await peer.request('tools/call', {})).toEqual(result)
    },
  )

  test('modern: an unknown resultType fails the call', async () => {
    const { peer } = open({ server: inTurn({ resultType: 'later' }) })
    expect(await outcomeOf(peer.request('tools/call', {}))).toEqual({
      wire: 'protocol',
      message: 'The result has the unknown type "later".',
      sent: true,
    })
  })
})

describe('peer: questions in the middle of a call', () => {
  test('requestState goes back byte for byte with the answers, in each round with a new id', async () => {
    const state = 'ü"\\n\u0001 '
    const { wire, peer } = open({
      person: async ({ method }) => ({ answered: method }),
      server: inTurn(
        { ...asking, requestState: state },
        { resultType: 'input_required', inputRequests: { where: { method: 'roots/list' } } },
        { resultType: 'complete', done: true },
      ),
    })
    expect(await peer.request('tools/call', { name: 't', arguments: { a: 1 } })).toEqual({
      resultType: 'complete',
      done: true,
    })
    const same = { name: 't', arguments: { a: 1 }, _meta }
    expect(paramsOf(wire)).toEqual([
      same,
      { ...same, inputResponses: { who: { answered: 'elicitation/create' } }, requestState: state },
      { ...same, inputResponses: { where: { answered: 'roots/list' } } },
    ])
    expect(idsOf(wire)).toEqual([1, 2, 3])
  })

  test('the state of one call does not leak into another', async () => {
    const { wire, peer } = open({
      server({ id, params }, each) {
        const { name, requestState } = params as { name: string; requestState?: string }
        each.answer(id, requestState === undefined ? { ...asking, requestState: `of ${name}` } : params)
      },
    })
    const results = await Promise.all(['a', 'b', 'c'].map((name) => peer.request('tools/call', { name })))
    expect(
      results.map((result) => [(result as JsonObject)['name'], (result as JsonObject)['requestState']]),
    ).toEqual([
      ['a', 'of a'],
      ['b', 'of b'],
      ['c', 'of c'],
    ])
    expect(idsOf(wire)).toHaveLength(6)
  })

  test('C27 the time of a later round begins when that is sent', async () => {
    const { promise: answered, resolve: answer } = withResolvers()
    const { wire, peer } = open({
      server: (request, to) => void (request.id === 1 && to.answer(1, asking)),
      person: () => answered,
    })
    const call = outcomeOf(peer.request('tools/call', { name: 't' }, { timeoutMs: 100, now: 0 }))
    await turn()
    await wire.clock.advance(5000)
    const other = outcomeOf(wire.rpc.request('other', {}, { timeoutMs: 60 }))
    answer({ action: 'accept' })
    await turn()
    await wire.clock.advance(60)
    expect(await other).toMatchObject({ wire: 'timeout' })
    wire.answer(3, { resultType: 'complete' })
    expect(await call).toEqual({ value: { resultType: 'complete' } })
  })

  test('input_required without questions retries with growing delays', async () => {
    const { wire, peer } = open({
      server: inTurn(
        { resultType: 'input_required', requestState: 's' },
        { resultType: 'input_required' },
        'done',
      ),
    })
    const call = peer.request('tools/call', {})
    await wire.clock.advance(249)
    expect(wire.sent).toHaveLength(1)
    await wire.clock.advance(1)
    await wire.clock.advance(500)
    expect(await call).toBe('done')
    expect(paramsOf(wire).slice(1)).toEqual([{ requestState: 's', _meta }, { _meta }])
  })

  test('T24 the eighth round of one call fails it', async () => {
    let asked = 0
    const { wire, peer } = open({
      server: inTurn(asking),
      person: async () => {
        asked++
        return {}
      },
    })
    expect(await outcomeOf(peer.request('tools/call', {}))).toEqual({
      wire: 'protocol',
      message: 'The server asked for input 8 times in one call.',
      sent: true,
    })
    expect({ sent: wire.sent.length, asked }).toEqual({ sent: 8, asked: 7 })
  })

  test('C27 all rounds share the time limit of one call', async () => {
    const { wire, peer } = open({
      server({ id }, each) {
        void each.clock.sleep(900).then(() => each.answer(id, asking))
      },
    })
    const call = outcomeOf(peer.request('tools/call', {}, { timeoutMs: 1000, maxTimeoutMs: 2000 }))
    await wire.clock.advance(5000)
    expect(await call).toEqual({
      wire: 'timeout',
      message: 'No answer to tools/call within 2000 ms.',
      sent: true,
    })
    expect(wire.methods).toEqual(['tools/call', 'tools/call', 'tools/call', 'notifications/cancelled'])
  })

  test('T24 a requestState that grows beyond the limit fails the call as too large', async () => {
    const { peer } = open({ server: inTurn({ ...asking, requestState: 'x'.repeat(70_000) }) })
    expect(await outcomeOf(peer.request('tools/call', {}))).toMatchObject({ wire: 'too-large', sent: true })
  })

  test('C18 an abort while a person is being asked ends the call immediately and withdraws the question', async () => {
    const counted = countedSignal()
    const questions: AbortSignal[] = []
    const { wire, peer } = open({
      server: inTurn(asking),
      person: (_request, signal) => {
        questions.push(signal)
        return new Promise(() => undefined)
      },
    })
    const call = outcomeOf(peer.request('tools/call', {}, { signal: counted.signal }))
    await turn()
    counted.abort()
    expect(await call).toEqual({ wire: 'cancelled', message: 'The call was cancelled.', sent: true })
    expect({
      listeners: counted.listeners,
      over: questions.map(({ aborted }) => aborted),
      sent: wire.sent.length,
    }).toEqual({ listeners: 0, over: [true], sent: 1 })
  })

  test('C18 an abort during a retry delay cancels the call', async () => {
    const counted = countedSignal()
    const { wire, peer } = open({ server: inTurn({ resultType: 'input_required' }) })
    const call = outcomeOf(peer.request('tools/call', {}, { signal: counted.signal }))
    await turn()
    counted.abort()
    expect(await call).toEqual({ wire: 'cancelled', message: 'The call was cancelled.', sent: true })
    expect({ timers: wire.clock.sleeping, listeners: counted.listeners }).toEqual({ timers: 0, listeners: 0 })
  })

  test('if the connection ends while a person is being asked, the call fails as sent', async () => {
    const questions: AbortSignal[] = []
    const { peer, close } = open({
      server: inTurn(asking),
      person: (_request, signal) => {
        questions.push(signal)
        return new Promise(() => undefined)
      },
    })
    const call = outcomeOf(peer.request('tools/call', {}))
    await turn()
    close(new WireError('exit', 'It is gone.'))
    expect(await call).toEqual({ wire: 'exit', message: 'It is gone.', sent: true })
    expect(questions.map(({ aborted }) => aborted)).toEqual([true])
  })

  test('FI-48 after one answered round, any failure counts as sent', async () => {
    let rounds = 0
    const { peer } = open({
      server({ id }, wire) {
        if (rounds++ === 0) wire.answer(id, asking)
        else
          wire.receiver.failed(id, new WireError('rate', 'HTTP 429', { sent: false, facts: { status: 429 } }))
      },
    })
    const error: unknown = await peer.request('tools/call', {}).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'rate', sent: true, facts: { status: 429 } })
  })
})

describe('peer: arguments mirrored into headers', () => {
  const paramHeadersOf: PeerOptions['paramHeadersOf'] = async () => undefined

  test('headers are requested only for tools/call over HTTP in the modern era', async () => {
    const asked: unknown[] = []
    const note: PeerOptions['paramHeadersOf'] = async (tool, { refresh }) => {
      asked.push([tool, refresh])
      return undefined
    }
    for (const kind of ['http', 'stdio', 'sse'] as const) {
      const { peer } = open({ kind, server: inTurn('done'), paramHeadersOf: note })
      await peer.request('tools/call', { name: kind })
      await peer.request('tools/list', {})
    }
    const { peer } = open({ kind: 'http', greeting: legacy, server: inTurn('done'), paramHeadersOf: note })
    await peer.request('tools/call', { name: 'old' })
    expect(asked).toEqual([['http', false]])
  })

  test('on a header mismatch the tool list is read again and the call is sent once more', async () => {
    const asked: unknown[] = []
    const { wire, peer } = open({
      kind: 'http',
      paramHeadersOf: async (_tool, { refresh }) => void asked.push(refresh),
      server: ({ id }, each) => (id === 1 ? each.refuse(id, -32020) : each.answer(id, 'done')),
    })
    expect(await peer.request('tools/call', { name: 't' })).toBe('done')
    const twice = open({ kind: 'http', paramHeadersOf, server: ({ id }, each) => each.refuse(id, -32020) })
    expect(await outcomeOf(twice.peer.request('tools/call', { name: 't' }))).toEqual({
      rpc: -32020,
      message: 'no',
    })
    expect({ asked, once: idsOf(wire), twice: idsOf(twice.wire) }).toEqual({
      asked: [false, true],
      once: [1, 2],
      twice: [1, 2],
    })
  })

  test('C18 C27 signal and time limits of the call also apply to reading that list', async () => {
    const counted = countedSignal()
    const given: unknown[] = []
    const { peer } = open({
      kind: 'http',
      server: inTurn('done'),
      paramHeadersOf: async (_tool, options) => void given.push(options),
    })
    await peer.request('tools/call', { name: 't' }, { signal: counted.signal, timeoutMs: 70 })
    expect(given).toEqual([{ refresh: false, signal: counted.signal, timeoutMs: 70 }])
  })
})
