import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, serve, tlsFixture } from '../../../test/support/http-server.ts'
import type { Outcome } from '../../../test/support/http-server.ts'
import type { HttpClient, HttpOptions } from '../platform.ts'
import { createHttpClient } from './http.ts'

async function clientFor(url: URL, over: Partial<HttpOptions> = {}): Promise<HttpClient> {
  const client = await createHttpClient({ url, env: {}, maxConnections: 4, ...over })
  onTestFinished(() => client.close())
  return client
}

const failure = (outcome: Outcome) =>
  'error' in outcome ? { reason: outcome.error.reason, sent: outcome.error.sent } : outcome

/** A server that writes raw bytes to its sockets. */
async function tcp(onSocket: (socket: Socket) => void): Promise<{ url: URL; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  )
  const { port } = server.address() as AddressInfo // it listens on a port
  return { url: new URL(`http://127.0.0.1:${port}/`), sockets }
}

describe('http: exchange', () => {
  test('sends method, path, headers and body, and reuses connections', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(201, { 'X-Two': ['a', 'b'], 'Content-Type': 'text/plain' }).end('hello')
    })
    const client = await clientFor(server.url)
    const url = new URL('/a?b=c', server.url)
    const first = await exchange(client, url, { headers: { 'x-own': '1' }, body: 'päyload' })
    expect(first).toMatchObject({
      status: 201,
      headers: { 'x-two': 'a, b', 'content-type': 'text/plain' },
      text: 'hello',
    })
    await exchange(client, url, { method: 'GET' })
    expect(server.seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/a?b=c', 'päyload'],
      ['GET', '/a?b=c', ''],
    ])
    expect(server.seen[0]?.headers).toMatchObject({ 'x-own': '1' })
    expect(server.seen[0]?.headers).not.toHaveProperty('accept-encoding')
    for (let i = 0; i < 4; i++) await exchange(client, url)
    // A second connection is opened if the first was not free in time.
    expect(new Set(server.seen.map(({ port }) => port)).size).toBeLessThanOrEqual(2)
  })

  test('does not follow a redirect', async () => {
    const server = await serve((_request, response) => response.writeHead(307, { location: '/b' }).end())
    const outcome = await exchange(await clientFor(server.url), server.url)
    expect(outcome).toMatchObject({ status: 307, headers: { location: '/b' } })
    expect(server.seen.length).toBe(1)
  })

  test('works over a unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'http-'))
    const socketPath = join(folder, 's')
    const server = createServer((request, response) => response.end(request.headers.host))
    await new Promise<void>((resolve) => server.listen(socketPath, resolve))
    onTestFinished(() => {
      server.close()
      rmSync(folder, { recursive: true })
    })
    const url = new URL('http://service.internal/mcp')
    const client = await clientFor(url, { socketPath, env: { http_proxy: 'http://127.0.0.1:1' } })
    expect(await exchange(client, url)).toMatchObject({ status: 200, text: 'service.internal' })
    const nobody = await clientFor(url, { socketPath: join(folder, 'nobody') })
    expect(failure(await exchange(nobody, url))).toEqual({ reason: 'refused', sent: false })
  })

  test('an invalid request fails after send has returned', async () => {
    const server = await serve((_request, response) => response.end())
    const client = await clientFor(server.url)
    const outcome = await exchange(client, server.url, { headers: { 'x-bad': 'a\r\nb: c' } })
    expect(failure(outcome)).toEqual({ reason: 'malformed', sent: false })
    expect(server.seen).toEqual([])
  })

  test('abort while waiting for a connection: the request is never sent, and the connection stays', async () => {
    let release = () => {}
    const server = await serve(({ path }, response) => {
      if (path === '/first') release = () => response.end('1')
      else response.end('2')
    })
    const client = await clientFor(server.url, { maxConnections: 1 })
    const first = exchange(client, new URL('/first', server.url))
    await server.arrived(1)
    const request = { method: 'POST', headers: {}, headersTimeoutMs: 0, idleTimeoutMs: 0 } as const
    const heard: string[] = []
    const hear = (what: string) => () => void heard.push(what)
    client
      .send(
        { ...request, url: new URL('/never', server.url) },
        { onHeaders: hear('headers'), onData: hear('data'), onEnd: hear('end'), onError: hear('error') },
      )
      .abort()
    const third = exchange(client, new URL('/third', server.url))
    release()
    expect([await first, await third]).toMatchObject([{ text: '1' }, { text: '2' }])
    expect(server.seen.map(({ path }) => path)).toEqual(['/first', '/third'])
    expect(server.seen[1]?.port).toBe(server.seen[0]?.port)
    expect(heard).toEqual([])
  })

  test('abort after sending: the connection closes, and the listener is not called again', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve((_request, response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      response.write('x')
    })
    const client = await clientFor(server.url)
    await new Promise<void>((resolve, reject) => {
      const request = {
        method: 'POST',
        url: server.url,
        headers: {},
        headersTimeoutMs: 0,
        idleTimeoutMs: 0,
      } as const
      const running = client.send(request, {
        onHeaders: () => undefined,
        onData: () => {
          running.abort()
          resolve()
        },
        onEnd: () => reject(new Error('end')),
        onError: reject,
      })
    })
    await expect(closed).resolves.toBeUndefined()
  })
})

