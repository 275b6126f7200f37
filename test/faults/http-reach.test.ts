import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HostEvent } from '../../src/index.ts'
import { lookUpNames } from '../support/names.ts'
import { tlsFixture } from '../support/http-server.ts'
import { isAbout, createWatchedClock, did, outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest } from '../support/remote.ts'

const secret = { authorization: 'Bearer secret-token' }
const ca = fileURLToPath(new URL('../fixtures/tls/ca.crt', import.meta.url))
const tls = (name: string) => ({ key: tlsFixture('server.key'), cert: tlsFixture(name) })

/** A host whose entry `x` names the certificate authority. */
const secureHost = (url: URL, entry = {}, options = {}) =>
  remoteHost({ url: url.href, headers: secret, caFile: ca, ...entry }, options)

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return (server.address() as AddressInfo).port // it listens on a port
}

describe('FI-53 HTTP redirects', () => {
  const moved =
    (to: string, status = 307) =>
    (asked: McpRequest) =>
      asked.status(status, { location: to })
  const byPath = (steps: Readonly<Record<string, (asked: McpRequest) => void>>) => (asked: McpRequest) =>
    (steps[asked.path] ?? ((each: McpRequest) => each.answer()))(asked)

  test.each([307, 308])(
    'FI-53 %i to the same origin is followed, with method, body and headers',
    async (status) => {
      const server = await serveMcp({ 'tools/call': byPath({ '/mcp': moved('/other/mcp', status) }) })
      const x = await remoteHost({ type: 'http', url: server.url.href, headers: secret })
      expect(await outcome(x.call())).toEqual(did())
      const [first, second] = server.of('tools/call')
      expect(second).toMatchObject({ path: '/other/mcp', body: first?.body, headers: secret })
    },
  )

  test('FI-53 three redirects are followed, the fourth is refused, so a loop ends', async () => {
    const server = await serveMcp({ 'tools/call': moved('/mcp') })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.call())).toEqual({ code: 'server.failed', failure: 'blocked' })
    expect(server.of('tools/call')).toHaveLength(4)
    expect(await x.list()).toHaveLength(1)
  })

  test.each([301, 302, 303, 307, 308])(
    'FI-53 %i to another origin is refused, the error names the target, and no secret is sent there',
    async (status) => {
      const elsewhere = await serveMcp()
      const to = `${elsewhere.url.origin}/take?token=abc`
      const server = await serveMcp({ '*': moved(to, status) })
      const x = await remoteHost({ type: 'http', url: server.url.href, headers: secret })
      const error = (await x.list().catch((cause: unknown) => cause)) as Error
      expect(error).toMatchObject({ code: 'server.failed', data: { failure: { code: 'blocked' } } })
      expect(error.message).toContain(`${elsewhere.url.origin}/take`)
      expect(error.message).not.toContain('abc')
      expect(elsewhere.requests).toHaveLength(0)
      expect(x.status()).toBe('failed')
      await x.otherAnswers()
    },
  )

  test.each([
    [301, { code: 'server.failed', failure: 'blocked' }],
    // Servers send these after they acted on a POST.
    [302, { code: 'call.outcome-unknown', sent: true, failure: 'blocked' }],
    [303, { code: 'call.outcome-unknown', sent: true, failure: 'blocked' }],
  ])(
    'FI-53 %i is refused even on the same origin, because it does not preserve the request',
    async (status, told) => {
      const server = await serveMcp({ 'tools/call': byPath({ '/mcp': moved('/other', status) }) })
      const x = await remoteHost({ type: 'http', url: server.url.href })
      expect(await outcome(x.call())).toEqual(told)
      expect(server.of('tools/call')).toHaveLength(1)
    },
  )

  test('FI-53 https to http counts as another origin, even on the same host', async () => {
    const plain = await serveMcp()
    const server = await serveMcp({ '*': moved(plain.url.href) }, { tls: tls('good.crt') })
    const x = await secureHost(server.url)
    expect(await outcome(x.list())).toEqual({ code: 'server.failed', failure: 'blocked' })
    expect(plain.requests).toHaveLength(0)
  })
})

