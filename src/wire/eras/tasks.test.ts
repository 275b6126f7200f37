import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countedSignal, outcomeOf, turn } from '../../../test/support/outcome.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import type { AnswerRequest } from '../inbox.ts'
import type { RequestOptions } from '../pending.ts'
import { RpcError, WireError } from '../wire-error.ts'
import { awaitTask } from './tasks.ts'

const created = { resultType: 'task', taskId: 't1', status: 'working' }
const working = { taskId: 't1', status: 'working' }

interface TaskScript extends RequestOptions {
  readonly created?: JsonObject
  /** The errors of `tasks/update`, in order. */
  readonly updates?: readonly Error[]
  /** The answers to `tasks/get`, in order; the last one repeats. */
  readonly states?: readonly (Json | Error)[]
  readonly person?: AnswerRequest
}

function follow({
  created: first = created,
  states = [working],
  updates = [],
  person,
  ...options
}: TaskScript = {}) {
  const failures = [...updates]
  const clock = createFakeClock()
  const asked: [string, JsonObject, number][] = []
  const ended = new AbortController()
  let next = 0
  const ask = async (method: string, params: JsonObject): Promise<Json> => {
    asked.push([method, params, clock.monotonic()])
    const failure = method === 'tasks/update' && failures.shift()
    if (failure) throw failure
    if (method !== 'tasks/get') return {}
    const state = states[Math.min(next++, states.length - 1)]
    if (state instanceof Error) throw state
    return state ?? null
  }
  const answer = person ?? (async () => ({ action: 'accept' }))
  const result = outcomeOf(awaitTask(first, options, { ask, answer, clock, ended: ended.signal }))
  return { clock, asked, result, ended, methods: () => asked.map(([method]) => method) }
}

describe('modern tasks: polling interval', () => {
  test('one second by default, otherwise the interval that the server names in each answer', async () => {
    const { clock, asked, result } = follow({
      states: [
        { ...working, pollIntervalMs: 300 },
        { ...working, pollIntervalMs: 2000 },
        { status: 'completed', result: { content: [] } },
      ],
    })
    await clock.advance(10_000)
    expect(asked.map(([, , at]) => at)).toEqual([1000, 1300, 3300])
    expect(await result).toEqual({ value: { content: [] } })
    expect(clock.sleeping).toBe(0)
  })

  test('T24 at least 100 ms and at most one minute', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.double({ noNaN: true }), fc.integer()), async (pollIntervalMs) => {
        const { clock, asked, result } = follow({
          created: { ...created, pollIntervalMs },
          states: [{ status: 'completed', result: 1 }],
        })
        await clock.advance(60_000)
        expect(await result).toEqual({ value: 1 })
        const [, , at] = asked[0] ?? ['', {}, -1]
        expect(at).toBe(Math.min(Math.max(pollIntervalMs, 100), 60_000))
      }),
      { numRuns: 50 },
    )
  })
})

