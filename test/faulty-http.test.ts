import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../src/platform/node/node-platform.ts'
import { startFaultyHttp } from '../src/testing/faulty-http.ts'
import type { FaultyScript, Step } from '../src/testing/faulty-server.ts'
import { call } from './support/programs/raw-server.ts'

const { spawn } = nodePlatform()
const start = (script: FaultyScript = {}, mode: 'http' | 'sse' = 'http') =>
  startFaultyHttp(script, { spawn, mode })
const onCall = (step: Step, script: FaultyScript = {}) =>
  start({ sessions: false, ...script, on: { ...script.on, 'tools/call': step } })

const accept = 'application/json, text/event-stream'

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request with node:http, without our own client. Rejects if the response breaks before its head. */
function ask(url: URL, options: RequestOptions, body = ''): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ...options, headers: { accept, ...options.headers } }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

const post = (url: URL, message: object, headers: Record<string, string> = {}) =>
  ask(url, { method: 'POST', headers }, JSON.stringify({ jsonrpc: '2.0', ...message }))

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
const textOf = async (response: IncomingMessage) => (await bytesOf(response)).toString()
const jsonOf = async (response: IncomingMessage): Promise<unknown> => JSON.parse(await textOf(response))

/** Reads a stream until this text arrives. */
async function readUntil(response: IncomingMessage, end: string): Promise<string> {
  let text = ''
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (text.includes(end)) return text
  }
  return text
}

const good = (id: unknown, name = 'a') => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: `{"name":"${name}","arguments":{}}` }] },
})
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe('faulty server, Streamable HTTP, legacy era', () => {
  test('sessions: starts one, requires it, loses it after sessionLostAfter requests, and ends it', async () => {
    await using server = await start({ sessionLostAfter: 2 })
    const greeting = await post(server.url, { id: 1, method: 'initialize', params: {} })
    const session = { 'mcp-session-id': String(greeting.headers['mcp-session-id']) }
    expect(await jsonOf(greeting)).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } })
    const statuses = [
      (await post(server.url, { method: 'notifications/initialized' }, session)).statusCode,
      (await post(server.url, { id: 2, method: 'ping' }, session)).statusCode,
      (await post(server.url, { id: 3, method: 'ping' }, session)).statusCode,
      (await post(server.url, { id: 4, method: 'ping' })).statusCode,
      (await ask(server.url, { method: 'DELETE', headers: session })).statusCode,
      (await ask(new URL('/.well-known/x', server.url), { method: 'GET' })).statusCode,
      (await ask(server.url, { method: 'POST', headers: { accept: 'text/html' } }, '{}')).statusCode,
    ]
    expect(statuses).toEqual([202, 200, 404, 400, 404, 404, 406])
  })

  test('answers on a stream if a message precedes the answer, or with respond: sse', async () => {
    await using server = await onCall([{ notify: 'notifications/message' }, 'answer'])
    const response = await post(server.url, call(1, 'a'))
    expect([response.headers['content-type'], await textOf(response)]).toEqual([
      'text/event-stream',
      `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n` +
        `event: message\ndata: ${JSON.stringify(good(1))}\n\n`,
    ])
    await using always = await onCall('answer', { respond: 'sse' })
    expect(await textOf(await post(always.url, call(1, 'a')))).toBe(
      `event: message\ndata: ${JSON.stringify(good(1))}\n\n`,
    )
  })

  test('eventIds: a dropped stream resumes after the last event', async () => {
    await using server = await onCall(
      [
        { notify: 'n/1' },
        { event: { retry: 5, comment: 'soon' } },
        'drop',
        { until: 'GET' },
        { notify: 'n/2' },
        'answer',
      ],
      { eventIds: true },
    )
    expect(await textOf(await post(server.url, call(1, 'a')))).toBe(
      'id: 1-0\ndata:\n\nid: 1-1\nevent: message\ndata: {"jsonrpc":"2.0","method":"n/1"}\n\n: soon\nretry: 5\n\n',
    )
    const again = await ask(server.url, { method: 'GET', headers: { 'last-event-id': '1-1' } })
    expect(await textOf(again)).toBe(
      'id: 1-2\nevent: message\ndata: {"jsonrpc":"2.0","method":"n/2"}\n\n' +
        `id: 1-3\nevent: message\ndata: ${JSON.stringify(good(1))}\n\n`,
    )
  })

  test('push: sends notifications and requests on the stream of a GET', async () => {
    await using server = await onCall([{ push: { listChanged: 'tools' } }, 'answer'])
    const stream = await ask(server.url, { method: 'GET' })
    expect(await jsonOf(await post(server.url, call(1, 'a')))).toEqual(good(1))
    expect(await readUntil(stream, '\n\n')).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
    )
    stream.destroy()
  })

  test('abort: reports that the client closed a response early', async () => {
    await using server = await onCall([
      { notify: 'n/1' },
      { until: 'abort' },
      { push: { notify: 'n/aborted' } },
    ])
    const stream = await ask(server.url, { method: 'GET' })
    const response = await post(server.url, call(1, 'a'))
    await readUntil(response, '\n\n')
    response.destroy()
    expect(await readUntil(stream, '\n\n')).toContain('n/aborted')
    const journal = (await jsonOf(await ask(new URL('/journal', server.url), {}))) as readonly Record<
      string,
      unknown
    >[]
    expect(
      journal.map(({ event, method, path, message, id }) => ({ event, method, path, message, id })),
    ).toEqual([
      { event: 'start' },
      { method: 'GET', path: '/mcp' },
      { method: 'POST', path: '/mcp', message: { jsonrpc: '2.0', ...call(1, 'a') } },
      { event: 'abort', method: 'tools/call', id: 1 },
    ])
    stream.destroy()
  })
})

