import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { startFaultyHttp } from '../../src/testing/faulty-http.ts'
import { did, outcome, remoteHost, serveMcp, tool } from '../support/remote.ts'
import type { McpRequest, McpOptions, McpStep } from '../support/remote.ts'

const stream = { 'content-type': 'text/event-stream' }
const { spawn } = nodePlatform()

/** HTTP+SSE at one address: a GET opens the stream; a POST there is refused with this status. */
async function serveSse(refusal: number, said: (id: number | undefined) => unknown = () => undefined) {
  let open: McpRequest | undefined
  const answer = (asked: McpRequest) => {
    if (asked.path !== '/messages') return refuse(asked)
    asked.status(202)
    const { id, method } = asked.message
    if (id === undefined) return
    const result =
      method === 'initialize'
        ? { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'old', version: '1' } }
        : method === 'tools/list'
          ? { tools: [tool('work')] }
          : did().answer
    open?.response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  }
  const refuse = ({ message, status }: McpRequest) => {
    const body = said(message.id)
    if (body === undefined) return status(refusal)
    return status(refusal, { 'content-type': 'application/json' }, JSON.stringify(body))
  }
  const begin: McpStep = (asked) => {
    open = asked
    asked.response.writeHead(200, stream).write('event: endpoint\ndata: /messages\n\n')
  }
  return serveMcp({ '*': answer, GET: begin })
}

const verbs = (asked: readonly McpRequest[]) => [...new Set(asked.map(({ method }) => method))]

describe('D-3, C6 an entry with type Streamable HTTP', () => {
  test.each([400, 404, 405])('D-3 %i: falls back to HTTP+SSE', async (status) => {
    const server = await serveSse(status)
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.call())).toEqual(did())
    expect(x.host.servers()[0]?.status).toMatchObject({
      state: 'ready',
      era: 'legacy',
      version: '2024-11-05',
    })
    await x.otherAnswers()
  })

  test.each([
    ['an API error', () => ({ error: { code: 404, message: 'Not Found' } })],
    [
      'a JSON-RPC error without an id',
      () => ({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no' } }),
    ],
    ['a JSON-RPC error', (id: unknown) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })],
  ])('D-3 with %s in the body as well, the status decides: falls back to HTTP+SSE', async (_what, said) => {
    for (const status of [400, 404, 405]) {
      const server = await serveSse(status, said)
      const x = await remoteHost({ type: 'http', url: server.url.href })
      expect(await outcome(x.call())).toEqual(did())
    }
  })

  test('D-3 a modern error comes from an MCP server: no fallback', async () => {
    const refusal = (id: unknown) => ({ jsonrpc: '2.0', id, error: { code: -32021, message: 'no' } })
    const server = await serveSse(400, refusal)
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.list())).toMatchObject({ code: 'server.failed' })
    expect(verbs(server.requests)).toEqual(['POST'])
  })

  test('a 404 is reported as HTTP 404, whatever error its body holds', async () => {
    const server = await serveMcp({
      '*': ({ status }) =>
        status(404, { 'content-type': 'application/json' }, '{"error":{"code":404,"message":"Gone"}}'),
    })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    await expect(x.list()).rejects.toThrow('HTTP 404')
  })

  test.each([
    [401, 'server.needs-auth', 'auth'],
    [403, 'server.failed', 'forbidden'],
    [500, 'server.failed', 'upstream'],
    [502, 'server.failed', 'upstream'],
    [503, 'server.failed', 'upstream'],
  ])('D-3 %i: no fallback', async (status, code, failure) => {
    const server = await serveSse(status)
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.list())).toEqual({ code, failure })
    expect(verbs(server.requests)).toEqual(['POST'])
  })

  test('D-3 if both transports fail, the error of the declared one is reported', async () => {
    const server = await serveMcp({ '*': ({ status }) => status(404) })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const error = await x.list().catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'server.failed', data: { failure: { code: 'protocol' } } })
    expect((error as Error).message).toContain('HTTP 404')
    expect(verbs(server.requests)).toEqual(['POST', 'GET'])
  })

  test('D-3 if the fallback requires a login, that is reported', async () => {
    const server = await serveMcp({ '*': ({ status }) => status(404), GET: ({ status }) => status(401) })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.list())).toEqual({ code: 'server.needs-auth', failure: 'auth' })
  })
})

