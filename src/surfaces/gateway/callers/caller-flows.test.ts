import { expect, test } from 'vitest'
import type { JsonObject } from '../../../index.ts'
import type { Caller } from '../../../internal.ts'
import { createModernClient, createPassingClient, createStayingClient } from '../legacy-client.ts'
import type { GatewayClient, ServedRequest } from '../served-request.ts'
import { CallerFlows } from './caller-flows.ts'

const ci: Caller = { id: 'key:1', name: 'ci', kind: 'key' }
const desk: Caller = { id: 'key:2', name: 'desk', kind: 'key' }
const owner: Caller = { id: 'owner', name: 'owner', kind: 'owner' }

const modern = (name: string) =>
  createModernClient({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name, version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  })
const session = () => createStayingClient({ capabilities: {} }).client

function request(client: GatewayClient, caller?: Caller, meta: JsonObject = {}): ServedRequest {
  return {
    id: 1,
    method: 'tools/call',
    params: { name: 'x', _meta: meta },
    client,
    address: { mode: 'all' },
    ...(caller && { caller }),
    signal: new AbortController().signal,
    notify: () => undefined,
  }
}

/** Which of the requests belong to one flow: those with equal numbers. */
function grouped(requests: readonly ServedRequest[], flows = new CallerFlows(() => 0)): readonly number[] {
  const known: string[] = []
  return requests.map((each) => {
    const flow = flows.of(each)
    if (!known.includes(flow)) known.push(flow)
    return known.indexOf(flow)
  })
}

test('FI-102 the calls of a caller are one flow, at whatever address; other callers have their own', () => {
  const search = { ...request(modern('a'), ci), address: { mode: 'search' as const, view: 'work' } }
  expect(
    grouped([
      request(modern('a'), ci),
      search,
      request(createPassingClient('2025-11-25'), ci),
      request(modern('a'), desk),
    ]),
  ).toEqual([0, 0, 0, 1])
})

test('FI-102 a session is a flow of its own', () => {
  const [one, other] = [session(), session()]
  expect(
    grouped([request(one, ci), request(other, ci), request(one, ci), request(one), request(modern('a'), ci)]),
  ).toEqual([0, 1, 0, 0, 2])
})

test('FI-102 a conversation that the client names is a flow of its caller, also over sessions', () => {
  const named = (client: GatewayClient, caller: Caller, name: string) =>
    request(client, caller, { 'plugboard/conversation': name })
  expect(
    grouped([
      named(session(), ci, 'c1'),
      named(modern('a'), ci, 'c1'),
      named(modern('a'), ci, 'c2'),
      named(modern('a'), desk, 'c1'),
      // Too long to be a name.
      named(modern('a'), ci, 'c'.repeat(201)),
      request(modern('a'), ci),
    ]),
  ).toEqual([0, 0, 1, 2, 3, 3])
})

test('FI-102 clients with the token of the person who started the gateway are told apart by what they say', () => {
  const legacy = createPassingClient('2025-11-25')
  expect(
    grouped([
      request(modern('a'), owner),
      request(modern('b'), owner),
      request(modern('a'), owner),
      request(legacy, owner),
      request(createPassingClient('2025-06-18'), owner),
    ]),
  ).toEqual([0, 1, 0, 2, 2])
})

test('FI-102 after half an hour without a call, or as long as the settings say, a caller begins another flow', () => {
  let now = 0
  const flows = new CallerFlows(() => now)
  const at = (minutes: number) => {
    now += minutes * 60_000
    return flows.of(request(modern('a'), ci))
  }
  const first = at(0)
  expect([at(30) === first, at(30) === first]).toEqual([true, true])
  const second = at(31)
  expect(second).not.toBe(first)
  flows.applyMinutes(60)
  expect(at(60)).toBe(second)
  flows.applyMinutes()
  expect(at(31)).not.toBe(second)
})