describe('faulty server, Streamable HTTP, modern era', () => {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'a' }
  const message = { id: 1, method: 'tools/call', params: { name: 'a', _meta: meta } }

  test('checks the headers against the body, echoes the request, and has no sessions', async () => {
    await using server = await start({ era: 'modern', on: { 'tools/call:a': 'echo' } })
    const response = await post(server.url, message, { ...headers, 'mcp-name': '=?base64?YQ==?=' })
    const { result } = (await jsonOf(response)) as { result: { content: { text: string }[] } }
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      params: message.params,
      method: 'POST',
      path: '/mcp',
      headers: { 'mcp-name': '=?base64?YQ==?=' },
    })
    const wrong = await post(server.url, message, { ...headers, 'mcp-name': 'b' })
    expect([wrong.statusCode, await jsonOf(wrong)]).toEqual([
      400,
      { jsonrpc: '2.0', id: 1, error: { code: -32020, message: 'Header mismatch: mcp-name' } },
    ])
    const unknown = await post(
      server.url,
      { id: 2, method: 'nope', params: { _meta: meta } },
      { ...headers, 'mcp-method': 'nope' },
    )
    const statuses = [unknown.statusCode, (await ask(server.url, { method: 'GET' })).statusCode]
    const legacy = await post(server.url, { id: 3, method: 'tools/list' })
    expect([...statuses, legacy.statusCode]).toEqual([404, 405, 400])
  })

  test('endListen drop: closes an open subscription without a message', async () => {
    await using server = await start({
      era: 'modern',
      on: { 'tools/call': [{ listChanged: 'tools' }, { endListen: 'drop' }, 'answer'] },
    })
    const params = { _meta: meta, notifications: { toolsListChanged: true } }
    const stream = await post(
      server.url,
      { id: 7, method: 'subscriptions/listen', params },
      { ...headers, 'mcp-method': 'subscriptions/listen' },
    )
    await readUntil(stream, 'acknowledged')
    await post(server.url, message, headers)
    const rest = await textOf(stream)
    expect(rest).toContain('notifications/tools/list_changed')
    expect(rest).not.toContain('"result"')
  })
})

