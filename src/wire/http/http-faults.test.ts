import { describe, expect, test } from 'vitest'
import {
  answerJson,
  event,
  failureOf,
  listenTo,
  openEvents,
  result,
  until,
} from '../../../test/support/http-channel.ts'
import { serve, tlsFixture } from '../../../test/support/http-server.ts'
import type { RequestHandler, ReceivedRequest } from '../../../test/support/http-server.ts'
import { WireError } from '../wire-error.ts'
import { parseRetryAfter } from './http-faults.ts'
import { openStreamableHttp } from './streamable.ts'

const idIn = ({ body }: ReceivedRequest) => (JSON.parse(body) as { id: number }).id // every body is written by these tests
const listen = async (handle: RequestHandler, over: Parameters<typeof listenTo>[2] = {}) => {
  const server = await serve(handle)
  return { server, ...(await listenTo(openStreamableHttp, server.url, over)) }
}
const status = (code: number, headers: Record<string, string> = {}, body = ''): RequestHandler => {
  return (_request, response) => void response.writeHead(code, headers).end(body)
}

describe('HTTP faults: authorization', () => {
  test('FI-40 a 401 fails with its challenge, and without newer headers it is not retried', async () => {
    const challenge = 'Bearer resource_metadata="https://a.example/x"'
    const { server, ask } = await listen(status(401, { 'www-authenticate': challenge }))
    expect(failureOf(await ask(1))).toEqual({ code: 'auth', sent: false, facts: { status: 401, challenge } })
    expect(server.seen.length).toBe(1)
  })

  test('a 401 is retried once with newer headers, and succeeds', async () => {
    const whys: string[] = []
    const { server, ask } = await listen(
      (request, response) => {
        if (request.headers['authorization'] === 'Bearer new') answerJson(response, result(idIn(request)))
        else response.writeHead(401).end('expired')
      },
      {
        headers: async (why) => {
          whys.push(why)
          return { Authorization: why === 'request' ? 'Bearer old' : 'Bearer new' }
        },
      },
    )
    expect(await ask(1)).toEqual({ message: result(1) })
    expect(whys).toEqual(['request', 'unauthorized'])
    expect(server.seen.map(({ body }) => body)).toEqual([server.seen[0]?.body, server.seen[0]?.body])
  })

  test('FI-41 a 401 to the newer headers fails the request', async () => {
    let token = 0
    const { server, ask } = await listen(status(401), {
      headers: () => ({ authorization: `Bearer ${token++}` }),
    })
    expect(failureOf(await ask(1))).toEqual({ code: 'auth', sent: false, facts: { status: 401 } })
    expect(server.seen.length).toBe(2)
  })

  test('FI-42 a 403 is forbidden, with the scope that the challenge names', async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="write"'
    const { ask } = await listen(status(403, { 'www-authenticate': challenge }))
    expect(failureOf(await ask(1))).toEqual({
      code: 'forbidden',
      sent: false,
      facts: { status: 403, challenge },
    })
  })

  test('if the headers cannot be determined, the request fails and nothing is sent', async () => {
    for (const headers of [
      () => Promise.reject(new Error('the keychain is locked')),
      () => {
        throw new Error('the keychain is locked')
      },
      () => ({ 'x-token': 'a\nb' }),
    ]) {
      const { server, ask } = await listen(status(200), { headers })
      expect(failureOf(await ask(1))).toEqual({ code: 'values', sent: false, facts: {} })
      expect(server.seen).toEqual([])
    }
    const own = new WireError('auth', 'A login is needed.')
    const { ask } = await listen(status(200), { headers: () => Promise.reject(own) })
    expect(await ask(1)).toEqual({ failed: 1, error: own })
  })

  test('protocol headers override those of the declaration, in any case', async () => {
    const { server, ask } = await listen((request, response) => answerJson(response, result(idIn(request))), {
      headers: () => ({ ACCEPT: 'text/html', 'X-Own': '1' }),
    })
    await ask(1)
    expect(server.seen[0]?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'x-own': '1',
    })
  })
})

