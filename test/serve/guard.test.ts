import { networkInterfaces } from 'node:os'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

let it: ServedMachine
let host: string
let bearer: string

beforeAll(async () => {
  it = await startServed({ notes: { command: 'notes' } })
  host = `127.0.0.1:${it.port}`
  bearer = `Authorization: Bearer ${it.served.token}`
})
afterAll(() => it[Symbol.asyncDispose]())

const api = 'GET /api/openapi.json HTTP/1.1'

/** The status and the code of the answer. */
async function answerTo(lines: readonly string[], body = '') {
  const { status, body: text } = await it.send(lines, body)
  const [, code] = /"code":"([^"]+)"/.exec(text) ?? []
  return { status, ...(code !== undefined && { code }) }
}

test('T36 a request with the right host and token is answered, with no header for other origins', async () => {
  const { status, headers } = await it.send([api, `Host: ${host}`, bearer])
  expect(status).toBe(200)
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; media-src blob:; " +
      "font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
})

describe('T36 another name for this address is refused', () => {
  const names = [
    'evil.com',
    '127.0.0.1.nip.io',
    '0.0.0.0',
    'localhost',
    '[::1]',
    '127.0.0.1.',
    '2130706433',
    '127.1',
  ]
  test.each(names)('Host: %s', async (name) => {
    const expected = { status: 403, code: 'http.host' }
    expect(await answerTo([api, `Host: ${name}:${it.port}`, bearer])).toEqual(expected)
    expect(await answerTo(['GET / HTTP/1.1', `Host: ${name}:${it.port}`])).toEqual(expected)
  })

  test('the address without its port, or with another', async () => {
    expect(await answerTo([api, 'Host: 127.0.0.1', bearer])).toEqual({ status: 403, code: 'http.host' })
    expect(await answerTo([api, 'Host: 127.0.0.1:1', bearer])).toEqual({ status: 403, code: 'http.host' })
  })

  test('two Host headers, none, and an address in the request line', async () => {
    const twice = [api, `Host: ${host}`, 'Host: evil.com', bearer]
    expect(await answerTo(twice)).toEqual({ status: 403, code: 'http.host' })
    expect((await answerTo([api, bearer])).status).toBe(400)
    const absolute = ['GET http://evil.com/api/openapi.json HTTP/1.1', `Host: ${host}`, bearer]
    expect(await answerTo(absolute)).toEqual({ status: 400, code: 'http.bad-request' })
  })
})

describe('T36 a page of another origin is refused, even with the token', () => {
  const origins = ['http://evil.com', 'null', 'http://127.0.0.1:1', 'file://', 'http://localhost', '']
  test.each(origins)('Origin: %s', async (origin) => {
    const lines = [api, `Host: ${host}`, `Origin: ${origin}`, bearer]
    expect(await answerTo(lines)).toEqual({ status: 403, code: 'http.origin' })
  })

  test('two Origin headers, also if one is right', async () => {
    const lines = [api, `Host: ${host}`, `Origin: http://${host}`, `Origin: http://evil.com`, bearer]
    expect(await answerTo(lines)).toEqual({ status: 403, code: 'http.origin' })
    const same = [api, `Host: ${host}`, `Origin: http://${host}`, `Origin: http://${host}`, bearer]
    expect(await answerTo(same)).toEqual({ status: 403, code: 'http.origin' })
  })

  test('the origin of the page itself is accepted', async () => {
    expect(await answerTo([api, `Host: ${host}`, `Origin: http://${host}`, bearer])).toEqual({ status: 200 })
  })
})

test('T36 it listens on 127.0.0.1 only', async () => {
  const others = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
  const outcomes = await Promise.all(['127.0.0.2', '::1', ...others].map((address) => canConnect(address)))
  expect(outcomes.every((isOpen) => !isOpen)).toBe(true)
})

