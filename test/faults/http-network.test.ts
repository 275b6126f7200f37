import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HostEvent } from '../../src/index.ts'
import { serve, tlsFixture } from '../support/http-server.ts'
import { lookUpNames } from '../support/names.ts'
import { isAbout, createWatchedClock, did, outcome, remoteHost, serveMcp } from '../support/remote.ts'

const secret = { authorization: 'Bearer secret-token' }
const ca = fileURLToPath(new URL('../fixtures/tls/ca.crt', import.meta.url))

describe('FI-56 an unreachable network', () => {
  const waits = (events: readonly HostEvent[]) =>
    events.flatMap((event) =>
      event.type === 'server.changed' && event.server === 'x' && event.status.state === 'waiting'
        ? [event.status]
        : [],
    )

  /** A server that is kept open, was ready once, and is unreachable until `back`. */
  async function goneServer() {
    const server = await serveMcp()
    const clock = createWatchedClock()
    const entry = { type: 'http', url: server.url.href, lifecycle: 'background' }
    const x = await remoteHost(entry, { platform: { clock } })
    await x.untilState('ready')
    await server.stop()
    const back = () =>
      new Promise<void>((resolve) => {
        server.server.listen(Number(server.url.port), '127.0.0.1', resolve)
      })
    /** Resolves when the connection waits for the nth time. */
    const waiting = async (nth: number) => {
      await x.until(() => waits(x.events).length >= nth)
      return waits(x.events)[nth - 1]
    }
    /** Lists without an answer, including all retries. */
    const failToList = async () => {
      const listed = outcome(x.list())
      await clock.pass(isAbout(500))
      await clock.pass(isAbout(1000))
      return listed
    }
    return { ...x, server, clock, back, waiting, failToList }
  }

  test('FI-56 over five minutes the server is tried at most every 30 s, other servers keep answering, and it reconnects on its own', async () => {
    const { clock, call, status, otherAnswers, back, waiting, failToList, until, events } = await goneServer()
    expect(await failToList()).toEqual({ code: 'server.failed', failure: 'network' })
    expect(status()).toBe('ready')
    expect(await failToList()).toEqual({ code: 'server.failed', failure: 'network' })
    for (let nth = 1; nth <= 10; nth++) {
      const waited = await waiting(nth)
      expect(waited).toMatchObject({ failure: { code: 'network' } })
      expect((waited?.retryAt ?? 0) - (waited?.since ?? 0)).toBeLessThanOrEqual(30_000)
      await otherAnswers()
      expect(await outcome(call())).toEqual({ code: 'server.failed', failure: 'network' })
      await clock.advance(30_000)
    }
    await waiting(11)
    await back()
    const before = events.length
    await clock.advance(30_000)
    const isBack = (event: HostEvent) => event.type === 'server.changed' && event.status.state === 'ready'
    await until((event) => events.indexOf(event) >= before && isBack(event))
    expect(await outcome(call())).toEqual(did())
    expect(status()).toBe('ready')
  })

  test('FI-56 a call that was never sent is retried once before it fails', async () => {
    const { call, clock, back } = await goneServer()
    const called = outcome(call())
    const ms = await clock.waited(isAbout(500))
    await back()
    await clock.advance(ms)
    expect(await called).toEqual(did())
  })

  test('FI-56 after a sleep of the machine a call reconnects without waiting for the planned retry', async () => {
    const { call, clock, back, waiting, failToList } = await goneServer()
    await failToList()
    await Promise.all([failToList(), waiting(1)])
    expect(await outcome(call())).toEqual({ code: 'server.failed', failure: 'network' })
    await back()
    clock.suspend(300_000)
    expect(await outcome(call())).toEqual(did())
  })

  test('FI-56 after a sleep of the machine a server that is kept open reconnects on its own', async () => {
    const { clock, back, waiting, failToList, events, until } = await goneServer()
    await failToList()
    await Promise.all([failToList(), waiting(1)])
    await back()
    clock.suspend(300_000)
    const before = events.length
    await clock.advance(10_000)
    await until((event) => event.type === 'server.changed' && events.indexOf(event) >= before)
    expect(events[before]).toMatchObject({ status: { state: 'connecting', reason: 'retry' } })
  })
})

