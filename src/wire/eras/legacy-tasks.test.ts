import { describe, expect, test } from 'vitest'
import { countedSignal, outcomeOf, turn } from '../../../test/support/outcome.ts'
import { openWire } from '../../../test/support/wire.ts'
import type { Wire } from '../../../test/support/wire.ts'
import type { JsonObject } from '../../model/json.ts'
import type { RequestOptions } from '../pending.ts'
import { WireError } from '../wire-error.ts'
import { runsTasks } from './legacy-tasks.ts'
import { Peer } from './peer.ts'

const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
const working = { taskId: 't1', status: 'working', pollInterval: 500 }
const content = [{ type: 'text', text: 'done' }]

interface TaskScript extends RequestOptions {
  readonly capabilities?: JsonObject
  /** The answer to `tools/call`. */
  readonly begun?: JsonObject
  /** The answers to `tasks/get`, in order; the last one repeats. */
  readonly states?: readonly JsonObject[]
  /** How `tasks/result` is answered. */
  readonly result?: (id: string | number, wire: Wire) => void
}

/** Runs a call as a task on a scripted server of 2025-11-25. */
function call({
  capabilities: declared = capabilities,
  begun = { task: working },
  states = [{ ...working, status: 'completed' }],
  result = (id, wire) => wire.answer(id, { content }),
  ...options
}: TaskScript = {}) {
  let next = 0
  const ended = new AbortController()
  const wire = openWire({
    onProgress: (progress, params) => peer.receiveProgress(progress, params),
    server({ id, method }, each) {
      if (method === 'tools/call') each.answer(id, begun)
      if (method === 'tasks/get') each.answer(id, states[Math.min(next++, states.length - 1)])
      if (method === 'tasks/result') result(id, each)
    },
  })
  const peer: Peer = new Peer(wire.rpc, {
    greeting: { era: 'legacy', version: '2025-11-25', capabilities: declared },
    self: { info: { name: 'plugboard', version: '1.0.0' }, capabilities: {} },
    clock: wire.clock,
    answer: async () => ({}),
    paramHeadersOf: async () => undefined,
    ended: ended.signal,
  })
  const params = { name: 't', arguments: { a: 1 } }
  const outcome = outcomeOf(peer.request('tools/call', params, { asTask: true, ...options }))
  return { wire, clock: wire.clock, outcome, ended }
}

