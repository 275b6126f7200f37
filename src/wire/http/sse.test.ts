import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { event, failureOf, listenTo, openEvents, result, until } from '../../../test/support/http-channel.ts'
import type { ListenOptions } from '../../../test/support/http-channel.ts'
import { serve } from '../../../test/support/http-server.ts'
import type { RequestHandler } from '../../../test/support/http-server.ts'
import { openSse } from './sse.ts'

/** A server whose stream the test controls. */
async function open(first: readonly string[], post: RequestHandler, over: ListenOptions = {}) {
  let stream: ServerResponse | undefined
  const server = await serve((request, response, raw) => {
    if (request.method !== 'GET') return post(request, response, raw)
    stream = response
    openEvents(response, ...first)
  })
  const listening = await listenTo(openSse, server.url, over)
  await server.arrived(1)
  return {
    server,
    say: (text: string) => void stream?.write(`${text}\n\n`),
    stream: () => stream,
    ...listening,
  }
}
const accept: RequestHandler = (_request, response) => void response.writeHead(202).end('Accepted')
const endpoint = 'event: endpoint\ndata: /messages?session=1'

describe('HTTP+SSE', () => {
  test('messages are posted to the address that the server names, and answers arrive on the stream', async () => {
    const { server, say, channel, next } = await open([endpoint], accept, {
      headers: () => ({ 'x-own': '1' }),
    })
    channel.speak('2024-11-05')
    channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await server.arrived(2)
    say(event(result(1)))
    expect(await next()).toEqual({ message: result(1) })
    expect(
      server.seen.map(({ method, path, headers }) => [method, path, headers['x-own'], headers['accept']]),
    ).toEqual([
      ['GET', '/mcp', '1', 'text/event-stream'],
      ['POST', '/messages?session=1', '1', undefined],
    ])
    expect(channel.kind).toBe('sse')
  })

  test('messages wait until the server names the address, and can be abandoned as unsent until then', async () => {
    const { server, say, channel } = await open([], accept)
    channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    channel.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(channel.abandon(1)).toBe('unsent')
    say(endpoint)
    await server.arrived(2)
    expect(server.seen[1]?.body).toBe('{"jsonrpc":"2.0","id":2,"method":"ping"}')
    expect(channel.abandon(2)).toBe('untold')
  })

  test('FI-49 an address on another origin is refused', async () => {
    const other = await serve(accept)
    const { server, next, channel } = await open([`event: endpoint\ndata: ${other.url.href}`], accept)
    channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(failureOf(await next())).toEqual({ code: 'blocked', sent: false, facts: { status: 200 } })
    await until(() => server.sockets.size === 0)
    expect([other.seen.length, server.seen.length]).toEqual([0, 1])
  })

  test('FI-49 without an address the channel closes after ten seconds', async () => {
    const { clock, next, heard } = await open([': hello'], accept)
    await clock.advance(9999)
    expect(heard).toEqual([])
    await clock.advance(1)
    expect(failureOf(await next())).toMatchObject({ code: 'timeout', sent: false })
  })

  test('FI-49 a second address is ignored', async () => {
    const { server, say, channel, next } = await open([endpoint, 'event: endpoint\ndata: /elsewhere'], accept)
    say(event('seen'))
    expect(await next()).toEqual({ message: 'seen' })
    channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await server.arrived(2)
    expect(server.seen[1]?.path).toBe('/messages?session=1')
  })

  test('an invalid address closes the channel', async () => {
    const { next } = await open(['event: endpoint\ndata: http://['], accept)
    expect(failureOf(await next())).toEqual({ code: 'protocol', sent: false, facts: { status: 200 } })
  })

  test('the end of the stream closes the channel once', async () => {
    for (const end of [
      (stream?: ServerResponse) => stream?.end(),
      (stream?: ServerResponse) => stream?.destroy(),
    ]) {
      const { server, stream, channel, next, heard } = await open([endpoint], accept)
      channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
      await server.arrived(2)
      end(stream())
      expect(failureOf(await next())).toEqual({ code: 'closed', sent: true, facts: { status: 200 } })
      await channel.close()
      expect(heard.length).toBe(1)
    }
  })

  test.each([
    [404, 'protocol'],
    [401, 'auth'],
    [500, 'upstream'],
  ])('a %i instead of a stream closes the channel: %s', async (status, code) => {
    const server = await serve((_request, response) => void response.writeHead(status).end())
    const { next, clock } = await listenTo(openSse, server.url)
    const heard = await next()
    expect(failureOf(heard)).toMatchObject({ code, facts: { status } })
    expect('closed' in heard).toBe(true)
    expect(clock.sleeping).toBe(0)
  })

  test('an HTML page instead of a stream closes the channel', async () => {
    const server = await serve((_request, response) => void response.end('<html>'))
    const { next } = await listenTo(openSse, server.url)
    expect(failureOf(await next())).toEqual({ code: 'protocol', sent: true, facts: { status: 200 } })
  })

  test('a rejected POST fails its own request', async () => {
    const { channel, next, say } = await open(
      [endpoint],
      (_request, response) => void response.writeHead(429).end(),
    )
    channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(failureOf(await next())).toEqual({ code: 'rate', sent: false, facts: { status: 429 } })
    say(event('still there'))
    expect(await next()).toEqual({ message: 'still there' })
  })

  test('D-10 a message above the limit fails the request that it answers, and the stream continues', async () => {
    const { next, say } = await open([endpoint], accept, { limits: { maxBytes: 1000 } })
    say(event(result(7, 'x'.repeat(200_000))))
    expect(await next()).toEqual({ dropped: 'oversize', sample: undefined })
    const heard = await next()
    expect([heard, failureOf(heard)]).toMatchObject([
      { failed: 7 },
      { code: 'too-large', sent: true, facts: { status: 200 } },
    ])
    say(event({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(2000) } }))
    expect(await next()).toEqual({ dropped: 'oversize', sample: undefined })
    say(event(result(8, 'fine')))
    expect(await next()).toEqual({ message: result(8, 'fine') })
  })

  test('an unserializable message fails alone, and messages queued with it are sent', async () => {
    const { server, say, channel } = await open([], accept)
    const send = (id: number, value: unknown) =>
      channel.send({ jsonrpc: '2.0', id, method: 'x', params: { value: value as string } }) // the types forbid it
    send(1, 'a')
    expect(() => send(2, 1n)).toThrow(TypeError)
    send(3, 'c')
    say(endpoint)
    await server.arrived(3)
    expect(server.seen.slice(1).map(({ body }) => (JSON.parse(body) as { id: number }).id)).toEqual([1, 3])
  })

  test('T24 a server that does not accept our answers gets at most 256, until it accepts them', async () => {
    const held: ServerResponse[] = []
    const { channel, heard } = await open([endpoint], (_request, response) => void held.push(response), {
      http: { maxConnections: 400 },
    })
    for (let id = 0; id < 300; id++) channel.send({ jsonrpc: '2.0', id, result: {} })
    expect(heard).toEqual(Array.from({ length: 44 }, () => ({ dropped: 'untaken', sample: undefined })))
    await until(() => held.length === 256)
    for (const response of held) response.writeHead(202).end()
    await until(() => {
      const before = heard.length
      channel.send({ jsonrpc: '2.0', id: 0, result: {} })
      return heard.length === before
    })
  })

  test('an unreadable message fails the request that it answers', async () => {
    const { next, say } = await open([endpoint], accept)
    say('data: {"id":7,"result":')
    expect(failureOf(await next())).toEqual({ code: 'protocol', sent: true, facts: { status: 200 } })
    say('data: nothing')
    expect(await next()).toMatchObject({ dropped: 'malformed' })
  })

  test('close releases the stream and leaves no timer', async () => {
    const { server, channel, clock, heard } = await open([], accept)
    await channel.close()
    await until(() => server.sockets.size === 0)
    expect([clock.sleeping, heard]).toEqual([0, []])
  })
})