describe('FI-54 TLS', () => {
  test('FI-54 a certificate whose authority the entry names is accepted', async () => {
    const server = await serveMcp({}, { tls: tls('good.crt') })
    const x = await secureHost(server.url)
    expect(await outcome(x.call())).toEqual(did())
  })

  const oldest = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  test.each([
    ['a certificate of an unknown authority', tls('good.crt'), { caFile: undefined }],
    ['an expired certificate', tls('expired.crt'), {}],
    ['a certificate of another host', tls('wrong-host.crt'), {}],
    ['a server with TLS 1.0 only', { ...tls('good.crt'), ...oldest }, {}],
  ])('FI-54 %s: no byte of a request is sent, and there is no retry', async (_what, options, entry) => {
    const server = await serveMcp({}, { tls: options })
    let connections = 0
    server.server.on('connection', () => connections++)
    const x = await secureHost(server.url, { ...entry, lifecycle: 'eager' })
    await x.untilState('failed')
    await x.otherAnswers()
    expect([connections, server.requests.length]).toEqual([1, 0])
    expect(x.host.servers()[0]?.status).toMatchObject({
      state: 'failed',
      failure: { code: 'tls', message: expect.stringContaining(server.url.host) },
    })
    expect(await outcome(x.call())).toEqual({ code: 'server.failed', failure: 'tls' })
    expect(connections).toBe(2)
  })

  test('FI-54 a reset during the TLS handshake is reported as such, and there is no automatic retry', async () => {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections++
      socket.on('error', () => undefined)
      socket.once('data', () => socket.resetAndDestroy())
    })
    const port = await listen(server)
    const x = await secureHost(new URL(`https://127.0.0.1:${port}/mcp`), { lifecycle: 'eager' })
    await x.untilState('failed')
    expect(x.host.servers()[0]?.status).toMatchObject({ failure: { code: 'tls' } })
    await x.otherAnswers()
    expect(connections).toBe(1)
  })
})

describe('FI-55 DNS', () => {
  test.each(['ENOTFOUND', 'EAI_AGAIN'])(
    'FI-55 a name that does not resolve (%s) is reported as a DNS failure',
    async (code) => {
      lookUpNames(() => code)
      const clock = createWatchedClock()
      const x = await remoteHost({ type: 'http', url: 'http://mcp.test/mcp' }, { platform: { clock } })
      const error = (await x.list().catch((cause: unknown) => cause)) as Error
      expect(error).toMatchObject({ code: 'server.failed', data: { failure: { code: 'dns' } } })
      expect(error.message).toContain('mcp.test')
      expect(x.status()).toBe('waiting')
      await x.otherAnswers()
      await clock.advance(30_000)
      expect(await outcome(x.list())).toEqual({ code: 'server.failed', failure: 'dns' })
    },
  )

  test('FI-55 a name that resolves again is used again', async () => {
    const server = await serveMcp()
    let isKnown = false
    lookUpNames(() => (isKnown ? [{ address: '127.0.0.1', family: 4 }] : 'ENOTFOUND'))
    const clock = createWatchedClock()
    const url = `http://mcp.test:${server.url.port}/mcp`
    const x = await remoteHost({ type: 'http', url, lifecycle: 'background' }, { platform: { clock } })
    await x.untilState('waiting')
    isKnown = true
    await clock.pass(isAbout(500))
    await x.untilState('ready')
    expect(await outcome(x.call())).toEqual(did())
  })

  test('FI-55 a lookup that never ends fails at the startup timeout, and other servers keep answering', async () => {
    lookUpNames(() => undefined)
    const clock = createWatchedClock()
    const x = await remoteHost({ type: 'http', url: 'http://mcp.test/mcp' }, { platform: { clock } })
    const listed = outcome(x.list())
    await x.until((event) => event.type === 'server.changed' && isGreeting(event))
    await x.otherAnswers()
    await clock.advance(30_000)
    expect(await listed).toEqual({ code: 'server.failed', failure: 'timeout' })
  })

  test('FI-55 close works during a lookup that never ends', async () => {
    lookUpNames(() => undefined)
    const x = await remoteHost({ type: 'http', url: 'http://mcp.test/mcp' })
    const listed = outcome(x.list())
    await x.until((event) => event.type === 'server.changed' && isGreeting(event))
    await x.host.close()
    expect(await listed).toMatchObject({ code: 'call.cancelled' })
  })

  test('FI-55 a dead IPv6 address does not prevent the connection over IPv4', async () => {
    const server = await serveMcp()
    lookUpNames(() => [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ])
    const x = await remoteHost({ type: 'http', url: `http://mcp.test:${server.url.port}/mcp` })
    expect(await outcome(x.call())).toEqual(did())
  })
})

// oxlint-disable-next-line vitest/no-disabled-tests -- the reason is its title
test.skip('FI-55 an IPv6 address that swallows packets: cannot be tested here, the machine has no such network', () => {})

function isGreeting(event: HostEvent): boolean {
  return (
    event.type === 'server.changed' && event.status.state === 'connecting' && event.status.step === 'greeting'
  )
}
