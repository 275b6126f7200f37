import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine } from '../support/gateway.ts'

const hour = 60 * 60 * 1000

interface EchoAnswer {
  readonly id: number
  readonly result?: {
    readonly content: readonly { readonly text: string }[]
    readonly structuredContent: { readonly pid: number }
  }
}

/** 1,000 of each client with PLUGBOARD_GATEWAY_WHOLE=1. */
const callsOfEach = process.env['PLUGBOARD_GATEWAY_WHOLE'] ? 1000 : 100

/** Calls over one connection, ten at a time; the ids begin at 0. */
async function callInTurn(
  { url, token }: GatewayMachine,
  client: number,
  onAnswer: (id: number, answer: EchoAnswer) => void,
): Promise<number> {
  const { host, port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  const isModern = client % 2 === 1
  const send = (id: number) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'echo__echo', arguments: { client, id }, ...(isModern && { _meta: meta }) }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const modern = 'mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: echo__echo\r\n'
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
        `${isModern ? modern : ''}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
  for (let id = 0; id < 10; id++) send(id)
  let held = ''
  let next = 0
  for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) {
    held += chunk
    for (;;) {
      const start = held.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/i.exec(held.slice(0, start))?.[1])
      if (start < 4 || held.length < start + length) break
      onAnswer(next, JSON.parse(held.slice(start, start + length)) as EchoAnswer)
      held = held.slice(start + length)
      if (next + 10 < callsOfEach) send(next + 10)
      next++
    }
    if (next === callsOfEach) break
  }
  socket.destroy()
  return next
}

describe('clients of one gateway', () => {
  test('T38 50 clients with many calls each, all from id 0 on: no answer reaches another client', async () => {
    await using started = await startGateway({ echo: echoServer() })
    await started.legacy('tools/list')
    const wrong: unknown[] = []
    const pids = new Set<unknown>()
    const answered = await Promise.all(
      Array.from({ length: 50 }, (_, client) =>
        callInTurn(started, client, (id, { id: of, result }) => {
          if (of !== id || result?.content[0]?.text !== JSON.stringify({ client, id }))
            wrong.push({ client, id, of, result })
          pids.add(result?.structuredContent.pid)
        }),
      ),
    )
    expect(wrong).toEqual([])
    expect(answered.reduce((sum, each) => sum + each, 0)).toBe(50 * callsOfEach)
    // One process serves all of them.
    expect(pids.size).toBe(1)
  }, 600_000)

  test.each(['legacy', 'modern'] as const)(
    'FI-85 a client that leaves in the middle of a call cancels it at the server (%s)',
    async (era) => {
      await using started = await startGateway({ echo: echoServer() })
      await started[era]('tools/list')
      const leaving = new AbortController()
      const hanging = started[era]('tools/call', { name: 'echo__hang' }, { id: 7, signal: leaving.signal })
      const isSent = new Promise<void>((resolve) => {
        started.gateway.host.on((event) => event.type === 'call.started' && resolve())
      })
      await Promise.race([isSent, hanging])
      leaving.abort()
      await expect(hanging).rejects.toThrow('abort')
      // Another client uses the same id, and gets its own answer.
      const answer = await started[era]('tools/call', { name: 'echo__cancelled' }, { id: 7 })
      expect(textOf(answer)).toBe('1')
    },
  )

  test('T31 the token of a client never reaches a server, nor does what describes the hop', async () => {
    const received: string[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        if (request.method !== 'POST') return response.writeHead(405).end()
        received.push(JSON.stringify(request.rawHeaders) + body)
        const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: object }
        response.setHeader('content-type', 'application/json')
        if (id === undefined) return response.writeHead(202).end()
        const result = {
          initialize: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'x', version: '1' },
          },
          'tools/list': { tools: [{ name: 'seen', inputSchema: { type: 'object' } }] },
          'tools/call': { content: [{ type: 'text', text: JSON.stringify(params) }] },
        }[method]
        return response.end(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            ...(result ? { result } : { error: { code: -32601, message: '' } }),
          }),
        )
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await using started = await startGateway({ remote: { type: 'http', url: `http://127.0.0.1:${port}/` } })
    const params = { name: 'remote__seen', arguments: { a: 1 }, _meta: { traceparent: '00-1-2-01' } }
    const seen = JSON.parse(textOf(await started.modern('tools/call', params)) ?? '') as {
      _meta: Record<string, unknown>
    }
    expect(Object.keys(seen._meta).sort()).toEqual(['progressToken', 'traceparent'])
    expect(received.length).toBeGreaterThan(2)
    expect(received.filter((each) => each.includes(started.token))).toEqual([])
    expect(received.filter((each) => /authorization/i.test(each))).toEqual([])
    server.close()
    server.closeAllConnections()
  })

  test('T26 lists are private to their caller, and no longer valid than an hour', async () => {
    await using started = await startGateway({ echo: echoServer() })
    for (const method of ['tools/list', 'resources/list', 'prompts/list', 'server/discover']) {
      const { body } = await started.modern(method)
      expect(body.result).toMatchObject({ cacheScope: 'private' })
      expect(body.result?.['ttlMs']).toBeLessThanOrEqual(hour)
    }
  })

  test.each<[string, Record<string, string>, number]>([
    ['no token', { authorization: '' }, 401],
    ['another token', { authorization: 'Bearer x' }, 401],
    ['a page of another origin', { origin: 'http://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another type than JSON', { 'content-type': 'text/plain' }, 415],
  ])('T36 a request with %s is refused before it is read', async (_, headers, status) => {
    await using started = await startGateway({ echo: echoServer() })
    const answer = await started.legacy('tools/call', { name: 'echo__crash' }, { headers })
    expect(answer.status).toBe(status)
    expect(started.gateway.host.servers().map(({ status: { state } }) => state)).toEqual(['idle'])
  })
})
