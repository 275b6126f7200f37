import { describe, expect, test } from 'vitest'
import {
  answerJson,
  answerStatus,
  event,
  failureOf,
  fault,
  listenTo,
  openEvents,
  result,
  until,
} from '../../../test/support/http-channel.ts'
import { serve } from '../../../test/support/http-server.ts'
import type { RequestHandler, ReceivedRequest } from '../../../test/support/http-server.ts'
import { openStreamableHttp } from './streamable.ts'

const modern = '2026-07-28'
const idIn = ({ body }: ReceivedRequest) => (JSON.parse(body || '{}') as { id: number }).id // every body is written by these tests
const methodIn = ({ body }: ReceivedRequest) =>
  (JSON.parse(body || '{"method":""}') as { method: string }).method
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const

/** A legacy server with a session; other requests go to `handle`. */
function legacy(handle: RequestHandler): RequestHandler {
  return (request, response, raw) => {
    if (methodIn(request) === 'initialize') {
      return answerJson(response, result(idIn(request)), { 'mcp-session-id': 's-1' })
    }
    if (request.method === 'POST' && methodIn(request).startsWith('notifications/')) {
      return answerStatus(response, 202)
    }
    handle(request, response, raw)
  }
}

async function greet(url: URL, version = '2025-11-25') {
  const listening = await listenTo(openStreamableHttp, url)
  await listening.ask(1, 'initialize')
  listening.channel.speak(version)
  listening.channel.send(initialized)
  return listening
}

describe('Streamable HTTP: answers', () => {
  test('an answer as JSON', async () => {
    const server = await serve((request, response) => answerJson(response, result(idIn(request), { a: 1 })))
    const { ask } = await listenTo(openStreamableHttp, server.url)
    expect(await ask(7)).toEqual({ message: result(7, { a: 1 }) })
  })

  test('an answer on a stream, with other messages on it, ignoring comments', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
    const server = await serve((request, response) => {
      openEvents(
        response,
        ': hello',
        event(note),
        ': ping',
        `event: message\n${event(result(idIn(request), 'ü'))}`,
      )
      response.end()
    })
    const { ask, next } = await listenTo(openStreamableHttp, server.url)
    expect([await ask(1), await next()]).toEqual([{ message: note }, { message: result(1, 'ü') }])
  })

  test('answers to concurrent requests reach their own requests', async () => {
    const server = await serve((request, response) => answerJson(response, result(idIn(request))))
    const { channel, heard } = await listenTo(openStreamableHttp, server.url)
    for (let id = 1; id <= 50; id++) channel.send({ jsonrpc: '2.0', id, method: 'ping' })
    await until(() => heard.length === 50)
    expect(new Set(heard.map((one) => JSON.stringify(one))).size).toBe(50)
  })

  test('a stream that stays open after the answer is closed', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve((request, response) => {
      closed = new Promise((resolve) => response.once('close', resolve))
      openEvents(response, event(result(idIn(request))))
    })
    const { ask, clock } = await listenTo(openStreamableHttp, server.url)
    expect(await ask(1)).toEqual({ message: result(1) })
    await clock.advance(2000)
    await closed
  })

  test('an unreadable event fails only the request that it answers', async () => {
    const server = await serve((request, response) => {
      openEvents(response, 'data: {"jsonrpc":"2.0","method":', `data: {"id":${idIn(request)},"result":`)
    })
    const { ask, next } = await listenTo(openStreamableHttp, server.url)
    expect(await ask(1)).toMatchObject({ dropped: 'malformed' })
    expect(failureOf(await next())).toEqual({ code: 'protocol', sent: true, facts: { status: 200 } })
  })

  test('FI-11 bytes that are not UTF-8 fail their request', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(Buffer.from(`{"jsonrpc":"2.0","id":${idIn(request)},"result":"\xff"}`, 'latin1'))
    })
    const { ask } = await listenTo(openStreamableHttp, server.url)
    expect(failureOf(await ask(1))).toEqual({ code: 'protocol', sent: true, facts: { status: 200 } })
  })
})