describe('D-3, C6 an entry with type HTTP+SSE', () => {
  test('works against the faulty server', async () => {
    await using server = await startFaultyHttp({}, { spawn, mode: 'sse' })
    const x = await remoteHost({ type: 'sse', url: server.url.href })
    expect(await x.list()).toHaveLength(1)
    await x.otherAnswers()
  })

  test.each([404, 405])('D-3 %i: falls back to Streamable HTTP', async (status) => {
    const server = await serveMcp({ GET: (asked) => asked.status(status) })
    const x = await remoteHost({ type: 'sse', url: server.url.href })
    expect(await outcome(x.call())).toEqual(did())
    expect(server.requests[0]?.method).toBe('GET')
  })

  test.each([
    [400, 'server.failed', 'protocol'],
    [401, 'server.needs-auth', 'auth'],
    [403, 'server.failed', 'forbidden'],
    [503, 'server.failed', 'upstream'],
  ])('D-3 %i: no fallback', async (status, code, failure) => {
    const server = await serveMcp({ GET: (asked) => asked.status(status) })
    const x = await remoteHost({ type: 'sse', url: server.url.href })
    expect(await outcome(x.list())).toEqual({ code, failure })
    expect(verbs(server.requests)).toEqual(['GET'])
  })

  test('a stream that drops in the middle of a call leaves its outcome unknown, and the next call opens a new one', async () => {
    await using server = await startFaultyHttp(
      { on: { 'tools/call:drop': 'dropStreams' } },
      { spawn, mode: 'sse' },
    )
    const x = await remoteHost({ type: 'sse', url: server.url.href })
    expect(await outcome(x.call('drop'))).toEqual({
      code: 'call.outcome-unknown',
      failure: 'closed',
      sent: true,
    })
    expect(await x.list()).toHaveLength(1)
    await x.otherAnswers()
  })
})

describe('B7, P1 remote transports under BooCode', () => {
  const boocode = (entry: object, sources: readonly ['boocode' | 'plugboard'] = ['boocode']) =>
    remoteHost({}, { preset: 'boocode', sources, text: JSON.stringify({ mcpServers: { x: entry } }) })

  test('B7 an sse entry in its own file is left out with a message', async () => {
    const server = await serveSse(405)
    const { host } = await boocode({ type: 'sse', url: server.url.href })
    expect(host.discovery.diagnostics.map(({ code, message }) => ({ code, message }))).toEqual([
      { code: 'unsupported-transport', message: 'The transport "sse" is not supported.' },
    ])
    expect([host.servers(), server.requests]).toEqual([[], []])
  })

  test('B7 an sse entry from another source is refused with a message, and nothing is sent', async () => {
    const server = await serveSse(405)
    const { host } = await boocode({ type: 'sse', url: server.url.href }, ['plugboard'])
    await expect(host.connect('x')).rejects.toMatchObject({
      code: 'server.failed',
      message: 'Failed to connect to "x": BooCode has no SSE transport: use streamableHttp or stdio.',
    })
    expect(host.servers()[0]?.status).toMatchObject({
      state: 'failed',
      failure: { hint: 'Change its entry: plugboard why x' },
    })
    expect(server.requests).toHaveLength(0)
  })

  test('P1 streamableHttp starts with initialize, without a probe and without a fallback', async () => {
    const server = await serveSse(405)
    const x = await boocode({ type: 'streamableHttp', url: server.url.href })
    expect(await outcome(x.list())).toMatchObject({ code: 'server.failed' })
    expect(verbs(server.requests)).toEqual(['POST'])
    expect(new Set(server.requests.map(({ message }) => message.method))).toEqual(new Set(['initialize']))
  })
})

