import { expect, test } from 'vitest'
import { ActiveCalls } from './active-calls.ts'
import type { AskClient, ServedRequest } from './served-request.ts'

const question = { server: 'shop', method: 'elicitation/create', params: { message: 'Which?' } }
const place = { server: 'shop' }

function requestOf(caller: string, signal: AbortSignal): ServedRequest {
  return {
    id: 1,
    method: 'tools/call',
    params: {},
    client: {
      era: 'legacy',
      version: '2025-11-25',
      capabilities: { elicitation: {} },
      identity: {},
      ask: async () => ({ action: 'accept', content: { by: caller } }),
    },
    address: { mode: 'all' },
    caller: { id: caller, name: caller, kind: 'key' },
    signal,
    notify: () => undefined,
  }
}

test('a call that waits for its approval, or was given up before it, does not keep another caller from being asked', async () => {
  const active = new ActiveCalls(() => undefined)
  const [over, signal] = [new AbortController(), new AbortController().signal]
  const ask = () => active.ask(question, signal)
  const waits = requestOf('ada', over.signal)
  const waiting = active.during(place, waits, () =>
    active.approved(
      waits,
      () =>
        new Promise((_, reject) => over.signal.addEventListener('abort', () => reject(new Error('over')))),
    ),
  )
  await active.during(place, requestOf('bob', signal), async () => {
    expect(await ask()).toEqual({ action: 'accept', content: { by: 'bob' } })
    over.abort()
    await expect(waiting).rejects.toThrow('over')
    expect(await ask()).toEqual({ action: 'accept', content: { by: 'bob' } })
  })
})

test('a call that was approved counts', async () => {
  const active = new ActiveCalls(() => undefined)
  const { signal } = new AbortController()
  const approved = requestOf('ada', signal)
  await active.during(place, approved, async () => {
    await active.approved(approved, async () => 'once')
    await active.during(place, requestOf('bob', signal), async () => {
      await expect(active.ask(question, signal)).rejects.toThrow('not certain')
    })
  })
})

test('a question that is open when its call ends is withdrawn', async () => {
  const active = new ActiveCalls(() => undefined)
  const { signal } = new AbortController()
  const request = requestOf('ada', signal)
  const ask: AskClient = (_method, _params, { signal: until }) =>
    new Promise((_, reject) => until.addEventListener('abort', () => reject(new Error('withdrawn'))))
  const asks = { ...request, client: { ...request.client, ask } }
  let asked: Promise<unknown> | undefined
  await active.during(place, asks, async () => {
    asked = active.ask(question, signal).catch((error: unknown) => String(error))
  })
  const open = new Promise((resolve) => setImmediate(resolve, 'open'))
  expect(await Promise.race([asked, open])).toBe('Error: withdrawn')
})