describe('Streamable HTTP: legacy era', () => {
  test('the session id is kept, the version is sent once agreed, and close ends the session with DELETE', async () => {
    const server = await serve(
      legacy((request, response) => {
        if (request.method === 'GET') return answerStatus(response, 405)
        if (request.method === 'DELETE') return answerStatus(response, 200)
        answerJson(response, result(idIn(request)))
      }),
    )
    const { channel, ask } = await greet(server.url)
    await ask(2)
    await server.arrived(4)
    await channel.close()
    const sent = server.seen.map(({ method, headers, ...request }) => ({
      method: `${method} ${methodIn({ method, headers, ...request })}`.trim(),
      session: headers['mcp-session-id'],
      version: headers['mcp-protocol-version'],
      accept: headers['accept'],
    }))
    const both = 'application/json, text/event-stream'
    const later = { session: 's-1', version: '2025-11-25' }
    expect(sent.slice(0, 2)).toEqual([
      { method: 'POST initialize', session: undefined, version: undefined, accept: both },
      { method: 'POST notifications/initialized', ...later, accept: both },
    ])
    // The GET stream and the queued request are sent concurrently.
    expect(sent.slice(2, 4)).toContainEqual({ method: 'GET', ...later, accept: 'text/event-stream' })
    expect(sent.slice(2, 4)).toContainEqual({ method: 'POST tools/list', ...later, accept: both })
    expect(sent.slice(4)).toEqual([{ method: 'DELETE', ...later, accept: undefined }])
    expect(server.seen[0]?.headers).not.toHaveProperty('mcp-method')
  })

  test('messages are held back until the server has accepted notifications/initialized', async () => {
    let take = () => {}
    const server = await serve((request, response) => {
      if (methodIn(request) === 'notifications/initialized') take = () => response.writeHead(202).end()
      else answerJson(response, result(idIn(request)))
    })
    const { channel, next } = await greet(server.url)
    channel.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    channel.send({ jsonrpc: '2.0', id: 3, method: 'ping' })
    await server.arrived(2)
    expect(channel.abandon(2)).toBe('unsent')
    take()
    expect(await next()).toEqual({ message: result(3) })
  })

  test('an unserializable message fails alone, and messages held back with it are sent', async () => {
    let take = () => {}
    const server = await serve((request, response) => {
      if (methodIn(request) === 'notifications/initialized') take = () => answerStatus(response, 202)
      else answerJson(response, result(idIn(request)))
    })
    const { channel, heard } = await greet(server.url)
    const send = (id: number, value: unknown) =>
      channel.send({ jsonrpc: '2.0', id, method: 'x', params: { value: value as string } }) // the types forbid it
    send(2, 'a')
    expect(() => send(3, 1n)).toThrow(TypeError)
    send(4, 'c')
    expect(channel.abandon(3)).toBe('untold')
    await server.arrived(2)
    take()
    await until(() => heard.length === 3)
    expect(new Set(heard)).toEqual(new Set([1, 2, 4].map((id) => ({ message: result(id) }))))
  })

  test('T24 a server that keeps asking and does not accept our answers gets at most 256', async () => {
    const held: (() => void)[] = []
    const server = await serve((request, response) => {
      if (methodIn(request) === 'tools/list') answerJson(response, result(idIn(request)))
      else held.push(() => answerStatus(response, 202))
    })
    const { channel, heard, ask } = await listenTo(openStreamableHttp, server.url, {
      http: { maxConnections: 400 },
    })
    for (let id = 0; id < 100_000; id++) channel.send({ jsonrpc: '2.0', id, result: {} })
    channel.send({ jsonrpc: '2.0', method: 'notifications/x' })
    expect(heard.length).toBe(100_001 - 256)
    expect(new Set(heard.map((each) => 'dropped' in each && each.dropped))).toEqual(new Set(['untaken']))
    const before = heard.length
    await ask(1)
    await until(() => heard.length === before + 1 && held.length === 256)
    expect(heard.at(-1)).toEqual({ message: result(1) })
    for (const take of held) take()
    // The server accepted each of the first ones: there is room again.
    await until(() => {
      const dropped = heard.length
      channel.send({ jsonrpc: '2.0', id: 0, result: {} })
      return heard.length === dropped
    })
  })

  test('a server that never accepts notifications/initialized holds other messages up for 5 s only', async () => {
    const server = await serve((request, response) => {
      if (methodIn(request) !== 'notifications/initialized') answerJson(response, result(idIn(request)))
    })
    const { channel, next, clock } = await greet(server.url)
    channel.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    await server.arrived(2)
    await clock.advance(5000)
    expect(await next()).toEqual({ message: result(2) })
  })

  test('a new initialize starts a new session', async () => {
    const server = await serve(legacy((_request, response) => void response.writeHead(405).end()))
    const { ask } = await greet(server.url)
    await server.arrived(3)
    await ask(2, 'initialize')
    expect(server.seen[3]?.headers).not.toHaveProperty('mcp-session-id')
    expect(server.seen[3]?.headers).not.toHaveProperty('mcp-protocol-version')
  })

  test('abandoning a request stops reading without informing the server', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve(
      legacy((request, response) => {
        if (request.method === 'GET') return answerStatus(response, 405)
        closed = new Promise((resolve) => response.once('close', resolve))
        openEvents(response)
      }),
    )
    const { channel, heard } = await greet(server.url)
    channel.send({ jsonrpc: '2.0', id: 2, method: 'tools/call' })
    await until(() => server.seen.some((request) => methodIn(request) === 'tools/call'))
    expect(channel.abandon(2)).toBe('untold')
    await closed
    expect(heard.length).toBe(1)
  })

  test('answers in a batch are passed on unchanged', async () => {
    const server = await serve((request, response) => answerJson(response, [result(idIn(request))]))
    const { ask } = await listenTo(openStreamableHttp, server.url)
    expect(await ask(1)).toEqual({ message: [result(1)] })
  })

  test.each([
    [404, fault(null, -32001)],
    [404, undefined],
    [400, fault(null, -32000)],
    [400, fault(2, -32000)],
  ])('FI-43 a %i with a session means that the session is lost (%j)', async (status, body) => {
    const server = await serve(
      legacy((_request, response) => void response.writeHead(status).end(body && JSON.stringify(body))),
    )
    const { ask } = await greet(server.url)
    expect(failureOf(await ask(2))).toEqual({ code: 'session', sent: false, facts: { status } })
  })

  test.each([
    [404, fault(2, -32601)],
    [400, fault(2, -32602)],
  ])('FI-43 a %i whose body answers the request is that answer (%j)', async (status, body) => {
    const server = await serve(
      legacy((request, response) => {
        response.writeHead(request.method === 'GET' ? 405 : status).end(JSON.stringify(body))
      }),
    )
    const { ask } = await greet(server.url)
    expect(await ask(2)).toEqual({ message: body })
  })
})

