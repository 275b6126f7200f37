import { expect, test } from 'vitest'
import { outcomeOf } from '../../test/support/outcome.ts'
import type { Json } from '../model/json.ts'
import { Rpc } from '../wire/rpc.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { createFakeClock } from './fake-clock.ts'
import { createScriptedServer } from './scripted-server.ts'
import type { ScriptedServer } from './scripted-server.ts'

function connect(server: ScriptedServer) {
  const notified: unknown[] = []
  const closed: unknown[] = []
  const rpc = new Rpc(server.open, {
    clock: createFakeClock(),
    maxInFlight: 8,
    maxQueued: 8,
    maxQueuedBytes: 1000,
    onRequest: async ({ method }) => {
      if (method === 'roots/list') return { roots: [] }
      throw new RpcError(-32601, 'no')
    },
    onNotification: (notification) => void notified.push(notification),
    onClosed: (error) => void closed.push(error.message),
  })
  return { rpc, notified, closed }
}

test('createScriptedServer: initializes, lists and calls tools, and records what it receives', async () => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }]
  const server = createScriptedServer({ tools })
  const { rpc } = connect(server)
  expect(await rpc.request('initialize', { protocolVersion: '2025-06-18' })).toEqual({
    protocolVersion: '2025-06-18',
    serverInfo: { name: 'scripted-server', version: '1.0.0' },
    capabilities: { tools: { listChanged: true } },
  })
  expect(await rpc.request('tools/list', undefined)).toEqual({ tools })
  expect(await rpc.request('tools/call', { name: 'a' })).toEqual({
    content: [{ type: 'text', text: '{"name":"a","arguments":{}}' }],
  })
  await expect(rpc.request('server/discover', {})).rejects.toMatchObject({ code: -32601 })
  expect(server.received.map((message) => 'method' in message && message.method)).toEqual([
    'initialize',
    'tools/list',
    'tools/call',
    'server/discover',
  ])
})

test('createScriptedServer: the modern era answers server/discover and adds a resultType', async () => {
  const { rpc } = connect(createScriptedServer({ era: 'modern' }))
  expect(await rpc.request('server/discover', {})).toMatchObject({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
  })
  expect(await rpc.request('tools/list', {})).toEqual({ resultType: 'complete', tools: [] })
})

test('createScriptedServer: a handler can return a result, throw an RpcError or throw a WireError', async () => {
  const server = createScriptedServer({
    on: {
      'tools/call': async ({ name }) => {
        if (name === 'refuse') throw new RpcError(-32000, 'refused', { why: 1 })
        if (name === 'break') throw new WireError('network', 'gone', { sent: true })
        if (name === 'bug') throw new Error('oops')
        return { name: name ?? null }
      },
    },
  })
  const { rpc } = connect(server)
  expect(await rpc.request('tools/call', { name: 'fine' })).toEqual({ name: 'fine' })
  await expect(rpc.request('tools/call', { name: 'refuse' })).rejects.toMatchObject({
    code: -32000,
    data: { why: 1 },
  })
  await expect(rpc.request('tools/call', { name: 'break' })).rejects.toMatchObject({ code: 'network' })
  await expect(rpc.request('tools/call', { name: 'bug' })).rejects.toMatchObject({ code: -32603 })
})

test('createScriptedServer: notify, request, send and close act on the client', async () => {
  const server = createScriptedServer()
  const { rpc, notified, closed } = connect(server)
  server.notify('notifications/message', { data: 1 })
  server.send('noise')
  expect(await server.request('roots/list')).toEqual({ roots: [] })
  await expect(server.request('other', { a: 1 })).rejects.toMatchObject({ code: -32601, message: 'no' })
  const open = rpc.request('tools/list', undefined)
  server.close()
  await expect(open).rejects.toMatchObject({ code: 'closed' })
  expect({ notified, closed, noise: rpc.counts.noise }).toEqual({
    notified: [{ jsonrpc: '2.0', method: 'notifications/message', params: { data: 1 } }],
    closed: ['The server closed the channel.'],
    noise: 1,
  })
})

test('createScriptedServer: a value that cannot be cloned is reported, in lists, results, errors and sent messages', async () => {
  const inputSchema = { parse: () => true } as unknown as Json // what callers without types hand over
  const server = createScriptedServer({
    tools: [{ name: 'a', inputSchema }],
    on: {
      'tools/call': () => ({ content: [inputSchema] }),
      ping: () => {
        throw new RpcError(-32000, 'refused', inputSchema)
      },
    },
  })
  const { rpc } = connect(server)
  const sentence = 'A message contains a value that cannot be sent: () => true could not be cloned.'
  const answers = ['tools/list', 'tools/call', 'ping'].map((method) => outcomeOf(rpc.request(method, {})))
  expect(await Promise.all(answers)).toEqual(
    answers.map(() => ({ rpc: -32603, message: `TypeError: ${sentence}` })),
  )
  expect(() => server.notify('n', { inputSchema })).toThrow(new TypeError(sentence))
  await expect(server.request('roots/list', { inputSchema })).rejects.toThrow(new TypeError(sentence))
  await expect(rpc.request('ping', { inputSchema })).rejects.toThrow(new TypeError(sentence))
})