describe('HTTP faults: overload', () => {
  test.each([
    ['2', 2000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['1000000000', 1e12],
    ['soon', undefined],
  ])('FI-44 a 429 with Retry-After: %s counts as not sent', async (value, retryAfterMs) => {
    const { ask } = await listen(status(429, { 'retry-after': value }))
    expect(failureOf(await ask(1))).toEqual({
      code: 'rate',
      sent: false,
      facts: { status: 429, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    })
  })

  test.each([500, 502, 503, 504])('FI-45 a %i counts as sent', async (code) => {
    const { ask } = await listen(status(code, { 'content-type': 'text/html' }, '<h1>sorry</h1>'))
    expect(failureOf(await ask(1))).toEqual({ code: 'upstream', sent: true, facts: { status: code } })
  })

  test('FI-45 a 503 with Retry-After counts as not sent', async () => {
    const { ask } = await listen(status(503, { 'retry-after': '1' }))
    expect(failureOf(await ask(1))).toEqual({
      code: 'upstream',
      sent: false,
      facts: { status: 503, retryAfterMs: 1000 },
    })
  })

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1'.repeat(400), undefined],
    ['2026', 2_026_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sun, 99 Xxx 1994 08:49:37 GMT', undefined],
    ['2026-01-01', undefined],
  ])('Retry-After %s is read as %s ms', (value, ms) => {
    expect(parseRetryAfter(value, Date.UTC(2026, 0, 1))).toBe(ms)
  })
})

describe('FI-52 HTTP faults: a successful status without an answer', () => {
  test.each([
    [
      'HTML',
      200,
      { 'content-type': 'text/html' },
      '<html>\u001b[2J',
      '(text/html, "<html>\\u{1b}[2J"): no answer',
    ],
    [
      'an empty body',
      200,
      { 'content-type': 'application/json' },
      '',
      '(application/json, no body): no answer',
    ],
    ['202', 202, {}, '', '(no content type, no body): no answer'],
    ['204', 204, {}, '', '(no content type, no body): no answer'],
    [
      'JSON that is not JSON-RPC',
      200,
      { 'content-type': 'application/json' },
      '{"ok":true}',
      '(application/json, "{"ok":true}"): no answer to this request',
    ],
    [
      'the answer to another request',
      200,
      { 'content-type': 'application/json' },
      '{"jsonrpc":"2.0","id":"1","result":{}}',
      '(application/json, "{"jsonrpc":"2.0","id":"1","result":{}}"): no answer to this request',
    ],
  ])(
    '%s fails the request with status, type and beginning of the body',
    async (_name, code, headers, body, text) => {
      const { ask } = await listen(status(code, headers, body))
      const heard = await ask(1)
      expect(failureOf(heard)).toEqual({ code: 'protocol', sent: true, facts: { status: code } })
      expect('failed' in heard && heard.error.message).toBe(`The server answered with HTTP ${code} ${text}`)
    },
  )

  test('only the first 200 characters are shown, and only the beginning is read', async () => {
    const { ask } = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      // the body never ends
      response.write('x'.repeat(100_000))
    })
    const heard = await ask(1)
    expect('failed' in heard && heard.error.message).toBe(
      `The server answered with HTTP 200 (text/html, "${'x'.repeat(200)}…"): no answer`,
    )
  })

  test.each([400, 404, 405, 410])(
    'HTTP faults: a %i without an answer in its body counts as not sent',
    async (code) => {
      const { ask } = await listen(status(code, {}, 'Not here'))
      expect(failureOf(await ask(1))).toEqual({ code: 'protocol', sent: false, facts: { status: code } })
    },
  )
})

describe('T24 FI-51 HTTP faults: an answer above the size limit', () => {
  const limits = { maxBytes: 100_000 }
  const tooLarge = { code: 'too-large', sent: true, facts: { status: 200 } }

  test.each<[string, RequestHandler]>([
    [
      'announced by Content-Length',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000000000' })
        response.flushHeaders()
      },
    ],
    [
      'endless JSON',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('"'.padEnd(200_000, 'x'))
      },
    ],
    ['a single event', (_request, response) => openEvents(response, `data: ${'x'.repeat(200_000)}`)],
    [
      'an endless event',
      (_request, response) => {
        openEvents(response)
        response.write(`data: ${'x'.repeat(200_000)}`)
      },
    ],
  ])('%s: fails its request, and its connection is destroyed', async (_name, handle) => {
    let closed: Promise<unknown> = Promise.resolve()
    const { ask, next } = await listen(
      (request, response, raw) => {
        closed = new Promise((resolve) => raw.socket.once('close', resolve))
        handle(request, response, raw)
      },
      { limits },
    )
    expect(await ask(1)).toEqual({ dropped: 'oversize' })
    expect(failureOf(await next())).toEqual(tooLarge)
    await closed
  })

  test('other requests on the same channel continue', async () => {
    const { channel, heard, ask } = await listen(
      (request, response) => {
        if (idIn(request) === 1) openEvents(response, `data: ${'x'.repeat(200_000)}`)
        else setImmediate(() => answerJson(response, result(idIn(request))))
      },
      { limits },
    )
    channel.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    await ask(1)
    await until(() => heard.length === 3)
    expect(heard).toContainEqual({ message: result(2) })
  })

  test('many small events that exceed the limit together are fine', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(50_000) } }
    const { heard, channel } = await listen(
      (request, response) => {
        openEvents(response, ...Array.from({ length: 20 }, () => event(note)), event(result(idIn(request))))
        response.end()
      },
      { limits },
    )
    channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await until(() => heard.length === 21)
    expect(heard.at(-1)).toEqual({ message: result(1) })
  })
})

