import { describe, expect, test } from 'vitest'
import { turn } from '../../test/support/outcome.ts'
import type { Json } from '../model/json.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { Inbox } from './inbox.ts'
import type { AnswerRequest } from './inbox.ts'
import type { Response } from './message.ts'
import { RpcError } from './wire-error.ts'

function open(answer: AnswerRequest) {
  const sent: Response[] = []
  // Serialize as a transport does: a value that is not JSON throws here.
  const inbox = new Inbox(
    answer,
    (response) => void sent.push(JSON.parse(JSON.stringify(response)) as Response),
    createFakeClock(),
  )
  return { inbox, sent }
}

/** An answer that the test resolves. */
function slow() {
  const open: { readonly signal: AbortSignal; readonly answer: (result: Json) => void }[] = []
  const answer: AnswerRequest = (_request, signal) =>
    new Promise((resolve) => void open.push({ signal, answer: resolve }))
  return { open, answer }
}

describe('inbox: requests from the server', () => {
  test('each answer carries the id of its request', async () => {
    const { inbox, sent } = open(async ({ method, params }) => ({ method, params: params ?? null }))
    inbox.answer(1, 'sampling/createMessage', undefined)
    inbox.answer('1', 'roots/list', { a: 1 })
    await turn()
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, result: { method: 'sampling/createMessage', params: null } },
      { jsonrpc: '2.0', id: '1', result: { method: 'roots/list', params: { a: 1 } } },
    ])
  })

  test('an RpcError is sent as it is; any other error is sent without its message', async () => {
    const errors = [new RpcError(-32601, 'Method not found: x', [1]), new Error('/home/dana/secret')]
    const { inbox, sent } = open(async () => {
      throw errors.shift() ?? new Error('no more')
    })
    inbox.answer(1, 'x', undefined)
    inbox.answer(2, 'y', undefined)
    await turn()
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found: x', data: [1] } },
      { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'Internal error' } },
    ])
  })

  test('a handler result that is not JSON is answered with an internal error, without an unhandled rejection', async () => {
    const { inbox, sent } = open(async () => ({ count: 1n }) as unknown as Json) // a bug of an embedder
    inbox.answer(1, 'sampling/createMessage', {})
    await turn()
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }])
  })

  test('a cancelled request gets no answer, and its handler is aborted', async () => {
    const { open: asked, answer } = slow()
    const { inbox, sent } = open(answer)
    inbox.answer(1, 'elicitation/create', {})
    for (const id of [2, '1', null, undefined, {}]) inbox.cancel(id)
    const before = asked[0]?.signal.aborted
    inbox.cancel(1)
    asked[0]?.answer({ action: 'accept' })
    await turn()
    expect({ before, after: asked[0]?.signal.aborted, sent }).toEqual({
      before: false,
      after: true,
      sent: [],
    })
  })

  test('a duplicate id is rejected while its request is open, and accepted after the answer', async () => {
    const { open: asked, answer } = slow()
    const { inbox, sent } = open(answer)
    inbox.answer(1, 'a', undefined)
    inbox.answer(1, 'b', undefined)
    asked[0]?.answer('first')
    await turn()
    inbox.answer(1, 'c', undefined)
    asked[1]?.answer('third')
    await turn()
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'A request with this id is still open.' } },
      { jsonrpc: '2.0', id: 1, result: 'first' },
      { jsonrpc: '2.0', id: 1, result: 'third' },
    ])
  })

  test('T24 more than 64 open requests are rejected', () => {
    const { open: asked, answer } = slow()
    const { inbox, sent } = open(answer)
    for (let id = 1; id <= 66; id++) inbox.answer(id, 'elicitation/create', {})
    expect({ asked: asked.length, sent }).toEqual({
      asked: 64,
      sent: [65, 66].map((id) => ({
        jsonrpc: '2.0',
        id,
        error: { code: -32000, message: 'Too many requests at once.' },
      })),
    })
  })

  test('ping is answered immediately, even while 64 requests are open', () => {
    const { open: asked, answer } = slow()
    const { inbox, sent } = open(answer)
    for (let id = 1; id <= 64; id++) inbox.answer(id, 'elicitation/create', {})
    inbox.answer('p', 'ping', undefined)
    expect({ asked: asked.length, sent }).toEqual({
      asked: 64,
      sent: [{ jsonrpc: '2.0', id: 'p', result: {} }],
    })
  })

  test('closing the connection aborts all handlers, and nothing is sent afterwards', async () => {
    const { open: asked, answer } = slow()
    const { inbox, sent } = open(answer)
    inbox.answer(1, 'a', undefined)
    inbox.answer(2, 'b', undefined)
    inbox.close()
    for (const { answer: finish } of asked) finish({})
    await turn()
    expect({ ended: asked.map(({ signal }) => signal.aborted), sent }).toEqual({
      ended: [true, true],
      sent: [],
    })
  })
})