describe('modern tasks: end of a task', () => {
  test.each<[string, JsonObject, unknown]>([
    ['completed', { status: 'completed', result: { x: 1 } }, { value: { x: 1 } }],
    ['completed without a result', { status: 'completed' }, { value: {} }],
    [
      'failed',
      { status: 'failed', error: { code: -32000, message: 'broke', data: 1 } },
      { rpc: -32000, message: 'broke', data: 1 },
    ],
    [
      'failed without an error',
      { status: 'failed' },
      {
        wire: 'protocol',
        message: 'The server’s task cannot be followed: it failed without an error.',
        sent: true,
      },
    ],
    [
      'cancelled',
      { status: 'cancelled' },
      { wire: 'cancelled', message: 'The server cancelled the task.', sent: true },
    ],
  ])('%s: tasks/cancel is not sent for a finished task', async (_what, state, outcome) => {
    const { clock, result, methods } = follow({ states: [working, state] })
    await clock.advance(5000)
    expect(await result).toEqual(outcome)
    expect(methods()).toEqual(['tasks/get', 'tasks/get'])
  })

  test.each<[string, TaskScript, string]>([
    ['a task without an id', { created: { resultType: 'task' } }, 'it has no taskId'],
    ['a state that is not an object', { states: ['x'] }, 'the answer to tasks/get is not an object'],
    ['an unknown state', { states: [{ status: 'asleep' }] }, 'its status is "asleep"'],
    ['a missing state', { states: [{}] }, 'its status is undefined'],
  ])('%s fails the call', async (_what, options, what) => {
    const { clock, result } = follow(options)
    await clock.advance(1000)
    expect(await result).toEqual({
      wire: 'protocol',
      message: `The server’s task cannot be followed: ${what}.`,
      sent: true,
    })
  })

  test.each(['rate', 'upstream', 'network', 'dns', 'timeout', 'closed', 'busy'] as const)(
    'a transient error of tasks/get (%s) is retried, and the task goes on',
    async (code) => {
      const error = new WireError(code, 'not now', { facts: { retryAfterMs: 4000 } })
      const { clock, asked, result } = follow({
        states: [error, error, { status: 'completed', result: { x: 1 } }],
      })
      await clock.advance(20_000)
      expect(await result).toEqual({ value: { x: 1 } })
      expect(asked.map(([method, , at]) => [method, at])).toEqual([
        ['tasks/get', 1000],
        ['tasks/get', 5000],
        ['tasks/get', 9000],
      ])
    },
  )

  test('C27 repeated transient errors end with the time limit of the call, and the task is cancelled', async () => {
    const { clock, result, methods } = follow({
      states: [new WireError('network', 'gone')],
      timeoutMs: 100,
      maxTimeoutMs: 2500,
    })
    await clock.advance(10_000)
    expect(await result).toEqual({
      wire: 'timeout',
      message: 'The task exceeded the time limit of the call.',
      sent: true,
    })
    expect(methods()).toEqual(['tasks/get', 'tasks/get', 'tasks/cancel'])
  })

  test.each(['protocol', 'auth', 'too-large'] as const)('the error %s is not retried', async (code) => {
    const { clock, result, methods } = follow({ states: [new WireError(code, 'no', { sent: true })] })
    await clock.advance(1000)
    expect(await result).toEqual({ wire: code, message: 'no', sent: true })
    expect(methods()).toEqual(['tasks/get', 'tasks/cancel'])
  })

  test('an error answer to tasks/get fails the call, and the task is cancelled', async () => {
    const { clock, result, methods } = follow({ states: [new RpcError(-32602, 'no such task')] })
    await clock.advance(1000)
    expect(await result).toEqual({ rpc: -32602, message: 'no such task' })
    expect(methods()).toEqual(['tasks/get', 'tasks/cancel'])
  })
})

describe('modern tasks: cancellation', () => {
  test('C18 an abort ends the call immediately and cancels the task', async () => {
    const counted = countedSignal()
    const { clock, asked, result } = follow({ signal: counted.signal })
    await clock.advance(1500)
    counted.abort()
    expect(await result).toEqual({ wire: 'cancelled', message: 'The call was cancelled.', sent: true })
    expect(asked).toEqual([
      ['tasks/get', { taskId: 't1' }, 1000],
      ['tasks/cancel', { taskId: 't1' }, 1500],
    ])
    expect({ listeners: counted.listeners, timers: clock.sleeping }).toEqual({ listeners: 0, timers: 0 })
  })

  test('C27 the hard limit applies to tasks', async () => {
    const { clock, result, methods } = follow({ timeoutMs: 100, maxTimeoutMs: 3500 })
    await clock.advance(10_000)
    expect(await result).toEqual({
      wire: 'timeout',
      message: 'The task exceeded the time limit of the call.',
      sent: true,
    })
    expect(methods()).toEqual(['tasks/get', 'tasks/get', 'tasks/get', 'tasks/cancel'])
  })

  test('the end of the connection ends the call between two polls', async () => {
    const { clock, result, ended } = follow()
    await clock.advance(1500)
    ended.abort(new WireError('exit', 'It is gone.'))
    expect(await result).toEqual({ wire: 'exit', message: 'It is gone.', sent: true })
    expect(clock.sleeping).toBe(0)
  })
})

