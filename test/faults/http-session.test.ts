import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { startFaultyHttp } from '../../src/testing/faulty-http.ts'
import { did, outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest, McpServer, McpStep } from '../support/remote.ts'

/** A legacy server that numbers its sessions and knows only the newest, until it loses that one too. */
async function serveSessions(on: Readonly<Record<string, McpStep>> = {}, lost = 404) {
  let [count, known] = [0, '']
  const check = (asked: McpRequest) => {
    if (asked.headers['mcp-session-id'] !== known) return asked.status(lost)
    const step = on[asked.message.method ?? asked.method]
    if (step) step(asked)
    else asked.answer()
  }
  const begin = (asked: McpRequest) => {
    known = `s-${++count}`
    asked.response.setHeader('mcp-session-id', known)
    asked.answer()
  }
  const server = await serveMcp({ '*': check, initialize: begin })
  return Object.assign(server, { lose: () => void (known = '') })
}

const entryOf = ({ url }: { readonly url: URL }, more = {}) => ({
  type: 'http',
  url: url.href,
  protocol: 'legacy',
  ...more,
})
const sessionsOf = (server: McpServer, method: string) =>
  server.of(method).map(({ headers }) => headers['mcp-session-id'])

describe('FI-43 a session that the server has lost', () => {
  test.each([404, 400])('FI-43 (%i) is renewed once, and a list is sent again', async (lost) => {
    const server = await serveSessions({}, lost)
    const { list, status, otherAnswers } = await remoteHost(entryOf(server))
    await list()
    server.lose()
    expect(await list()).toHaveLength(1)
    expect(sessionsOf(server, 'tools/list')).toEqual(['s-1', 's-1', 's-2'])
    expect(server.of('initialize')).toHaveLength(2)
    expect(status()).toBe('ready')
    await otherAnswers()
  })

  test('FI-43 a call is not repeated, and the next call uses a new session', async () => {
    const server = await serveSessions()
    const { call, list, status } = await remoteHost(entryOf(server))
    await list()
    server.lose()
    expect(await outcome(call())).toEqual({ code: 'server.failed', failure: 'session' })
    expect(status()).toBe('idle')
    expect(await outcome(call())).toEqual(did())
    expect(sessionsOf(server, 'tools/call')).toEqual(['s-1', 's-2'])
  })

  test('FI-43 a repeatable call is sent again in the new session', async () => {
    const server = await serveSessions()
    const { call, list } = await remoteHost(entryOf(server))
    await list()
    server.lose()
    expect(await outcome(call('work', {}, { isRepeatable: true }))).toEqual(did())
    expect(sessionsOf(server, 'tools/call')).toEqual(['s-1', 's-2'])
  })

  test('FI-43 a server that loses every session is not retried endlessly', async () => {
    const server = await serveSessions({ 'tools/list': ({ status }) => status(404) })
    const { list } = await remoteHost(entryOf(server))
    expect(await outcome(list())).toEqual({ code: 'server.failed', failure: 'session' })
    expect([server.of('initialize').length, server.of('tools/list').length]).toEqual([2, 2])
  })

  test('FI-43 concurrent requests that lose the session share one new session', async () => {
    const server = await serveSessions()
    const { host, list } = await remoteHost(entryOf(server))
    await list()
    server.lose()
    const pings = await Promise.all(Array.from({ length: 8 }, () => outcome(host.request('x', 'ping'))))
    expect(pings).toEqual(Array.from({ length: 8 }, () => ({ answer: {} })))
    expect(server.of('initialize')).toHaveLength(2)
  })

  test('FI-43 a call in flight when another request finds the session lost has an unknown outcome and is not repeated', async () => {
    const server = await serveSessions({ 'tools/call': () => undefined })
    const { call, host } = await remoteHost(entryOf(server))
    const long = outcome(call())
    await server.until('tools/call')
    server.lose()
    expect(await outcome(host.request('x', 'ping'))).toEqual({ answer: {} })
    expect(await long).toEqual({ code: 'call.outcome-unknown', failure: 'closed', sent: true })
    expect(server.of('tools/call')).toHaveLength(1)
  })
})

