import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../test/support/outcome.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { capabilitiesOf, createAnswer } from './server-requests.ts'
import type { RequestHandlers, Elicitation, ElicitationAnswer } from './server-requests.ts'

const { signal } = new AbortController()
const answer = (answering: RequestHandlers, method: string, params?: JsonObject) =>
  outcomeOf(createAnswer('x', answering)({ method, params }, signal))
const notFound = (method: string) => ({ rpc: -32601, message: `Method not found: ${method}` })

test('D22 capabilitiesOf: a capability is declared only if there is a handler', () => {
  const elicit = async () => ({ action: 'cancel' }) as const
  const sample = async () => ({})
  const roots = () => []
  expect([
    capabilitiesOf({}),
    capabilitiesOf({ elicit: undefined, sample: undefined, roots: undefined }),
    capabilitiesOf({ elicit }),
    capabilitiesOf({ elicit, sample, roots }),
  ]).toEqual([
    {},
    {},
    { elicitation: { form: {}, url: {} } },
    { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } },
  ])
})

test('server requests: unknown methods and methods without a handler get "method not found"', async () => {
  for (const method of [
    'roots/list',
    'sampling/createMessage',
    'elicitation/create',
    'x',
    'toString',
    '__proto__',
  ])
    expect(await answer({}, method)).toEqual(notFound(method))
})

test('server requests: roots/list returns the working directories as file URLs', async () => {
  expect(await answer({ roots: () => ['/home/dana/my shop', '/ü'] }, 'roots/list')).toEqual({
    value: { roots: [{ uri: 'file:///home/dana/my%20shop' }, { uri: 'file:///%C3%BC' }] },
  })
})

test('server requests: the sampling handler gets the parameters unchanged, and the server name', async () => {
  const sample: RequestHandlers['sample'] = async ({ server, params }, options) => ({
    server,
    params,
    isSignal: options.signal === signal,
  })
  expect(await answer({ sample }, 'sampling/createMessage', { maxTokens: 5 })).toEqual({
    value: { server: 'x', params: { maxTokens: 5 }, isSignal: true },
  })
  expect(await answer({ sample }, 'sampling/createMessage')).toMatchObject({ value: { params: {} } })
})

describe('server requests: elicitation', () => {
  const asked: Elicitation[] = []
  const elicit = (reply: ElicitationAnswer): RequestHandlers => ({
    elicit: async (elicitation) => {
      asked.push(elicitation)
      return reply
    },
  })
  const schema = {
    type: 'object',
    properties: { name: { type: 'string', default: 'Dana' }, age: { type: 'integer' }, odd: true },
  }

  test('a form is shown, and omitted fields get their default values', async () => {
    asked.length = 0
    const params = { message: 'Who?', requestedSchema: schema }
    expect(
      await answer(elicit({ action: 'accept', content: { age: 7 } }), 'elicitation/create', params),
    ).toEqual({
      value: { action: 'accept', content: { name: 'Dana', age: 7 } },
    })
    expect(asked).toEqual([{ server: 'x', mode: 'form', message: 'Who?', schema }])
  })

  test('on decline or cancel nothing is filled in', async () => {
    const params = { message: 'Who?', mode: 'form', requestedSchema: schema }
    expect([
      await answer(elicit({ action: 'decline' }), 'elicitation/create', params),
      await answer(elicit({ action: 'cancel' }), 'elicitation/create', params),
    ]).toEqual([{ value: { action: 'decline' } }, { value: { action: 'cancel' } }])
  })

  test('the whole URL of a page is shown', async () => {
    asked.length = 0
    const params = { mode: 'url', message: 'Log in', url: 'https://example.com/x?y' }
    expect(await answer(elicit({ action: 'accept' }), 'elicitation/create', params)).toEqual({
      value: { action: 'accept' },
    })
    expect(asked).toEqual([{ server: 'x', ...params }])
  })

  test.each<[Json, string]>([
    [{}, 'A question needs a message.'],
    [{ message: 5 }, 'A question needs a message.'],
    [{ message: 'm', mode: 'url' }, 'A question of this kind needs a url.'],
    [{ message: 'm', mode: 'video' }, 'A question of the kind "video" is not known.'],
  ])('%j is rejected without asking', async (params, message) => {
    asked.length = 0
    const reply = elicit({ action: 'accept' })
    expect(await answer(reply, 'elicitation/create', params as JsonObject)).toEqual({ rpc: -32602, message })
    expect(asked).toEqual([])
  })

  test('T44 a form cannot change a prototype', async () => {
    const properties: Json = JSON.parse('{"__proto__":{"default":{"polluted":true}}}') as Json
    const params = { message: 'm', requestedSchema: { properties } }
    await answer(elicit({ action: 'accept', content: {} }), 'elicitation/create', params)
    expect('polluted' in {}).toBe(false)
  })
})