describe('FI-53 HTTP faults: redirects', () => {
  test.each([307, 308])(
    'a %i to the same origin is followed, with method, body and headers',
    async (code) => {
      const { server, ask } = await listen(
        (request, response) => {
          if (request.path === '/mcp') response.writeHead(code, { location: '/mcp/' }).end()
          else answerJson(response, result(idIn(request)))
        },
        { headers: () => ({ authorization: 'Bearer x' }) },
      )
      expect(await ask(1)).toEqual({ message: result(1) })
      expect(server.seen[1]).toMatchObject({
        method: 'POST',
        path: '/mcp/',
        body: server.seen[0]?.body,
        headers: { authorization: 'Bearer x' },
      })
    },
  )

  test('a redirect to another origin is refused with its name, and nothing is sent there', async () => {
    const other = await serve((request, response) => answerJson(response, result(idIn(request))))
    const { ask } = await listen(status(307, { location: `${other.url.origin}/steal?token=1` }), {
      headers: () => ({ authorization: 'Bearer x' }),
    })
    const heard = await ask(1)
    expect(failureOf(heard)).toEqual({ code: 'blocked', sent: false, facts: { status: 307 } })
    expect('failed' in heard && heard.error.message).toBe(
      `The server redirects to ${other.url.origin}/steal, which is another origin.`,
    )
    expect(other.seen).toEqual([])
  })

  test.each([
    [301, false],
    [302, true],
    [303, true],
  ])('a %i is refused, because it would change the request (counts as sent: %s)', async (code, sent) => {
    const { server, ask } = await listen(status(code, { location: '/b' }))
    expect(failureOf(await ask(1))).toEqual({ code: 'blocked', sent, facts: { status: code } })
    expect(server.seen.length).toBe(1)
  })

  test('https to http counts as another origin', async () => {
    const server = await serve(
      (_request, response) => {
        response.writeHead(308, { location: server.url.href.replace('https:', 'http:') }).end()
      },
      { key: tlsFixture('server.key'), cert: tlsFixture('good.crt') },
    )
    const { ask } = await listenTo(openStreamableHttp, server.url, { http: { tls: { verify: false } } })
    expect(failureOf(await ask(1))).toEqual({ code: 'blocked', sent: false, facts: { status: 308 } })
  })

  test('a loop ends after three redirects', async () => {
    const { server, ask } = await listen(status(307, { location: '/mcp' }))
    expect(failureOf(await ask(1))).toEqual({ code: 'blocked', sent: false, facts: { status: 307 } })
    expect(server.seen.length).toBe(4)
  })

  test('a redirect without a Location fails the request', async () => {
    const { ask } = await listen(status(307))
    expect(failureOf(await ask(1))).toEqual({ code: 'protocol', sent: false, facts: { status: 307 } })
  })
})

describe('HTTP faults: the network', () => {
  test('a refused connection fails as network, not sent', async () => {
    const { server, ask } = await listen(status(200))
    await server.stop()
    expect(failureOf(await ask(1))).toEqual({ code: 'network', sent: false, facts: {} })
  })

  test('FI-55 a name that does not resolve fails as dns', async () => {
    const { ask } = await listenTo(openStreamableHttp, new URL('http://nothing.invalid/'))
    expect(failureOf(await ask(1))).toEqual({ code: 'dns', sent: false, facts: {} })
  })

  test('FI-54 an unknown certificate: no token is sent, and the request is not retried', async () => {
    const server = await serve(status(200), { key: tlsFixture('server.key'), cert: tlsFixture('good.crt') })
    let connections = 0
    server.server.on('connection', () => connections++)
    const { ask } = await listenTo(openStreamableHttp, server.url)
    expect(failureOf(await ask(1))).toEqual({ code: 'tls', sent: false, facts: {} })
    expect([server.seen, connections]).toEqual([[], 1])
  })

  test('FI-57 a connection cut after the request was sent counts as sent and is not retried', async () => {
    const { server, ask } = await listen((_request, response) => void response.socket?.destroy())
    expect(failureOf(await ask(1))).toEqual({ code: 'network', sent: true, facts: {} })
    expect(server.seen.length).toBe(1)
  })

  test('FI-50 a body that stalls fails after the idle timeout, however slowly it started', async () => {
    const { ask, clock, server, heard } = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{')
    })
    const failed = ask(1)
    await server.arrived(1)
    await until(() => clock.sleeping > 0)
    await clock.advance(59_000)
    expect(heard).toEqual([])
    await clock.advance(61_000)
    expect(failureOf(await failed)).toEqual({ code: 'timeout', sent: true, facts: { status: 200 } })
  })
})