describe('faulty server, invalid HTTP responses', () => {
  test.each<[Step, number, Record<string, string>, string]>([
    [{ http: { status: 503, headers: { 'retry-after': '2' } } }, 503, { 'retry-after': '2' }, ''],
    [
      { http: { status: 401, headers: { 'www-authenticate': 'Bearer' } } },
      401,
      { 'www-authenticate': 'Bearer' },
      '',
    ],
    [
      { http: { headers: { 'content-type': 'text/html' }, body: '<p>' } },
      200,
      { 'content-type': 'text/html' },
      '<p>',
    ],
    [{ http: { body: { a: 1 } } }, 200, { 'content-type': 'application/json' }, '{"a":1}'],
    [{ http: { status: 204 } }, 204, {}, ''],
    [{ redirect: { to: 'http://127.0.0.1:1/', status: 308 } }, 308, { location: 'http://127.0.0.1:1/' }, ''],
    [{ slow: 1 }, 200, { 'content-type': 'application/json' }, JSON.stringify(good(1))],
  ])('%j', async (step, status, headers, body) => {
    await using server = await onCall(step)
    const response = await post(server.url, call(1, 'a'))
    expect(response.headers).toMatchObject(headers)
    expect([response.statusCode, await textOf(response)]).toEqual([status, body])
  })

  test('a step for an HTTP method or a path, with pass from the second time on', async () => {
    await using server = await start({
      sessions: false,
      on: {
        'POST:/mcp': { redirect: { to: '/mcp/moved' } },
        POST: { each: [{ http: { status: 500 } }, 'pass'] },
        'GET:/.well-known/x': { http: { body: { issuer: 'y' } } },
      },
    })
    const moved = new URL('/mcp/moved', server.url)
    expect((await post(server.url, call(1, 'a'))).headers.location).toBe('/mcp/moved')
    expect((await post(moved, call(2, 'a'))).statusCode).toBe(500)
    expect(await jsonOf(await post(moved, call(3, 'a')))).toEqual(good(3))
    expect(await jsonOf(await ask(new URL('/.well-known/x', server.url), {}))).toEqual({ issuer: 'y' })
  })

  test('loseSessions: forgets all sessions', async () => {
    await using server = await start({ on: { 'tools/call': ['loseSessions', 'answer'] } })
    const greeting = await post(server.url, { id: 1, method: 'initialize', params: {} })
    const session = { 'mcp-session-id': String(greeting.headers['mcp-session-id']) }
    expect(await jsonOf(await post(server.url, call(2, 'a'), session))).toEqual(good(2))
    expect((await post(server.url, call(3, 'a'), session)).statusCode).toBe(404)
  })

  test('reset: before and after the head', async () => {
    await using early = await onCall('reset')
    await expect(post(early.url, call(1, 'a'))).rejects.toMatchObject({ code: 'ECONNRESET' })
    await using late = await onCall([{ open: { headers: { 'content-type': 'application/json' } } }, 'reset'])
    const response = await post(late.url, call(1, 'a'))
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('socket and closeSocket: write raw bytes, then close', async () => {
    await using server = await onCall([
      { socket: 'HTTP/1.1 299 Odd\r\ncontent-length: 9\r\n\r\nhalf' },
      'closeSocket',
    ])
    const response = await post(server.url, call(1, 'a'))
    expect(response.statusCode).toBe(299)
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('get false: refuses the GET stream', async () => {
    await using server = await start({ get: false, sessions: false })
    expect((await ask(server.url, { method: 'GET' })).statusCode).toBe(405)
  })

  test('startFaultyHttp: rejects with the reason if the script is invalid', async () => {
    await expect(start({ on: { ping: 'anwser' } })).rejects.toThrow('the faulty server did not start')
  })

  test('stallHeaders and stallBody: send nothing more until the client closes', async () => {
    await using server = await start({
      sessions: false,
      on: { 'tools/call:head': 'stallHeaders', 'tools/call:body': 'stallBody' },
    })
    const stalled = post(server.url, call(1, 'head')).catch((error: unknown) => error)
    const response = await post(server.url, call(2, 'body'))
    expect(await readUntil(response, 'result')).toMatch(/^\{"jsonrpc":"2.0","id":2,"result"/)
    await server.close()
    expect(await stalled).toMatchObject({ code: 'ECONNRESET' })
    await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('wrongLength and manyHeaders', async () => {
    await using server = await start({
      sessions: false,
      on: {
        'tools/call:long': { wrongLength: 5 },
        'tools/call:short': { wrongLength: -5 },
        'tools/call:heads': { manyHeaders: 3000 },
      },
    })
    await expect(post(server.url, call(1, 'long')).then(textOf)).rejects.toMatchObject({ code: 'ECONNRESET' })
    const short = JSON.stringify(good(2, 'short')).slice(0, -5)
    const response = await post(server.url, call(2, 'short'))
    expect(response.headers['content-length']).toBe(String(short.length))
    expect(await readUntil(response, short)).toBe(short)
    await expect(post(server.url, call(3, 'heads'))).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' })
  })

  test('gzip, gzipBomb and endless', async () => {
    await using server = await start({
      sessions: false,
      on: {
        'tools/call:packed': 'gzip',
        'tools/call:bomb': { gzipBomb: 5_000_000 },
        'tools/call:endless': { endless: {} },
      },
    })
    const packed = await bytesOf(await post(server.url, call(1, 'packed')))
    expect(JSON.parse(gunzipSync(packed).toString())).toEqual(good(1, 'packed'))
    const bomb = await bytesOf(await post(server.url, call(2, 'bomb')))
    const unpacked = JSON.parse(gunzipSync(bomb).toString())
    expect([bomb.length < 20_000, unpacked.result.content[0].text.length]).toEqual([true, 5_000_000])
    const endless = await post(server.url, call(3, 'endless'))
    expect((await readUntil(endless, 'x'.repeat(100_000))).length).toBeGreaterThan(100_000)
    endless.destroy()
  })
})

describe('faulty server, HTTP+SSE', () => {
  test('names the endpoint and answers on the stream', async () => {
    await using server = await start({}, 'sse')
    const stream = await ask(server.url, {})
    expect(await readUntil(stream, '\n\n')).toBe('event: endpoint\ndata: /message?session=1\n\n')
    const response = await post(new URL('/message?session=1', server.url), call(1, 'a'))
    expect([response.statusCode, await textOf(response)]).toEqual([202, 'Accepted'])
    expect(await readUntil(stream, '\n\n')).toBe(`event: message\ndata: ${JSON.stringify(good(1))}\n\n`)
    stream.destroy()
    expect((await post(server.url, call(2, 'a'))).statusCode).toBe(405)
    expect((await post(new URL('/message?session=9', server.url), call(2, 'a'))).statusCode).toBe(404)
  })

  test.each([
    ['twice', 'event: endpoint\ndata: /message?session=1\n\nevent: endpoint\ndata: /other?session=1\n\n'],
    ['http://192.0.2.1/x', 'event: endpoint\ndata: http://192.0.2.1/x\n\n'],
  ])('endpoint %s', async (endpoint, expected) => {
    await using server = await start({ endpoint }, 'sse')
    const stream = await ask(server.url, {})
    expect(await readUntil(stream, expected)).toBe(expected)
    stream.destroy()
  })

  test('endpoint never sends no event, and drop ends the stream', async () => {
    await using silent = await start({ endpoint: 'never', on: { '*': 'hang' } }, 'sse')
    const stream = await ask(silent.url, {})
    const ended = textOf(stream).catch((error: unknown) => error)
    await silent.close()
    expect(await ended).toMatchObject({ code: 'ECONNRESET' })

    await using server = await start(
      { on: { 'tools/call': 'dropStreams', ping: { http: { status: 500 } } } },
      'sse',
    )
    const open = await ask(server.url, {})
    await readUntil(open, '\n\n')
    expect(
      (await post(new URL('/message?session=1', server.url), { id: 1, method: 'ping' })).statusCode,
    ).toBe(500)
    await post(new URL('/message?session=1', server.url), call(1, 'a'))
    expect(await textOf(open)).toBe('')
  })
})
