import { describe, expect, test } from 'vitest'
import type { OpenChannel } from '../wire/channel.ts'
import { Rpc } from '../wire/rpc.ts'
import type { Progress } from '../model/event.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { recordCassette } from './cassette.ts'
import { createFakeClock } from './fake-clock.ts'
import { replayCassette } from './replay.ts'
import { createScriptedServer } from './scripted-server.ts'
import type { ScriptedServer } from './scripted-server.ts'

function connect(open: OpenChannel) {
  const notified: unknown[] = []
  const asked: string[] = []
  const closed: WireError[] = []
  const rpc = new Rpc(open, {
    clock: createFakeClock(),
    maxInFlight: 8,
    maxQueued: 8,
    maxQueuedBytes: 1000,
    onRequest: async ({ method }) => {
      asked.push(method)
      return { roots: [] }
    },
    onNotification: ({ method }) => void notified.push(method),
    onClosed: (error) => void closed.push(error),
  })
  return { rpc, notified, asked, closed }
}

function recording(server: ScriptedServer) {
  const lines: string[] = []
  return { lines, ...connect(recordCassette(server.open, (line) => lines.push(line))) }
}

test('recordCassette: writes each message of both sides as a line', async () => {
  const { lines, rpc } = recording(createScriptedServer())
  await rpc.request('ping', undefined)
  await expect(rpc.request('nope', { a: 1 })).rejects.toBeInstanceOf(RpcError)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { cassette: 1, kind: 'memory' },
    { sent: { jsonrpc: '2.0', id: 1, method: 'ping' } },
    { came: { jsonrpc: '2.0', id: 1, result: {} } },
    { sent: { jsonrpc: '2.0', id: 2, method: 'nope', params: { a: 1 } } },
    { came: { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found: nope' } } },
  ])
})

describe('replayCassette', () => {
  test('answers recorded requests in any order and with other ids, and fails others', async () => {
    const { lines, rpc: live } = recording(createScriptedServer())
    const hello = { clientInfo: { name: 'x', version: '1' }, protocolVersion: '2025-11-25' }
    const greeting = await live.request('initialize', hello)
    const answers = [
      await live.request('tools/call', { name: 'a', arguments: { x: 1, y: 2 } }),
      await live.request('tools/call', { name: 'b' }),
    ]
    const { rpc } = connect(replayCassette(lines.join('\n')))
    expect(await rpc.request('tools/call', { name: 'b', _meta: { other: 1 } })).toEqual(answers[1])
    expect(await rpc.request('initialize', { ...hello, clientInfo: { name: 'x', version: '2' } })).toEqual(
      greeting,
    )
    expect(await rpc.request('tools/call', { arguments: { y: 2, x: 1 }, name: 'a' })).toEqual(answers[0])
    await expect(rpc.request('tools/call', { name: 'c' })).rejects.toThrow(
      new WireError('protocol', 'The cassette has no request tools/call {"name":"c"}.'),
    )
  })

  test('answers a repeated request with its responses in order, then with the last one again', async () => {
    let count = 0
    const server = createScriptedServer({ on: { 'tools/list': () => ({ count: ++count }) } })
    const { lines, rpc: live } = recording(server)
    await live.request('tools/list', {})
    await live.request('tools/list', {})
    const { rpc } = connect(replayCassette(lines.join('\n')))
    const answers = [1, 2, 3].map(() => rpc.request('tools/list', undefined))
    expect(await Promise.all(answers)).toEqual([{ count: 1 }, { count: 2 }, { count: 2 }])
  })

  test('replays progress with the current token, notifications and failures', async () => {
    const server: ScriptedServer = createScriptedServer({
      on: {
        'tools/call': async ({ name, _meta }) => {
          if (name === 'fail') throw new WireError('rate', 'slow down', { facts: { status: 429 } })
          const { progressToken } = _meta as { readonly progressToken: number }
          server.notify('notifications/progress', { progressToken, progress: 1 })
          server.notify('notifications/message')
          return { done: true }
        },
      },
    })
    const play = async (open: OpenChannel, before: number) => {
      const progress: Progress[] = []
      const { rpc, notified } = connect(open)
      for (let count = 0; count < before; count++) await rpc.request('x', undefined).catch(() => undefined)
      const result = await rpc.request(
        'tools/call',
        { name: 'a' },
        { onProgress: (each) => progress.push(each) },
      )
      const failure = await rpc.request('tools/call', { name: 'fail' }).catch((error: unknown) => error)
      return { result, failure, progress, notified }
    }
    const lines: string[] = []
    const live = await play(
      recordCassette(server.open, (line) => lines.push(line)),
      0,
    )
    expect(live.progress).toEqual([{ progress: 1 }])
    expect(live.failure).toMatchObject({ code: 'rate', facts: { status: 429 } })
    expect(await play(replayCassette(lines.join('\n')), 5)).toEqual(live)
  })

  test('replays requests of the server, and continues after the response of the client', async () => {
    const server: ScriptedServer = createScriptedServer({
      on: { 'tools/call': async () => ({ heard: await server.request('roots/list') }) },
    })
    const { lines, rpc: live } = recording(server)
    const answer = await live.request('tools/call', { name: 'a' })
    const order = lines.map((line) => Object.keys(JSON.parse(line))[0])
    expect(order).toEqual(['cassette', 'sent', 'came', 'sent', 'came'])
    const again: string[] = []
    const { rpc, asked } = connect(
      recordCassette(replayCassette(lines.join('\n')), (line) => again.push(line)),
    )
    expect(await rpc.request('tools/call', { name: 'a' })).toEqual(answer)
    expect({ asked, again }).toEqual({ asked: ['roots/list'], again: lines })
  })

  test('closes where the recorded server closed', async () => {
    const server: ScriptedServer = createScriptedServer({
      on: {
        'tools/call': () => {
          server.close(
            new WireError('exit', 'It ended with code 1.', {
              sent: true,
              facts: { exit: { code: 1, signal: null } },
            }),
          )
          return new Promise(() => undefined)
        },
      },
    })
    const { lines, rpc: live } = recording(server)
    await live.request('tools/call', { name: 'a' }).catch(() => undefined)
    const { rpc, closed } = connect(replayCassette(lines.join('\n')))
    await expect(rpc.request('tools/call', { name: 'a' })).rejects.toMatchObject({ code: 'exit' })
    expect(closed).toMatchObject([{ code: 'exit', sent: true, facts: { exit: { code: 1, signal: null } } }])
  })

  test.each([
    ['{"sent":{}}', 'line 1 is not a line of a cassette'],
    ['{"cassette":1,"kind":"stdio"}\n[]', 'line 2 is not a line of a cassette'],
    ['{"cassette":1,"kind":"stdio"}\n\n{"ca', 'line 2 is not a line of a cassette'],
  ])('refuses invalid text: %j', (text, message) => {
    expect(() => replayCassette(text)).toThrow(message)
  })
})
