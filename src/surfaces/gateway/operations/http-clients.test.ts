import { expect, test } from 'vitest'
import { createModernClient } from '../legacy-client.ts'
import type { GatewayClient } from '../served-request.ts'
import { HttpClients } from './http-clients.ts'

const ada = { id: 'key:1', name: 'ada', kind: 'key' } as const
const bob = { id: 'key:2', name: 'bob', kind: 'key' } as const
const modern = (name: string): GatewayClient => ({
  era: 'modern',
  version: '2026-07-28',
  capabilities: {},
  info: { name, version: '1' },
  identity: JSON.stringify({ name, version: '1' }),
})
const passing = (): GatewayClient => ({
  era: 'legacy',
  version: '2025-11-25',
  capabilities: {},
  identity: {},
})

function namesOf(clients: HttpClients) {
  return clients.status('/shop').map(({ caller, name, protocol }) => `${caller} ${name ?? protocol}`)
}

test('requests of one caller and one client are one client; a legacy client without a session is told by its revision', () => {
  const clients = new HttpClients(() => undefined)
  for (const [caller, client] of [
    [ada, modern('agent')],
    [ada, modern('agent')],
    [ada, modern('bot')],
    [bob, modern('agent')],
    [bob, passing()],
    [bob, passing()],
  ] as const)
    clients.leave(clients.enter(caller, client, { mode: 'all' }))
  expect(namesOf(clients)).toEqual(['ada agent', 'ada bot', 'bob agent', 'bob 2025-11-25'])
})

test('a client is forgotten five minutes after its last request has ended', () => {
  let now = 0
  const clients = new HttpClients(
    () => undefined,
    () => now,
  )
  const open = clients.enter(ada, modern('agent'), { mode: 'all' })
  clients.leave(clients.enter(bob, modern('bot'), { mode: 'all' }))
  now = 5 * 60_000 + 1
  expect(namesOf(clients)).toEqual(['ada agent'])
  clients.leave(open)
  now += 5 * 60_000
  expect([clients.forgetIdle(), namesOf(clients)]).toEqual([false, ['ada agent']])
  now += 1
  expect([clients.forgetIdle(), namesOf(clients)]).toEqual([true, []])
})

test('beyond a thousand clients the oldest without an open request is forgotten', () => {
  const clients = new HttpClients(() => undefined)
  const first = clients.enter(ada, modern('0'), { mode: 'all' })
  for (let each = 1; each <= 1000; each++)
    clients.leave(clients.enter(ada, modern(String(each)), { mode: 'all' }))
  const names = namesOf(clients)
  expect([names.length, names[0], names[1]]).toEqual([1000, 'ada 0', 'ada 2'])
  clients.leave(first)
})

test('of a client only short texts are kept, so that a thousand of them are small', () => {
  const clients = new HttpClients(() => undefined)
  const long = 'x'.repeat(1_000_000)
  const client = createModernClient({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { experimental: { long } },
      'io.modelcontextprotocol/clientInfo': { name: long, version: long, icons: [{ src: long }] },
    },
  })
  const seen = clients.enter(ada, client, { mode: 'all' })
  expect(JSON.stringify([seen, client.identity]).length).toBeLessThan(1000)
  expect(clients.nameOf(seen.id)).toBe(`${'x'.repeat(60)} ${'x'.repeat(40)} (ada)`)
})