describe('Streamable HTTP: modern era', () => {
  test('every request names its version, method and subject, and there is no session', async () => {
    const server = await serve((request, response) => {
      answerJson(response, result(idIn(request)), { 'mcp-session-id': 'ignored' })
    })
    const { channel, ask } = await listenTo(openStreamableHttp, server.url)
    channel.speak(modern)
    await ask(1, 'server/discover')
    await ask(2, 'prompts/get', { name: 'Grüße' })
    await ask(3, 'resources/read', { uri: 'file:///a' })
    await ask(4, 'tasks/get', { taskId: 't 1' })
    channel.send(
      { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'echo' } },
      { headers: { 'Mcp-Param-Region': 'eu' } },
    )
    await server.arrived(5)
    await channel.close()
    expect(
      server.seen.map(({ method, headers }) => [
        method,
        headers['mcp-protocol-version'],
        headers['mcp-method'],
        headers['mcp-name'],
        headers['mcp-param-region'],
        headers['mcp-session-id'],
      ]),
    ).toEqual([
      ['POST', modern, 'server/discover', undefined, undefined, undefined],
      ['POST', modern, 'prompts/get', '=?base64?R3LDvMOfZQ==?=', undefined, undefined],
      ['POST', modern, 'resources/read', 'file:///a', undefined, undefined],
      ['POST', modern, 'tasks/get', 't 1', undefined, undefined],
      ['POST', modern, 'tools/call', 'echo', 'eu', undefined],
    ])
  })

  test('initialize is sent in legacy form, even after a modern probe', async () => {
    const server = await serve((request, response) => answerJson(response, result(idIn(request))))
    const { channel, ask } = await listenTo(openStreamableHttp, server.url)
    channel.speak(modern)
    await ask(1, 'initialize')
    expect(server.seen[0]?.headers).not.toHaveProperty('mcp-protocol-version')
    expect(server.seen[0]?.headers).not.toHaveProperty('mcp-method')
  })

  test('abandoning a request closes its stream, which informs the server', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve((_request, response) => {
      closed = new Promise((resolve) => response.once('close', resolve))
      openEvents(response)
    })
    const { channel, heard } = await listenTo(openStreamableHttp, server.url)
    channel.speak(modern)
    channel.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' })
    await server.arrived(1)
    expect(channel.abandon(1)).toBe('told')
    await closed
    expect(heard).toEqual([])
  })

  test.each([
    [400, fault(1, -32022)],
    [404, fault(1, -32601)],
    [500, fault(1, -32603)],
    [400, fault(null, -32020)],
  ])('a %i whose body is an answer is that answer (%j)', async (status, body) => {
    const server = await serve(
      (_request, response) => void response.writeHead(status).end(JSON.stringify(body)),
    )
    const { channel, ask } = await listenTo(openStreamableHttp, server.url)
    channel.speak(modern)
    expect(await ask(1)).toEqual({ message: { ...body, id: 1 } })
  })

  test('FI-48 a broken stream is not resumed, even with event ids', async () => {
    const server = await serve((_request, response) => {
      openEvents(response, 'id: 1\nretry: 250\ndata:')
      setImmediate(() => response.socket?.destroy())
    })
    const { channel, ask, clock } = await listenTo(openStreamableHttp, server.url)
    channel.speak(modern)
    expect(failureOf(await ask(1))).toEqual({ code: 'closed', sent: true, facts: { status: 200 } })
    await clock.advance(60_000)
    expect(server.seen.length).toBe(1)
  })
})

test('Streamable HTTP: close ends everything immediately and leaves no timer', async () => {
  const server = await serve(
    legacy((request, response) => {
      if (request.method === 'GET') openEvents(response, ': open')
      else if (request.method !== 'DELETE') openEvents(response)
    }),
  )
  const { channel, clock, heard } = await greet(server.url)
  await server.arrived(3)
  channel.send({ jsonrpc: '2.0', id: 2, method: 'tools/call' })
  await server.arrived(4)
  const closing = Promise.all([channel.close(), channel.close()])
  await server.arrived(5)
  await clock.advance(1000)
  await closing
  channel.send({ jsonrpc: '2.0', id: 3, method: 'ping' })
  await until(() => server.sockets.size === 0)
  expect(clock.sleeping).toBe(0)
  expect(heard.length).toBe(1)
  expect(server.seen.length).toBe(5)
})