describe('HTTP proxies from the environment', () => {
  const at = ({ url }: { readonly url: URL }) => `http://user:pass@127.0.0.1:${url.port}`

  test('a plain HTTP request is sent to the proxy with its absolute URL', async () => {
    lookUpNames(() => 'ENOTFOUND')
    const proxy = await serveMcp()
    const env = { HTTP_PROXY: at(proxy) }
    const x = await remoteHost({ type: 'http', url: 'http://mcp.test/mcp' }, { platform: { env } })
    expect(await outcome(x.call())).toEqual(did())
    expect(new Set(proxy.requests.map(({ path }) => path))).toEqual(new Set(['http://mcp.test/mcp']))
    await x.otherAnswers()
  })

  test('an HTTPS request goes through a tunnel that the proxy cannot read', async () => {
    lookUpNames(() => 'ENOTFOUND')
    const cert = { key: tlsFixture('server.key'), cert: tlsFixture('wrong-host.crt') }
    const server = await serveMcp({}, { tls: cert })
    const tunnels: { readonly target: string | undefined; readonly headers: object }[] = []
    const proxy = await serve(() => undefined)
    proxy.server.on('connect', ({ url, headers }, socket) => {
      tunnels.push({ target: url, headers })
      const inner = connect(Number(server.url.port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        inner.pipe(socket).pipe(inner)
      })
      for (const end of [inner, socket]) end.on('error', () => undefined)
    })
    const env = { https_proxy: at(proxy) }
    const entry = { url: 'https://other.example/mcp', headers: secret, caFile: ca }
    const x = await remoteHost(entry, { sources: ['pi'], platform: { env } })
    expect(await outcome(x.call())).toEqual(did())
    expect(server.of('tools/call')[0]?.headers).toMatchObject(secret)
    expect(new Set(tunnels.map(({ target }) => target))).toEqual(new Set(['other.example:443']))
    expect(tunnels.every(({ headers }) => !('authorization' in headers))).toBe(true)
    await x.otherAnswers()
  })

  test.each(['mcp.test', '.test', '*'])('NO_PROXY (%s): the proxy is not used', async (exempt) => {
    const [server, proxy] = [await serveMcp(), await serveMcp()]
    lookUpNames(() => [{ address: '127.0.0.1', family: 4 }])
    const env = { HTTP_PROXY: at(proxy), NO_PROXY: exempt }
    const url = `http://mcp.test:${server.url.port}/mcp`
    const x = await remoteHost({ type: 'http', url }, { platform: { env } })
    expect(await outcome(x.call())).toEqual(did())
    expect(proxy.requests).toHaveLength(0)
  })

  test('an unreachable proxy is named in the error, without its password', async () => {
    const proxy = await serveMcp()
    await proxy.stop()
    const env = { HTTP_PROXY: at(proxy) }
    const x = await remoteHost({ type: 'http', url: 'http://mcp.test/mcp' }, { platform: { env } })
    const error = (await x.list().catch((cause: unknown) => cause)) as Error
    expect(error).toMatchObject({ code: 'server.failed', data: { failure: { code: 'network' } } })
    expect(error.message).toContain(`the proxy 127.0.0.1:${proxy.url.port}`)
    expect(error.message).not.toContain('pass@')
  })
})

describe('HTTP over unix sockets', () => {
  const entries = (socket: string, other: string) =>
    JSON.stringify({
      extensions: {
        x: { enabled: true, type: 'streamable_http', name: 'x', uri: 'http://localhost/mcp', socket },
        other: { enabled: true, type: 'streamable_http', name: 'other', uri: other },
      },
    })

  test('a server on a unix socket is reached there, and nowhere else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-socket-'))
    const path = join(folder, 's')
    const [server, other] = [await serveMcp(), await serveMcp()]
    const unix = createServer((request, response) => void server.server.emit('request', request, response))
    await new Promise<void>((resolve) => unix.listen(path, resolve))
    onTestFinished(async () => {
      await new Promise((resolve) => unix.close(resolve))
      rmSync(folder, { recursive: true })
    })
    const x = await remoteHost({}, { sources: ['goose'], text: entries(path, other.url.href) })
    expect(await outcome(x.call())).toEqual(did())
    expect([server.of('tools/call').length, server.sockets.size]).toEqual([1, 0])
    await x.otherAnswers()
    await x.host.close()
  })

  test('a missing socket is named in the error', async () => {
    const other = await serveMcp()
    const path = join(tmpdir(), 'plugboard-no-such-socket')
    const x = await remoteHost({}, { sources: ['goose'], text: entries(path, other.url.href) })
    const error = (await x.list().catch((cause: unknown) => cause)) as Error
    expect(error).toMatchObject({ code: 'server.failed', data: { failure: { code: 'network' } } })
    expect(error.message).toContain(path)
  })
})
