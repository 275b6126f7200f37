import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createHost } from '../src/index.ts'
import type { Host, HostOptions, InProcessServer, InProcessTransport } from '../src/index.ts'
import { collectEvents } from './support/programs/host-events.ts'
import { namesOf, newHome } from './support/tool-host.ts'

function hostOf(servers: HostOptions['servers'], options: HostOptions = {}): Promise<Host> {
  const home = newHome()
  return createHost({
    cwd: home,
    servers: servers ?? {},
    platform: { home, env: { HOME: home } },
    ...options,
  })
}

function v1(): McpServerV1 {
  const server = new McpServerV1({ name: 'v1', version: '1.0.0' })
  server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }))
  return server
}

function v2(): McpServerV2 {
  const server = new McpServerV2({ name: 'v2', version: '1.0.0' })
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }))
  return server
}

function throwing(message: string): () => void {
  return () => {
    throw new Error(message)
  }
}

/** What reaches the process instead of a caller. The runner's own handlers would fail the whole run. */
function collectFaults(): () => Promise<readonly unknown[]> {
  const events = ['uncaughtException', 'unhandledRejection'] as const
  const found: unknown[] = []
  const note = (fault: unknown) => void found.push(fault)
  const usual = events.map((event) => process.rawListeners(event))
  for (const event of events) process.removeAllListeners(event).on(event, note)
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    for (const [index, event] of events.entries()) {
      process.removeAllListeners(event)
      for (const listener of usual[index] ?? []) process.on(event, listener as () => void) // as they were
    }
    return found
  }
}

describe('servers in this process', () => {
  test.each([
    ['the SDK 1.x', v1],
    ['the SDK 2.x', v2],
  ] as const)('D-17 a server object of %s is used without a process', async (_, create) => {
    const server = create()
    await using host = await hostOf({ mine: { server } })
    await host.ready()
    expect(namesOf(host)).toEqual(['mine__add'])
    expect((await host.call('mine__add', { a: 1, b: 2 })).text).toBe('3')
    // It is connected again after a stop, a restart and by the next host.
    await host.stop('mine')
    expect((await host.call('mine__add', { a: 2, b: 2 })).text).toBe('4')
    await host.restart('mine')
    expect((await host.call('mine__add', { a: 2, b: 3 })).text).toBe('5')
    await host.close()
    await using next = await hostOf({ mine: { server } })
    expect((await next.call('mine__add', { a: 3, b: 3 })).text).toBe('6')
  })

  test('D-17 tools that the program registers later appear with an event', async () => {
    const { onEvent, until } = collectEvents()
    const server = v1()
    await using host = await hostOf({ mine: { server } }, { on: onEvent })
    await host.ready()
    await host.connect('mine')
    server.registerTool('later', {}, () => ({ content: [] }))
    await until('catalog.changed', ({ added }) => added.includes('mine/later'))
    expect(namesOf(host)).toEqual(['mine__add', 'mine__later'])
  })

  test('D-17 an object that serves another host already is a failure of that server only', async () => {
    const server = v1()
    await using first = await hostOf({ mine: { server } })
    await first.connect('mine')
    await using second = await hostOf({ mine: { server }, other: { server: v2() } })
    await expect(second.connect('mine')).rejects.toMatchObject({ code: 'server.failed' })
    expect((await second.call('other__add', { a: 1, b: 1 })).text).toBe('2')
    expect((await first.call('mine__add', { a: 1, b: 1 })).text).toBe('2')
  })

  test('D-17 when the program closes the object, the server is down; the next call connects it again', async () => {
    const { onEvent, until } = collectEvents()
    const server = v1()
    await using host = await hostOf({ mine: { server } }, { on: onEvent })
    await host.ready()
    await host.connect('mine')
    await server.close()
    await until('server.changed', ({ status }) => status.reason === 'crashed')
    expect((await host.call('mine__add', { a: 4, b: 4 })).text).toBe('8')
  })

  test('D-17 messages are copied, and an answer that is not JSON fails its request', async () => {
    const received: unknown[] = []
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      },
      'tools/list': { tools: [] },
      'bad/answer': { number: 5n },
    }
    const server: InProcessServer = {
      async connect(transport: InProcessTransport) {
        const onmessage = (message: { readonly id?: number; readonly method: string }) => {
          received.push(message)
          const result = results[message.method]
          const answer = result ? { result } : { error: { code: -32601, message: 'no' } }
          if (message.id !== undefined)
            transport.send({ jsonrpc: '2.0', id: message.id, ...answer }).catch(() => undefined)
        }
        Object.assign(transport, { onmessage })
        await transport.start()
      },
    }
    await using host = await hostOf({ mine: { server } })
    const params = { list: ['a'] }
    const answer = host.request('mine', 'tools/list', params)
    await answer
    await expect(host.request('mine', 'bad/answer')).rejects.toMatchObject({ code: 'request.refused' })
    expect(received).toContainEqual(expect.objectContaining({ method: 'tools/list' }))
    expect(received.some((message) => (message as { params?: unknown }).params === params)).toBe(false)
    await expect(host.request('mine', 'unknown/method')).rejects.toMatchObject({ code: 'request.refused' })
  })

  test.each<readonly [string, string, () => object]>([
    [
      'its onclose throws after connect failed',
      'The server object could not be connected: no',
      () => ({ onclose: throwing('onclose'), start: throwing('no') }),
    ],
    [
      'its onclose rejects',
      'The server object could not be connected: no',
      () => ({ onclose: () => Promise.reject(new Error('onclose')), start: throwing('no') }),
    ],
    [
      'its onmessage and onerror throw',
      'The server object failed: onerror',
      () => ({ onmessage: throwing('onmessage'), onerror: throwing('onerror') }),
    ],
    [
      'its onmessage rejects and it has no onerror',
      'The server object failed: onmessage',
      () => ({ onmessage: () => Promise.reject(new Error('onmessage')) }),
    ],
  ])('D-17 a server object fails alone if %s', async (_, message, fault) => {
    const server: InProcessServer = {
      async connect(transport) {
        await Object.assign(transport, fault()).start()
      },
    }
    const faults = collectFaults()
    await using host = await hostOf({ bad: { server }, good: { server: v1() } })
    await expect(host.connect('bad')).rejects.toMatchObject({ message: expect.stringContaining(message) })
    expect((await host.call('good__add', { a: 1, b: 1 })).text).toBe('2')
    await host.close()
    expect(await faults()).toEqual([])
  })

  test('D-17 such a server has no values to resolve', async () => {
    const { resolveServer } = await import('../src/config.ts')
    await using host = await hostOf({ mine: { server: v1() } })
    const [server] = host.discovery.servers
    if (!server) throw new Error('there is one')
    expect(server.transport).toEqual({ kind: 'channel', url: 'code:mine', headers: {} })
    await expect(resolveServer(server)).rejects.toMatchObject({ code: 'config.invalid' })
  })
})
