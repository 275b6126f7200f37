import { expect, test } from 'vitest'
import type { JsonObject } from '../../index.ts'
import { ParkedCalls } from './parked-calls.ts'
import type { Answer, ServedRequest } from './served-request.ts'

const signal = new AbortController().signal

function requestOf(caller: string, more: JsonObject = {}): ServedRequest {
  const capabilities = { elicitation: {} }
  return {
    id: 1,
    method: 'tools/call',
    params: { name: 'shop__buy', ...more },
    client: { era: 'modern', version: '2026-07-28', capabilities, identity: '{}' },
    address: { mode: 'all' },
    caller: { id: caller, name: caller, kind: 'key' },
    signal,
    notify: () => undefined,
  }
}

/** A server that asks once, and answers with the answer. */
const askOnce = async ({ client, ...request }: ServedRequest): Promise<Answer> => {
  const asked = await client.ask?.('elicitation/create', {}, { signal, during: { ...request, client } })
  return { asked: asked ?? null }
}

test('T31 a caller with a thousand calls that wait ends its own oldest ones, and none of another caller', async () => {
  const parked = new ParkedCalls()
  const park = async (caller: string) => (await parked.run(requestOf(caller), askOnce)) as JsonObject
  const resume = (caller: string, { requestState }: JsonObject) =>
    parked.resume(
      requestOf(caller, { requestState: requestState ?? null, inputResponses: { q1: { action: 'accept' } } }),
    )
  const mine = await park('patient')
  const first = await park('greedy')
  let last = first
  for (let count = 0; count < 1000; count++) last = await park('greedy')
  expect(await resume('patient', mine)).toEqual({ asked: { action: 'accept' } })
  await expect(resume('greedy', first)).rejects.toThrow('No call waits for these answers')
  expect(await resume('greedy', last)).toEqual({ asked: { action: 'accept' } })
  parked.close()
})

test.each(['constructor', '__proto__', 'toString'])(
  'a question with the key %s waits for an answer of the client',
  async (key) => {
    const parked = new ParkedCalls()
    const askAs = async ({ client, ...request }: ServedRequest): Promise<Answer> => {
      const params = { _meta: { 'plugboard/key': key } }
      const during = { ...request, client }
      return { asked: (await client.ask?.('elicitation/create', params, { signal, during })) ?? null }
    }
    const { requestState = null } = (await parked.run(requestOf('one'), askAs)) as JsonObject
    const inputResponses = { other: { action: 'accept' } }
    const next = (await parked.resume(requestOf('one', { requestState, inputResponses }))) as JsonObject
    expect(next).toMatchObject({ resultType: 'input_required' })
    expect(Object.keys(next['inputRequests'] as JsonObject)).toEqual([key])
    parked.close()
  },
)