function canConnect(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(it.port, address)
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

describe('T36 every answer beyond the files of the page needs the token', () => {
  const wrong = {
    none: [],
    old: ['Authorization: Bearer 0vMcU5T7Wg9nVnqHqxXy1sE5kqB3vO4m9L0zq9yJx7E'],
    'in the query only': [],
    'of another scheme': [`Authorization: Basic ${Buffer.from('a:b').toString('base64')}`],
    'in a cookie': ['Cookie: token=x'],
  }
  test.each(Object.entries(wrong))('%s', async (_name, lines) => {
    const expected = { status: 401, code: 'http.token' }
    for (const path of [
      '/api/snapshot',
      '/api/events',
      '/api/servers',
      '/conversations/1/mcp',
      '/api',
      '/api/none',
    ])
      expect(
        await answerTo([`GET ${path}?token=${it.served.token} HTTP/1.1`, `Host: ${host}`, ...lines]),
      ).toEqual(expected)
  })

  test('a path that only looks like a file of the page', async () => {
    for (const path of [
      '/api/../api/snapshot',
      '/./api/snapshot',
      '/x/../api/snapshot',
      '/%61pi/snapshot',
      '//api/snapshot',
    ]) {
      const { status, body } = await it.send([`GET ${path} HTTP/1.1`, `Host: ${host}`])
      expect({ path, isRefused: status >= 400, hasEpoch: body.includes('epoch') }).toEqual({
        path,
        isRefused: true,
        hasEpoch: false,
      })
    }
  })

  test('two tokens', async () => {
    const lines = [api, `Host: ${host}`, bearer, 'Authorization: Bearer other']
    expect(await answerTo(lines)).toEqual({ status: 401, code: 'http.token' })
  })
})

describe('T37 what a foreign page can send changes nothing', () => {
  const post = 'POST /api/reload HTTP/1.1'
  const cross = 'Sec-Fetch-Site: cross-site'
  const attacks: Readonly<Record<string, readonly string[]>> = {
    'a form': [post, 'Origin: http://evil.com', cross, 'Content-Type: application/x-www-form-urlencoded'],
    'a form of a sandboxed frame': [post, 'Origin: null', cross, 'Content-Type: text/plain'],
    'fetch with no-cors': [post, 'Origin: http://evil.com', cross, 'Content-Type: text/plain'],
    'a preflight': [
      'OPTIONS /api/reload HTTP/1.1',
      'Origin: http://evil.com',
      cross,
      'Access-Control-Request-Method: POST',
    ],
    'a WebSocket': [
      'GET /api/events HTTP/1.1',
      'Origin: http://evil.com',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
    'an iframe': ['GET / HTTP/1.1', cross, 'Sec-Fetch-Dest: iframe', 'Sec-Fetch-Mode: navigate'],
    EventSource: ['GET /api/events HTTP/1.1', 'Origin: http://evil.com', cross],
    'an image': ['GET /api/servers HTTP/1.1', cross, 'Sec-Fetch-Dest: image'],
    'another port of this machine': [
      post,
      'Origin: http://127.0.0.1:1',
      'Sec-Fetch-Site: same-site',
      'Content-Type: application/json',
    ],
  }
  test.each(Object.entries(attacks))('%s', async (_name, [line = '', ...lines]) => {
    const { status, headers } = await it.send([line, `Host: ${host}`, ...lines, bearer])
    expect(status).toBe(403)
    expect(headers['access-control-allow-origin']).toBeUndefined()
    const own = await it.send([line, `Host: ${host}`, ...lines])
    expect(own.status).toBe(403)
  })

  test('a body that is not JSON by its type is refused, also from no page', async () => {
    const body = '{}'
    const lines = [post, `Host: ${host}`, bearer, `Content-Length: ${body.length}`]
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
    ])
      expect(await answerTo([...lines, `Content-Type: ${type}`], body)).toEqual({
        status: 415,
        code: 'http.type',
      })
    expect(await answerTo(lines, body)).toEqual({ status: 415, code: 'http.type' })
  })

  test('the page cannot be framed, and other origins cannot read its files', async () => {
    const { headers } = await it.send(['GET / HTTP/1.1', `Host: ${host}`])
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    })
  })
})

describe('requests that cannot be answered', () => {
  test('a body over the limit is refused with 413, with its length and in chunks', async () => {
    const big = JSON.stringify({ ref: 'x', args: 'a'.repeat(5 * 1024 * 1024) })
    const lines = ['POST /api/calls HTTP/1.1', `Host: ${host}`, bearer, 'Content-Type: application/json']
    expect(await answerTo([...lines, `Content-Length: ${big.length}`], big)).toEqual({
      status: 413,
      code: 'http.too-large',
    })
    const chunked = `${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`
    expect(await answerTo([...lines, 'Transfer-Encoding: chunked'], chunked)).toEqual({
      status: 413,
      code: 'http.too-large',
    })
  })

  test('a body that is no JSON, or has another shape, is refused with its place', async () => {
    const post = async (path: string, body: string) => {
      const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, bearer, 'Content-Type: application/json']
      return (await it.send([...lines, `Content-Length: ${Buffer.byteLength(body)}`], body)).body
    }
    expect(await post('/api/calls', '{')).toContain('not valid JSON')
    expect(JSON.parse(await post('/api/calls', '{"ref":1,"args":{}}'))).toEqual({
      error: {
        code: 'http.bad-request',
        message: 'The body: ref expected string, got 1.',
        data: { problems: [{ path: 'ref', message: expect.any(String) }] },
      },
    })
    expect(await post('/api/calls', '[]')).toContain('expected an object')
  })

  test('an unknown route of the API is a 404 in JSON, not the page', async () => {
    expect(await answerTo(['GET /api/nothing HTTP/1.1', `Host: ${host}`, bearer])).toEqual({
      status: 404,
      code: 'http.not-found',
    })
    expect(await answerTo(['DELETE /servers HTTP/1.1', `Host: ${host}`, bearer])).toEqual({
      status: 404,
      code: 'http.not-found',
    })
    expect(await answerTo(['TRACE / HTTP/1.1', `Host: ${host}`, bearer])).toEqual({
      status: 405,
      code: 'http.method',
    })
  })
})