describe('modern tasks: questions', () => {
  const asking = (...keys: string[]) => ({
    status: 'input_required',
    inputRequests: Object.fromEntries(
      keys.map((key) => [key, { method: 'elicitation/create', params: { key } }]),
    ),
  })

  test('each question is asked once, however long the server lists it', async () => {
    const put: unknown[] = []
    const { clock, asked, result } = follow({
      states: [
        asking('a'),
        asking('a'),
        asking('a', 'b'),
        asking('a', 'b'),
        { status: 'completed', result: 1 },
      ],
      person: async ({ params }) => {
        put.push(params)
        return { n: put.length }
      },
    })
    await clock.advance(10_000)
    expect(await result).toEqual({ value: 1 })
    expect(put).toEqual([{ key: 'a' }, { key: 'b' }])
    expect(asked.filter(([method]) => method === 'tasks/update').map(([, params]) => params)).toEqual([
      { taskId: 't1', inputResponses: { a: { n: 1 } } },
      { taskId: 't1', inputResponses: { b: { n: 2 } } },
    ])
  })

  test('if delivering an answer fails, it is resent without asking again', async () => {
    let put = 0
    const { clock, asked, result } = follow({
      states: [asking('a'), asking('a'), asking('a', 'b'), { status: 'completed', result: 1 }],
      updates: [new WireError('upstream', 'HTTP 500', { sent: true })],
      person: async () => ({ n: ++put }),
    })
    await clock.advance(10_000)
    expect(await result).toEqual({ value: 1 })
    expect(asked.filter(([method]) => method === 'tasks/update').map(([, params]) => params)).toEqual([
      { taskId: 't1', inputResponses: { a: { n: 1 } } },
      { taskId: 't1', inputResponses: { a: { n: 1 } } },
      { taskId: 't1', inputResponses: { b: { n: 2 } } },
    ])
  })

  test('C18 a question that a person is answering ends with the call', async () => {
    const counted = countedSignal()
    const questions: AbortSignal[] = []
    const { clock, result, methods } = follow({
      signal: counted.signal,
      states: [asking('a')],
      person: (_request, signal) => {
        questions.push(signal)
        return new Promise(() => undefined)
      },
    })
    await clock.advance(1000)
    counted.abort()
    expect(await result).toMatchObject({ wire: 'cancelled', sent: true })
    await turn()
    expect({
      over: questions.map(({ aborted }) => aborted),
      methods: methods(),
      listeners: counted.listeners,
    }).toEqual({
      over: [true],
      methods: ['tasks/get', 'tasks/cancel'],
      listeners: 0,
    })
  })

  test('a question that cannot be answered cancels the task', async () => {
    const { clock, result, methods } = follow({
      states: [{ status: 'input_required', inputRequests: { a: { method: 'tools/call' } } }],
    })
    await clock.advance(1000)
    expect(await result).toMatchObject({ wire: 'protocol' })
    expect(methods()).toEqual(['tasks/get', 'tasks/cancel'])
  })
})

test('modern tasks: the status message reaches the caller as progress', async () => {
  const seen: unknown[] = []
  const { clock } = follow({
    states: [
      { ...working, statusMessage: 'half' },
      { ...working, statusMessage: 5 },
      { status: 'completed' },
    ],
    onProgress: (progress) => void seen.push(progress),
  })
  await clock.advance(5000)
  expect(seen).toEqual([{ progress: 0, message: 'half' }])
})
