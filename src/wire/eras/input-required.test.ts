import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../test/support/outcome.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { AnswerRequest } from '../inbox.ts'
import { RpcError } from '../wire-error.ts'
import { answerAll, nextRound, readInputRequired } from './input-required.ts'

const { signal } = new AbortController()
const broken = (what: string) => ({
  wire: 'protocol',
  message: `The server’s request for input is invalid: ${what}.`,
  sent: true,
})
const reading = (result: JsonObject) => outcomeOf((async () => readInputRequired(result))())
const question = (method: string, params?: Json) => ({ method, ...(params !== undefined && { params }) })

describe('input_required: reading', () => {
  test('requestState is kept unchanged, and stays absent if absent', async () => {
    const state = ' "\\u0000é\n{}'
    expect(await reading({ requestState: state, inputRequests: { a: question('roots/list') } })).toEqual({
      value: { requests: { a: { method: 'roots/list' } }, state },
    })
    expect(await reading({})).toEqual({ value: { requests: {}, state: undefined } })
    expect(await reading({ requestState: '' })).toEqual({ value: { requests: {}, state: '' } })
  })

  test('T24 a requestState above 64 kB is rejected as too large', async () => {
    expect(await reading({ requestState: 'x'.repeat(65_536) })).toMatchObject({ value: {} })
    expect(await reading({ requestState: 'x'.repeat(65_537) })).toEqual({
      wire: 'too-large',
      message: 'The server’s requestState has 65537 characters.',
      sent: true,
    })
  })

  test('T24 more than 64 questions at once are rejected', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, question('roots/list')]))
    expect(await reading({ inputRequests: many(64) })).toMatchObject({ value: {} })
    expect(await reading({ inputRequests: many(65) })).toEqual(broken('there are more than 64 questions'))
  })

  test.each<[JsonObject, string]>([
    [{ requestState: 1 }, 'requestState is not a string'],
    [{ requestState: null }, 'requestState is not a string'],
    [{ inputRequests: [] }, 'inputRequests is not an object'],
    [{ inputRequests: 'x' }, 'inputRequests is not an object'],
    [{ inputRequests: { a: 1 } }, 'a question has no method'],
    [{ inputRequests: { a: {} } }, 'a question has no method'],
  ])('%j is rejected as invalid', async (result, what) => {
    expect(await reading(result)).toEqual(broken(what))
  })
})

describe('input_required: answering', () => {
  const echo: AnswerRequest = async ({ method, params }) => ({ method, params: params ?? null })

  test('each answer has the key of its question', async () => {
    const requests = {
      who: question('elicitation/create', { message: 'Who?' }),
      where: question('roots/list'),
      what: question('sampling/createMessage', 'x'),
    }
    expect(await answerAll(requests, echo, signal)).toEqual({
      who: { method: 'elicitation/create', params: { message: 'Who?' } },
      where: { method: 'roots/list', params: null },
      what: { method: 'sampling/createMessage', params: null },
    })
  })

  test.each(['ping', 'tools/call', 'server/discover'])('%s is not allowed as a question', async (method) => {
    expect(await outcomeOf(answerAll({ a: question(method) }, echo, signal))).toEqual(
      broken(`"${method}" is not allowed during a call`),
    )
  })

  test.each([
    [new RpcError(-32601, 'Method not found: roots/list'), 'Method not found: roots/list'],
    [new Error('the window was closed'), 'the window was closed'],
  ])('a question that cannot be answered fails the call (%s)', async (error, reason) => {
    const fail: AnswerRequest = async () => {
      throw error
    }
    expect(await outcomeOf(answerAll({ a: question('roots/list') }, fail, signal))).toEqual({
      wire: 'protocol',
      message: `The server’s question could not be answered: ${reason}`,
      sent: true,
    })
  })
})

test('input_required: the next round has the same params, plus the answers and the state of this round only', () => {
  const params = { name: 't', arguments: { a: 1 }, inputResponses: { old: 1 }, requestState: 'old' }
  expect(nextRound(params, { a: 1 }, 'new')).toEqual({
    name: 't',
    arguments: { a: 1 },
    inputResponses: { a: 1 },
    requestState: 'new',
  })
  expect(nextRound(params, {}, undefined)).toEqual({ name: 't', arguments: { a: 1 } })
  expect(nextRound(undefined, {}, '')).toEqual({ requestState: '' })
})