describe('http: failures report the reason and whether anything was sent', () => {
  test('no listener at the port', async () => {
    const server = await serve(() => undefined)
    await server.stop()
    const outcome = await exchange(await clientFor(server.url), server.url)
    expect(failure(outcome)).toEqual({ reason: 'refused', sent: false })
  })

  test('FI-55 a name that does not resolve', async () => {
    const url = new URL('http://nothing.invalid/')
    expect(failure(await exchange(await clientFor(url), url))).toEqual({ reason: 'dns', sent: false })
  })

  test('FI-55 a name with two addresses connects to the second if the first is dead', async () => {
    const server = await serve((_request, response) => response.end('ok'))
    const url = new URL(`http://localhost:${server.url.port}/`) // ::1 and 127.0.0.1 where there are both
    expect(await exchange(await clientFor(url), url)).toMatchObject({ status: 200, text: 'ok' })
  })

  test('FI-57 a request whose connection breaks after sending is not repeated', async () => {
    const server = await serve((_request, response) => void response.socket?.destroy())
    const outcome = await exchange(await clientFor(server.url), server.url)
    expect(failure(outcome)).toEqual({ reason: 'reset', sent: true })
    expect(server.seen.length).toBe(1)
  })

  test('FI-57 an idle connection that the server closed does not fail the next request', async () => {
    const server = await serve((_request, response) => response.end('ok'))
    const client = await clientFor(server.url)
    await exchange(client, server.url)
    const [idle] = server.sockets
    const gone = new Promise((resolve) => idle?.once('close', resolve))
    idle?.destroy()
    await gone
    expect(await exchange(client, server.url)).toMatchObject({ status: 200, text: 'ok' })
    expect(server.seen.length).toBe(2)
  })

  test('FI-50 headers that do not arrive or never end time out', async () => {
    const server = await serve(() => undefined)
    const silent = await exchange(await clientFor(server.url), server.url, { headersTimeoutMs: 100 })
    expect(failure(silent)).toEqual({ reason: 'timeout', sent: true })
    const endless = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = setInterval(() => socket.write('X-More: 1\r\n'), 50)
      socket.once('close', () => clearInterval(more))
    })
    const slow = await exchange(await clientFor(endless.url), endless.url, { headersTimeoutMs: 100 })
    expect(failure(slow)).toEqual({ reason: 'timeout', sent: true })
  })

  test('FI-50 a body that stalls times out', async () => {
    const server = await serve((_request, response) => void response.write('half'))
    const outcome = await exchange(await clientFor(server.url), server.url, { idleTimeoutMs: 100 })
    expect({ ...failure(outcome), text: outcome.text }).toEqual({
      reason: 'timeout',
      sent: true,
      text: 'half',
    })
  })

  test('FI-51 ten thousand headers are too large', async () => {
    const { url } = await tcp((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\n${Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1\r\n`).join('')}\r\n`,
      )
    })
    expect(failure(await exchange(await clientFor(url), url))).toEqual({ reason: 'too-large', sent: true })
  })

  test('FI-51 a body shorter than its content-length is an error', async () => {
    const { url } = await tcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'))
    })
    const outcome = await exchange(await clientFor(url), url)
    expect('error' in outcome && outcome.error.sent).toBe(true)
  })

  test('an answer that is not HTTP is malformed', async () => {
    const { url } = await tcp(
      (socket) => void socket.once('data', () => socket.write('220 mail.example ESMTP\r\n')),
    )
    expect(failure(await exchange(await clientFor(url), url))).toEqual({ reason: 'malformed', sent: true })
  })
})

