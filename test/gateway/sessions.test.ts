import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { HttpSessions } from '../../src/surfaces/gateway/http/http-sessions.ts'
import { echoServer, startGateway } from '../support/gateway.ts'
import type { GatewayMachine } from '../support/gateway.ts'
import { newHome } from '../support/tool-host.ts'

const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }

/** Opens a session, and returns the headers of its requests. */
async function openSession(started: GatewayMachine, authorization = `Bearer ${started.token}`) {
  const { headers } = await started.legacy('initialize', greeting, { headers: { authorization } })
  return { headers: { authorization, 'mcp-session-id': headers.get('mcp-session-id') ?? '' } }
}

test('T31 a server sends from the least level on that a client wants, and as before when that client has left', async () => {
  const journal = join(newHome(), 'journal')
  const talking = faultyServer({ era: 'legacy', tools: 1, capabilities: { tools: {}, logging: {} }, journal })
  await using started = await startGateway({ talking }, { sessions: true })
  const [first, second] = [await openSession(started), await openSession(started)]
  await started.legacy('tools/list', {}, first)
  const levels = () =>
    readFileSync(journal, 'utf8')
      .trim()
      .split('\n')
      .map(
        (line) => JSON.parse(line) as { readonly message?: { readonly method?: string; params?: unknown } },
      )
      .flatMap(({ message }) => (message?.method === 'logging/setLevel' ? [message.params] : []))
  await started.legacy('logging/setLevel', { level: 'debug' }, first)
  await expect.poll(levels).toEqual([{ level: 'debug' }])
  await started.legacy('logging/setLevel', { level: 'error' }, second)
  await fetch(started.url, { method: 'DELETE', ...first })
  await expect.poll(levels).toEqual([{ level: 'debug' }, { level: 'info' }])
})

test('T31 a caller that opens many sessions ends its own, and none of another caller', async () => {
  await using started = await startGateway({ echo: echoServer() }, { sessions: true })
  const { secret } = await started.machine.json<{ readonly secret: string }>('keys', 'add', 'busy')
  const owner = await openSession(started)
  const first = await openSession(started, `Bearer ${secret}`)
  for (let count = 0; count < 100; count++) await openSession(started, `Bearer ${secret}`)
  expect((await started.legacy('tools/list', {}, owner)).status).toBe(200)
  expect((await started.legacy('tools/list', {}, first)).status).toBe(404)
})

test('a session that nobody uses ends with its subscriptions, though no other one is opened', async () => {
  await using started = await startGateway({ echo: echoServer() })
  const sessions = new HttpSessions(started.gateway, { idleMs: 1 })
  const caller = { id: 'owner', name: 'owner', kind: 'owner' } as const
  const { client } = await sessions.open({ address: { mode: 'all' }, caller }, greeting)
  let onEnd = () => {}
  const ended = new Promise<void>((resolve) => (onEnd = resolve))
  const { leaving = AbortSignal.abort(), subscriptions } = client
  await subscriptions?.add('test://a', async () => ({ [Symbol.dispose]: onEnd }))
  if (!leaving.aborted) await once(leaving, 'abort')
  await ended
  expect(sessions.size).toBe(0)
  sessions.close()
})
