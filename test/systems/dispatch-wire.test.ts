import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { framing } from '../../src/adapters/dispatch.ts'
import { createFakeClock, createMemoryChannel, faultyServer, startFaultyHttp } from '../../src/testing.ts'
import { nodePlatform } from '../../src/index.ts'
import type { Json } from '../../src/index.ts'
import { Rpc } from '../../src/wire/rpc.ts'
import { dispatched, namesOf } from './dispatch-support.ts'

const oneTool = fileURLToPath(new URL('dispatch-one-tool.mjs', import.meta.url))
const initialize =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"dispatch","version":"0.0.0"}}}'

describe('what a server hears', () => {
  test('L2 its first bytes are initialize, byte for byte', async () => {
    await using x = await dispatched()
    const record = join(x.home, 'heard')
    await x.turn(x.project({ one: { command: process.execPath, args: [oneTool, record] } }))
    expect(readFileSync(record, 'utf8').split('\n')[0]).toBe(initialize)
  })

  test('D15 D22 then notifications/initialized, then tools/list, and nothing else before a call', async () => {
    await using x = await dispatched()
    const record = join(x.home, 'heard')
    const turn = await x.turn(x.project({ one: { command: process.execPath, args: [oneTool, record] } }))
    await turn.call('one__greet', { name: 'Dana' })
    const heard = readFileSync(record, 'utf8').trimEnd().split('\n')
    expect(heard.map((line) => (JSON.parse(line) as { readonly method: string }).method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ])
  })

  test('D30 C1 lines by default, headers where the entry or the embedder says so', async () => {
    const script = { framing: 'content-length' } as const
    await using plain = await dispatched()
    const said = plain.project({ headers: { ...faultyServer(script), framing: 'content-length' } })
    expect(namesOf(await plain.turn(said))).toEqual(['headers__tool-0'])
    await using optional = await dispatched({ framing: 'content-length' })
    const turn = await optional.turn(optional.project({ headers: faultyServer(script) }))
    expect(await turn.call('headers__tool-0', { a: 'ü' })).toEqual({
      content: '{"name":"tool-0","arguments":{"a":"ü"}}',
    })
  })

  test('D30 a word that is no framing is a warning, and lines are written', async () => {
    await using x = await dispatched()
    const cwd = x.project({ one: { command: process.execPath, args: [oneTool], framing: 'morse' } })
    expect(namesOf(await x.turn(cwd))).toEqual(['one__greet'])
    expect(x.host.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      '"framing" is one of auto, ndjson, content-length; "morse" is ignored.',
    ])
  })

  test('D1 one client per server: over a pipe and over Streamable HTTP at the same time', async () => {
    await using remote = await startFaultyHttp({}, { spawn: nodePlatform().spawn })
    await using x = await dispatched()
    const cwd = x.project({ here: faultyServer(), there: { transport: 'http', url: remote.url } })
    const turn = await x.turn(cwd)
    expect(namesOf(turn)).toEqual(['here__tool-0', 'there__tool-0'])
    const answer = { content: '{"name":"tool-0","arguments":{}}' }
    expect(await turn.call('here__tool-0')).toEqual(answer)
    expect(await turn.call('there__tool-0')).toEqual(answer)
  })
})

describe('framing', () => {
  const messages: readonly Json[] = [{ a: 'ü' }, { id: 1, result: ['\n', '\r\n\r\n'] }]
  const bytes = Buffer.from(messages.map(framing.encode).join(''))

  test('D30 a message stands behind the number of its bytes', () => {
    expect(framing.encode({ a: 'ü' })).toBe('Content-Length: 10\r\n\r\n{"a":"ü"}')
  })

  test('D30 what was encoded is decoded, wherever it is cut', () => {
    expect(framing.decode(bytes)).toEqual(messages)
    for (let at = 0; at <= bytes.length; at++) {
      const heard: Json[] = []
      const decoder = framing.createDecoder((message) => heard.push(message))
      decoder.push(bytes.subarray(0, at))
      decoder.push(bytes.subarray(at))
      expect(heard).toEqual(messages)
    }
  })

  test('C1 lines are decoded as well, half a message and noise are not', () => {
    const text = `starting up\n{"a":1}\nContent-Length: 7\r\n\r\n{"b":2}Content-Length: 9\r\n\r\n{"c"`
    expect(framing.decode(Buffer.from(text))).toEqual([{ a: 1 }, { b: 2 }])
  })
})

describe('the client', () => {
  test('L3 requests, notifications and what comes back go through one injected way to write', async () => {
    const written: Json[] = []
    const channel = createMemoryChannel({
      message(message, server) {
        written.push(message as unknown as Json) // messages are JSON
        if ('id' in message) server.send({ jsonrpc: '2.0', id: message.id, result: { pong: true } })
      },
    })
    let heard = (_method: string) => undefined as void
    const notified = new Promise<string>((resolve) => (heard = resolve))
    const rpc = new Rpc(channel.open, {
      clock: createFakeClock(),
      maxInFlight: 8,
      maxQueued: 8,
      onRequest: async () => null,
      onNotification: ({ method }) => heard(method),
      onClosed: () => undefined,
    })
    rpc.notify('notifications/initialized')
    expect(await rpc.request('ping', {}, {})).toEqual({ pong: true })
    channel.server.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    expect(await notified).toBe('notifications/tools/list_changed')
    expect(written).toEqual([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, method: 'ping', params: {} },
    ])
  })

  test('L4 programs are started by whoever is given for it', async () => {
    const started: string[] = []
    const world = nodePlatform()
    await using x = await dispatched({
      platform: {
        spawn(how) {
          started.push(how.command)
          return world.spawn(how)
        },
      },
    })
    await x.turn(x.project({ one: { command: process.execPath, args: [oneTool] } }))
    expect(started).toEqual([process.execPath])
  })

  test('L5 initialize, listTools and callTool; it knows its state, and tells when tools changed', async () => {
    await using x = await dispatched()
    const cwd = x.project({ one: faultyServer({ on: { 'tools/call:do': { listChanged: 'tools' } } }) })
    await x.service.status(cwd)
    const client = x.service.getClient('one')
    if (!client) throw new Error('no client')
    expect(client.state).toBe('disconnected')
    expect((await client.initialize()).version).toBe('2025-11-25')
    expect(client.state).toBe('connected')
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['tool-0'])
    expect(await client.callTool('tool-0', { a: 1 })).toEqual({
      content: [{ type: 'text', text: '{"name":"tool-0","arguments":{"a":1}}' }],
    })
    const changed = new Promise<void>((resolve) => client.onToolsChanged(resolve))
    void client.callTool('do', {}).catch(() => undefined)
    await changed
  })
})