describe('FI-54 http: TLS', () => {
  const key = tlsFixture('server.key')
  const ca = tlsFixture('ca.crt')
  const answer = (name: string, more: object = {}) =>
    serve((_request, response) => response.end('secret'), { key, cert: tlsFixture(name), ...more })

  test.each([
    ['signed by an unknown authority', 'good.crt', {}],
    ['expired', 'expired.crt', { tls: { ca } }],
    ['for another host', 'wrong-host.crt', { tls: { ca } }],
  ])('a certificate %s is refused', async (_why, cert, over) => {
    const server = await answer(cert)
    const outcome = await exchange(await clientFor(server.url, over), server.url)
    expect(failure(outcome)).toEqual({ reason: 'tls', sent: false })
    expect(server.seen).toEqual([])
  })

  test('an outdated version of TLS is refused', async () => {
    const server = await answer('good.crt', {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    })
    const outcome = await exchange(await clientFor(server.url, { tls: { ca } }), server.url)
    expect(failure(outcome)).toEqual({ reason: 'tls', sent: false })
  })

  test('a handshake that breaks, and a server without TLS, fail before anything was sent', async () => {
    const cut = await tcp((socket) => void socket.once('data', () => socket.destroy()))
    const plain = await tcp(
      (socket) => void socket.once('data', () => socket.write('HTTP/1.1 400 Bad\r\n\r\n')),
    )
    for (const { port } of [cut.url, plain.url]) {
      const url = new URL(`https://127.0.0.1:${port}/`)
      expect(failure(await exchange(await clientFor(url), url))).toEqual({ reason: 'tls', sent: false })
    }
  })

  test('the option ca accepts its certificates, and verify: false accepts all', async () => {
    const server = await answer('good.crt')
    for (const tls of [{ ca }, { verify: false }]) {
      const outcome = await exchange(await clientFor(server.url, { tls }), server.url)
      expect(outcome).toMatchObject({ status: 200, text: 'secret' })
    }
  })
})

describe('http: close', () => {
  test('ends running exchanges and all connections, also those that are still connecting', async () => {
    const server = await serve(() => undefined)
    const client = await createHttpClient({ url: server.url, env: {}, maxConnections: 4 })
    const outcome = exchange(client, server.url)
    await server.arrived(1)
    const [kept] = server.sockets
    const gone = new Promise((resolve) => kept?.once('close', resolve))
    await Promise.all([client.close(), client.close()])
    expect(failure(await outcome)).toEqual({ reason: 'network', sent: true })
    await gone

    let arrived = (_socket: Socket) => {}
    const connecting = new Promise<Socket>((resolve) => (arrived = resolve))
    const mute = await tcp((socket) => arrived(socket))
    const url = new URL(`https://127.0.0.1:${mute.url.port}/`)
    const slow = await createHttpClient({ url, env: {}, maxConnections: 1 })
    const never = exchange(slow, url)
    const socket = await connecting
    const ended = new Promise((resolve) => socket.once('close', resolve))
    await slow.close()
    await ended
    expect(failure(await never)).toMatchObject({ sent: false })
  })
})
