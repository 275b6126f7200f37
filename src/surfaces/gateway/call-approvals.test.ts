import { expect, test } from 'vitest'
import { isCollected } from '../../../test/support/collect-garbage.ts'
import type { ApprovalQuestion, JsonObject } from '../../index.ts'
import { CallApprovals } from './call-approvals.ts'
import { Seals } from './callers/seals.ts'
import type { GatewayPerson } from './gateway-person.ts'
import type { ServedRequest } from './served-request.ts'

const signal = new AbortController().signal

function requestOf(caller: string, params: JsonObject): ServedRequest {
  const capabilities = { elicitation: {} }
  return {
    id: 1,
    method: 'tools/call',
    params,
    client: { era: 'modern', version: '2026-07-28', capabilities, identity: '{}' },
    address: { mode: 'all' },
    caller: { id: caller, name: caller, kind: 'key' },
    signal,
    notify: () => undefined,
  }
}

function questionOf(args: JsonObject): ApprovalQuestion {
  const tool = { server: 'shop', tool: 'buy', ref: 'shop/buy' }
  return { tool, args, boundTo: 'definition', reason: 'A rule asks.' } as ApprovalQuestion // what is shown of a tool
}

/** A person at the machine of the gateway, who has said nothing yet. */
function createPerson() {
  const asked: string[] = []
  let sayNo = () => undefined as void
  const person: GatewayPerson = {
    answersFor: () => false,
    mayApprove: () => true,
    elicit: () => Promise.reject(new Error('not asked')),
    approve: (_question, { request, signal: over, client }) => {
      asked.push(request?.caller?.id ?? '')
      return new Promise((resolve, reject) => {
        sayNo = () => resolve('no')
        void client?.(signal).then(resolve)
        over?.addEventListener('abort', () => reject(new Error('over')))
      })
    },
  }
  return { person, asked, sayNo: () => sayNo() }
}

/** One request of a call. Resolves with what decides it, and the state for the next round if it is asked about. */
async function send(approvals: CallApprovals, caller: string, n: number, more: JsonObject = {}) {
  const round = approvals.begin(requestOf(caller, { name: 'shop__buy', arguments: { n }, ...more }), true)
  const decided = await round.approve?.(questionOf({ n }), { signal })
  return { decided, state: round.question()?.['requestState'] ?? null }
}

const yes: JsonObject = {
  inputResponses: { plugboard_approval: { action: 'accept', content: { allow: true } } },
}

test('the person here is asked about five calls of a caller at a time, and their clients about all', async () => {
  const { person, asked } = createPerson()
  const approvals = new CallApprovals({ seals: new Seals(undefined), person })
  const rounds = []
  for (let n = 0; n < 8; n++) rounds.push(await send(approvals, 'ada', n))
  await send(approvals, 'bob', 0)
  expect(rounds.map(({ decided }) => decided)).toEqual(Array.from({ length: 8 }, () => 'asked'))
  expect(asked).toEqual(['ada', 'ada', 'ada', 'ada', 'ada', 'bob'])
  // A call that its client has decided makes room.
  expect(await send(approvals, 'ada', 0, { requestState: rounds[0]?.state ?? null, ...yes })).toMatchObject({
    decided: 'once',
  })
  await send(approvals, 'ada', 9)
  expect(asked).toHaveLength(7)
  await approvals.close()
})

test('a no of the person here refuses all rounds of the call, also those that come at once', async () => {
  const { person, sayNo } = createPerson()
  const approvals = new CallApprovals({ seals: new Seals(undefined), person })
  const { state } = await send(approvals, 'ada', 1)
  // A round without an answer gets the question again, with another state.
  const again = await send(approvals, 'ada', 1, { requestState: state })
  sayNo()
  await new Promise(setImmediate)
  const states = [state, again.state]
  const rounds = await Promise.all(
    states.map((requestState) => send(approvals, 'ada', 1, { requestState, ...yes })),
  )
  expect(rounds.map(({ decided }) => decided)).toEqual(['no', 'no'])
  await approvals.close()
})

/** A call that waits for its client and for the person here. Returns what its request alone refers to. */
async function waitingCall(approvals: CallApprovals): Promise<WeakRef<object>> {
  const meta = { large: 'x'.repeat(1_000_000) }
  await send(approvals, 'ada', 1, { _meta: meta })
  return new WeakRef(meta)
}

test('a call that waits for the person here keeps what they are shown, not the request', async () => {
  const { person } = createPerson()
  const approvals = new CallApprovals({ seals: new Seals(undefined), person })
  expect(await isCollected(await waitingCall(approvals))).toBe(true)
  await approvals.close()
})