describe('legacy tasks (2025-11-25): a call that runs as a task', () => {
  test('the task is created, polled at the interval of the server, and its result becomes the result of the call', async () => {
    const { wire, clock, outcome } = call({
      states: [working, { ...working, status: 'completed' }],
      maxTimeoutMs: 60_000,
    })
    await clock.advance(999)
    expect(wire.methods).toEqual(['tools/call', 'tasks/get'])
    await clock.advance(1)
    expect(await outcome).toEqual({ value: { content } })
    expect(wire.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 't', arguments: { a: 1 }, task: { ttl: 60_000 } },
      },
      { jsonrpc: '2.0', id: 2, method: 'tasks/get', params: { taskId: 't1' } },
      { jsonrpc: '2.0', id: 3, method: 'tasks/get', params: { taskId: 't1' } },
      { jsonrpc: '2.0', id: 4, method: 'tasks/result', params: { taskId: 't1' } },
    ])
  })

  test('a direct result instead of a task ends the call', async () => {
    const { wire, outcome } = call({ begun: { content } })
    expect(await outcome).toEqual({ value: { content } })
    expect(wire.methods).toEqual(['tools/call'])
  })

  test('on a server without tasks, or without tasks for tools, it is a plain call', async () => {
    for (const declared of [{ tools: {} }, { tasks: {} }, { tasks: { requests: { tools: {} } } }]) {
      const { wire, outcome } = call({ capabilities: declared, begun: { content } })
      expect(await outcome).toEqual({ value: { content } })
      const params = { name: 't', arguments: { a: 1 } }
      expect(wire.sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }])
      expect(runsTasks(declared)).toBe(false)
    }
  })

  test('a failed task fails with the error of tasks/result, or with the result that reports it', async () => {
    const failed = { ...working, status: 'failed', statusMessage: 'It broke.' }
    const refused = call({
      states: [failed],
      result: (id, wire) => wire.refuse(id, -32000, 'It broke.', { at: 1 }),
    })
    const told = call({
      states: [failed],
      result: (id, wire) => wire.answer(id, { content, isError: true }),
    })
    await Promise.all([refused.clock.advance(500), told.clock.advance(500)])
    expect([await refused.outcome, await told.outcome]).toEqual([
      { rpc: -32000, message: 'It broke.', data: { at: 1 } },
      { value: { content, isError: true } },
    ])
    expect(refused.wire.methods).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
  })

  test('a task cancelled by the server fails the call as cancelled', async () => {
    const { wire, clock, outcome } = call({ states: [{ ...working, status: 'cancelled' }] })
    await clock.advance(500)
    expect(await outcome).toEqual({
      wire: 'cancelled',
      message: 'The server cancelled the task.',
      sent: true,
    })
    expect(wire.methods).toEqual(['tools/call', 'tasks/get'])
  })

  test('input_required: tasks/result is requested, because the server asks its question during that request', async () => {
    const asking = { ...working, status: 'input_required' }
    const { wire, clock, outcome } = call({
      states: [asking],
      result(id, each) {
        each.say({ jsonrpc: '2.0', id: 's1', method: 'elicitation/create', params: { message: 'Which?' } })
        queueMicrotask(() => each.answer(id, { content }))
      },
    })
    await clock.advance(500)
    expect(await outcome).toEqual({ value: { content } })
    expect(wire.methods).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'answer'])
  })

  test('input_required: a server that gives no result yet is polled until the task ends', async () => {
    let isOver = false
    const { wire, clock, outcome } = call({
      states: [
        { ...working, status: 'input_required' },
        { ...working, status: 'completed' },
      ],
      result(id, each) {
        if (isOver) each.answer(id, { content })
        else each.refuse(id, -32602, 'Not yet.')
        isOver = true
      },
    })
    await clock.advance(1000)
    expect(await outcome).toEqual({ value: { content } })
    expect(wire.methods).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'tasks/get', 'tasks/result'])
  })

  test('C18 an abort cancels the task and leaves no abort listener', async () => {
    const counted = countedSignal()
    const { wire, clock, outcome } = call({ states: [working], signal: counted.signal })
    await clock.advance(700)
    counted.abort()
    expect(await outcome).toEqual({ wire: 'cancelled', message: 'The call was cancelled.', sent: true })
    await turn()
    expect(wire.sent.slice(2)).toEqual([
      { jsonrpc: '2.0', id: 3, method: 'tasks/cancel', params: { taskId: 't1' } },
    ])
    expect(counted.listeners).toBe(0)
  })

  test('C27 a task that exceeds the time limit of the call is cancelled', async () => {
    const { wire, clock, outcome } = call({ states: [working], timeoutMs: 1000, maxTimeoutMs: 2200 })
    await clock.advance(2200)
    expect(await outcome).toEqual({
      wire: 'timeout',
      message: 'The task exceeded the time limit of the call.',
      sent: true,
    })
    expect(wire.methods.at(-1)).toBe('tasks/cancel')
  })

  test('D-5 if the connection ends, the call counts as sent', async () => {
    const { clock, outcome, ended } = call({ states: [working] })
    await clock.advance(700)
    ended.abort(new WireError('exit', 'It ended.'))
    expect(await outcome).toEqual({ wire: 'exit', message: 'It ended.', sent: true })
  })

  test('C18 progress arrives by status message and by the token of the call, but not for other tokens', async () => {
    const seen: unknown[] = []
    const onProgress = (progress: unknown) => void seen.push(progress)
    const { wire, clock, outcome } = call({
      states: [
        { ...working, statusMessage: 'half' },
        { ...working, status: 'completed' },
      ],
      onProgress,
    })
    const say = (progressToken: string, progress: number) =>
      wire.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } })
    await clock.advance(500)
    say('task-1', 3)
    say('task-2', 4)
    await clock.advance(500)
    expect(await outcome).toEqual({ value: { content } })
    say('task-1', 5)
    expect(seen).toEqual([{ progress: 0, message: 'half' }, { progress: 3 }])
    expect(wire.sent[0]).toMatchObject({ params: { _meta: { progressToken: 'task-1' } } })
  })
})
