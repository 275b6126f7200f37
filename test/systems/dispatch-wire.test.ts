import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { framing } from '../../src/adapters/dispatch.ts'
import { createFakeClock, createMemoryChannel, faultyServer, startFaultyHttp } from '../../src/testing.ts'
import { nodePlatform } from '../../src/index.ts'
import type { Json } from '../../src/index.ts'
import { Rpc } from '../../src/wire/rpc.ts'
import { startDispatch, namesOf } from './dispatch-support.ts'

const oneTool = fileURLToPath(new URL('dispatch-one-tool.mjs', import.meta.url))
const initialize =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"dispatch","version":"0.0.0"}}}'

describe('Dispatch extension: messages to a server', () => {
  test('L2 the first bytes are exactly the initialize request of the plan', async () => {
    await using x = await startDispatch()
    const record = join(x.home, 'heard')
    await x.turn(x.project({ one: { command: process.execPath, args: [oneTool, record] } }))
    expect(readFileSync(record, 'utf8').split('\n')[0]).toBe(initialize)
  })

  test('D15 D22 initialize, notifications/initialized, tools/list, and nothing else before a call', async () => {
    await using x = await startDispatch()
    const record = join(x.home, 'heard')
    const turn = await x.turn(x.project({ one: { command: process.execPath, args: [oneTool, record] } }))
    await turn.call('one__greet', { name: 'Dana' })
    const lines = readFileSync(record, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { readonly method: string }).method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ])
  })

  test('D30 C1 framing is newline-delimited by default, Content-Length if the entry or the embedder sets it', async () => {
    const script = { framing: 'content-length' } as const
    await using plain = await startDispatch()
    const cwd = plain.project({ headers: { ...faultyServer(script), framing: 'content-length' } })
    expect(namesOf(await plain.turn(cwd))).toEqual(['headers__tool-0'])
    await using optional = await startDispatch({ framing: 'content-length' })
    const turn = await optional.turn(optional.project({ headers: faultyServer(script) }))
    expect(await turn.call('headers__tool-0', { a: 'ü' })).toEqual({
      content: '{"name":"tool-0","arguments":{"a":"ü"}}',
    })
  })

  test('D30 an unknown framing is a warning, and newline-delimited is used', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ one: { command: process.execPath, args: [oneTool], framing: 'morse' } })
    expect(namesOf(await x.turn(cwd))).toEqual(['one__greet'])
    expect(x.host.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      '"framing" must be one of auto, ndjson, content-length; "morse" is ignored.',
    ])
  })

  test('D1 one client per server: stdio and Streamable HTTP at the same time', async () => {
    await using remote = await startFaultyHttp({}, { spawn: nodePlatform().spawn })
    await using x = await startDispatch()
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

  test('D30 encode: writes a Content-Length header with the number of bytes', () => {
    expect(framing.encode({ a: 'ü' })).toBe('Content-Length: 10\r\n\r\n{"a":"ü"}')
  })

  test('D30 decode: reads encoded messages, however the bytes are split', () => {
    expect(framing.decode(bytes)).toEqual(messages)
    for (let at = 0; at <= bytes.length; at++) {
      const decoded: Json[] = []
      const decoder = framing.createDecoder((message) => decoded.push(message))
      decoder.push(bytes.subarray(0, at))
      decoder.push(bytes.subarray(at))
      expect(decoded).toEqual(messages)
    }
  })

  test('C1 decode: also reads newline-delimited messages, and ignores incomplete ones and noise', () => {
    const text = `starting up\n{"a":1}\nContent-Length: 7\r\n\r\n{"b":2}Content-Length: 9\r\n\r\n{"c"`
    expect(framing.decode(Buffer.from(text))).toEqual([{ a: 1 }, { b: 2 }])
  })
})

describe('Dispatch: client', () => {
  test('L3 Rpc: sends requests, notifications and answers through the injected channel', async () => {
    const written: Json[] = []
    const channel = createMemoryChannel({
      message(message, server) {
        written.push(message as unknown as Json) // messages are JSON
        if ('id' in message) server.send({ jsonrpc: '2.0', id: message.id, result: { pong: true } })
      },
    })
    let onMethod = (_method: string) => undefined as void
    const notified = new Promise<string>((resolve) => (onMethod = resolve))
    const rpc = new Rpc(channel.open, {
      clock: createFakeClock(),
      maxInFlight: 8,
      maxQueued: 8,
      maxQueuedBytes: 1000,
      onRequest: async () => null,
      onNotification: ({ method }) => onMethod(method),
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

  test('L4 programs are started by the injected platform', async () => {
    const started: string[] = []
    const world = nodePlatform()
    await using x = await startDispatch({
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

  test('L5 McpClient: initialize, listTools, callTool, state and onToolsChanged', async () => {
    await using x = await startDispatch()
    const plain = { name: 'tool-0', inputSchema: { type: 'object' } }
    // A tool of the server's own app does not reach an agent.
    const tools = [plain, { ...plain, name: 'app', _meta: { ui: { visibility: ['app'] } } }]
    const cwd = x.project({ one: faultyServer({ tools, on: { 'tools/call:do': { listChanged: 'tools' } } }) })
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
