import { expect, test } from 'vitest'
import { connectRemote } from '../../test/support/connection.ts'
import type { Remote } from '../../test/support/connection.ts'
import { outcomeOf, turn } from '../../test/support/outcome.ts'
import type { WireRequest } from '../../test/support/wire.ts'
import { WireError } from '../wire/wire-error.ts'
import { UseCounter } from './link.ts'
import type { ListName } from './link.ts'

const modern = '2026-07-28'
const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} }
const cancelled = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

/** A modern server with lists that are fresh for an hour. */
function serve(capabilities: Readonly<Record<string, unknown>>) {
  return ({ id, method }: WireRequest, remote: Remote) => {
    if (method === 'server/discover') remote.answer(id, { supportedVersions: [modern], capabilities })
    else if (method === 'subscriptions/listen') remote.say(acknowledged)
    else remote.answer(id, { tools: [], prompts: [], ttlMs: 3_600_000 })
  }
}

function connect(protocol: 'auto' | typeof modern, capabilities: Readonly<Record<string, unknown>> = {}) {
  const changed: ListName[] = []
  const connected = connectRemote(serve(capabilities), {
    context: { protocol },
    on: { listChanged: (list) => void changed.push(list) },
  })
  const sent = () => connected.remotes.flatMap((remote) => remote.sent)
  const of = (method: string) => sent().filter((each) => each.method === method)
  return { ...connected, changed, of, sent }
}

test('C29 link: a server with a fixed revision gets no handshake, and all list changes are subscribed to', async () => {
  const { connection, of, sent } = connect(modern)
  expect(await connection.connect()).toEqual({
    era: 'modern',
    version: modern,
    capabilities: {},
    isAssumed: true,
  })
  await turn()
  expect(sent().map(({ method }) => method)).toEqual(['subscriptions/listen'])
  expect(of('subscriptions/listen').map(({ params }) => params['notifications'])).toEqual([
    { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
  ])
  await connection.close()
})

test('C29 link: after a handshake only the declared list changes are subscribed to', async () => {
  const { connection, of } = connect('auto', { tools: { listChanged: true }, prompts: {}, resources: {} })
  await connection.connect()
  await turn()
  expect(of('subscriptions/listen').map(({ params }) => params['notifications'])).toEqual([
    { toolsListChanged: true },
  ])
  await connection.close()
})

test('C21 link: after an interrupted subscription all lists count as changed, once, when it is restored', async () => {
  const { connection, remotes, clock, changed, of } = connect('auto', { tools: { listChanged: true } })
  await connection.list('tools')
  await connection.list('tools')
  await connection.list('prompts')
  expect({ asked: of('tools/list').length, changed }).toEqual({ asked: 1, changed: [] })
  const [listening] = of('subscriptions/listen')
  remotes[0]?.say(cancelled(listening?.id))
  await turn()
  expect(changed).toEqual([])
  await clock.advance(500)
  await clock.advance(60_000)
  expect({ listening: of('subscriptions/listen').length, changed }).toEqual({
    listening: 2,
    changed: ['tools'],
  })
  await connection.list('tools')
  await connection.list('prompts')
  expect([of('tools/list').length, of('prompts/list').length]).toEqual([2, 1])
  await connection.close()
})

test('FI-44 link: a Retry-After beyond the call timeout of the entry is not waited for', async () => {
  const { connection } = connectRemote(
    ({ id, method }, remote) =>
      method === 'initialize'
        ? remote.answer(id, { protocolVersion: '2025-11-25', capabilities: {} })
        : remote.fail(id, new WireError('rate', 'HTTP 429', { facts: { retryAfterMs: 5000 } })),
    { timeouts: { startupMs: 1000, callMs: 2000, maxCallMs: 60_000 } },
  )
  expect(await outcomeOf(connection.request('tools/list', {}))).toMatchObject({ host: 'server.failed' })
  await connection.close()
})

test('C27 link: a list with endless pages ends with the total time limit of the entry', async () => {
  const { connection, clock } = connectRemote(
    ({ id, method }, remote) => {
      if (method === 'initialize')
        return remote.answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} } })
      void clock.sleep(900).then(() => remote.answer(id, { tools: [], nextCursor: String(id) }))
    },
    { timeouts: { startupMs: 1000, callMs: 1000, maxCallMs: 5000 } },
  )
  const list = outcomeOf(connection.list('tools'))
  await clock.advance(20_000)
  expect(await list).toMatchObject({
    host: 'call.timeout',
    message: '"x": No answer to tools/list within 5000 ms.',
  })
  await connection.close()
})

test('use counter: idle at the start', async () => {
  await expect(new UseCounter().idle()).resolves.toBeUndefined()
})

test('use counter: idle when the last use has ended, not earlier', async () => {
  const use = new UseCounter()
  const seen: string[] = []
  use.begin()
  use.begin()
  void use.idle().then(() => seen.push('idle'))
  use.end()
  await turn()
  seen.push('one left')
  use.end()
  await turn()
  expect(seen).toEqual(['one left', 'idle'])
})