describe('end of an HTTP session', () => {
  test('close ends the session with DELETE and closes all its connections', async () => {
    const server = await serveSessions({
      GET: ({ response }) => response.writeHead(200, stream).flushHeaders(),
    })
    const { host, list } = await remoteHost(entryOf(server))
    await list()
    await server.until('GET')
    await host.close()
    expect(sessionsOf(server, 'DELETE')).toEqual(['s-1'])
    expect(server.of('DELETE')[0]?.headers['mcp-protocol-version']).toBe('2025-11-25')
    await server.untilIdle()
  })

  test('a server that does not answer the DELETE does not delay close', async () => {
    const server = await serveSessions({ DELETE: () => undefined })
    const { host, list } = await remoteHost(entryOf(server))
    await list()
    await host.close()
    expect(server.of('DELETE')).toHaveLength(1)
    await server.untilIdle()
  })

  test('without a session no DELETE is sent', async () => {
    const [old, modern] = [await serveMcp(), await serveMcp({}, { era: 'modern' })]
    for (const server of [old, modern]) {
      const { host, list } = await remoteHost({ type: 'http', url: server.url.href })
      await list()
      await host.close()
      expect(server.of('DELETE')).toHaveLength(0)
    }
  })

  test('a call in flight during close fails with a reason, exactly once', async () => {
    const server = await serveMcp({ 'tools/call': () => undefined })
    const { host, call } = await remoteHost(entryOf(server))
    const called = outcome(call())
    await server.until('tools/call')
    await host.close()
    expect(await called).toEqual({ code: 'call.cancelled', sent: true })
    await server.untilIdle()
  })
})

const stream = { 'content-type': 'text/event-stream' }

describe('FI-57 kept-alive HTTP connections', () => {
  /** Cuts the connection instead of answering, the given number of times. */
  const cut = (count: number): McpStep => {
    let left = count
    return (asked) => (left-- > 0 ? asked.raw.socket.resetAndDestroy() : asked.answer())
  }

  test('FI-57 a call on a connection that is cut after sending is not sent again', async () => {
    const server = await serveMcp({ 'tools/call': cut(1) })
    const { call, status } = await remoteHost(entryOf(server))
    expect(await outcome(call())).toEqual({ code: 'call.outcome-unknown', failure: 'network', sent: true })
    expect(server.of('tools/call')).toHaveLength(1)
    expect(status()).toBe('ready')
    expect(await outcome(call())).toEqual(did())
  })

  test('FI-57 a list on a connection that is cut is sent again', async () => {
    const server = await serveMcp({ 'tools/list': cut(1) })
    const { list } = await remoteHost(entryOf(server))
    expect(await list()).toHaveLength(1)
    expect(server.of('tools/list')).toHaveLength(2)
  })

  test('FI-57 connections that the server closed while idle cause no failed call', async () => {
    const server = await serveMcp()
    const { call, otherAnswers } = await remoteHost(entryOf(server))
    await call()
    for (const socket of server.sockets) socket.destroy()
    await server.untilIdle()
    await otherAnswers()
    expect(await outcome(call())).toEqual(did())
    expect(server.of('tools/call')).toHaveLength(2)
  })

  test('FI-57 a reset in the middle of a call leaves its outcome unknown', async () => {
    const { spawn } = nodePlatform()
    await using server = await startFaultyHttp({ on: { 'tools/call': ['reset'] } }, { spawn })
    const { call, list, otherAnswers } = await remoteHost(entryOf(server))
    expect(await outcome(call())).toEqual({ code: 'call.outcome-unknown', failure: 'network', sent: true })
    expect(await list()).toHaveLength(1)
    await otherAnswers()
  })
})