describe('HTTP headers of the modern era', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const tools = [
    tool('good', { region, size: { type: 'integer', 'x-mcp-header': 'Size' }, plain: { type: 'string' } }),
    tool('steals', { token: { type: 'string', 'x-mcp-header': 'Authorization' } }),
    tool('broken', { x: { type: 'string', 'x-mcp-header': 'no token' } }),
    tool('twice', { a: region, b: region }),
    tool('plain'),
  ]
  const modern: McpOptions = { era: 'modern', tools }

  test('T25 only tools with a bad x-mcp-header are left out, each with the reason', async () => {
    const server = await serveMcp({}, modern)
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const listed = await x.host.list('x', 'tools')
    expect(listed.items).toEqual([tools[0], tools[4]])
    expect(listed.quarantined.map((each) => each.tool)).toEqual(['steals', 'broken', 'twice'])
    const warned = x.events.flatMap((event) => (event.type === 'server.warned' ? [event.message] : []))
    expect(warned).toHaveLength(3)
  })

  test('T25 arguments are mirrored into encoded Mcp-Param headers; the legacy era has none', async () => {
    for (const era of ['modern', 'legacy'] as const) {
      const server = await serveMcp({}, { ...modern, era })
      const x = await remoteHost({ type: 'http', url: server.url.href })
      await x.call('good', { region: 'Zürich', size: 3, plain: 'hidden' })
      const headers = server.of('tools/call')[0]?.headers ?? {}
      const mirrored = Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-'))
      expect(Object.fromEntries(mirrored)).toEqual(
        era === 'legacy'
          ? {}
          : {
              'mcp-param-region': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
              'mcp-param-size': '3',
            },
      )
      expect(server.of('tools/list')).toHaveLength(era === 'legacy' ? 0 : 1)
    }
  })

  test('T25 an entry cannot override a protocol header', async () => {
    const server = await serveMcp({}, modern)
    const headers = { 'Mcp-Method': 'other', 'MCP-Protocol-Version': '1999-01-01', 'X-Own': 'yes' }
    const x = await remoteHost({ type: 'http', url: server.url.href, headers })
    await x.call('plain')
    expect(server.of('tools/call')[0]?.headers).toMatchObject({
      'mcp-method': 'tools/call',
      'mcp-name': 'plain',
      'mcp-protocol-version': '2026-07-28',
      'x-own': 'yes',
    })
  })

  test('MCP-Protocol-Version, Mcp-Method and Mcp-Name are on every request, with names beyond ASCII encoded', async () => {
    const server = await serveMcp({}, { era: 'modern' })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    await x.call('größe')
    const seen = server.requests.map(({ headers }) => [
      headers['mcp-protocol-version'],
      headers['mcp-method'],
      headers['mcp-name'],
    ])
    expect(seen).toEqual([
      ['2026-07-28', 'server/discover', undefined],
      ['2026-07-28', 'tools/list', undefined],
      ['2026-07-28', 'tools/call', `=?base64?${Buffer.from('größe').toString('base64')}?=`],
    ])
  })

  test('a call waits for the tool list that it needs within its timeout, and can be cancelled meanwhile', async () => {
    const server = await serveMcp({ 'tools/list': () => undefined }, modern)
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const cancel = new AbortController()
    const calls = [
      x.call('good', {}, { signal: cancel.signal }),
      x.call('good', {}, { signal: cancel.signal }),
    ]
    await server.until('tools/list')
    cancel.abort()
    expect(await Promise.all(calls.map(outcome))).toEqual([
      { code: 'call.cancelled', sent: false },
      { code: 'call.cancelled', sent: false },
    ])
    expect([server.of('tools/list').length, server.of('tools/call').length]).toEqual([1, 0])
    await x.otherAnswers()
  })
})
