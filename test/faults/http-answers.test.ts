import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { startFaultyHttp } from '../../src/testing/faulty-http.ts'
import type { Action } from '../../src/testing/faulty-server.ts'
import { createWatchedClock, did, outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest, McpStep } from '../support/remote.ts'

const stream = { 'content-type': 'text/event-stream' }
const json = { 'content-type': 'application/json' }
const { spawn } = nodePlatform()

async function started(on: Readonly<Record<string, McpStep>>, entry = {}) {
  const server = await serveMcp(on)
  const clock = createWatchedClock()
  const x = await remoteHost({ type: 'http', url: server.url.href, ...entry }, { platform: { clock } })
  return { ...x, server, clock }
}

const gone = ({ response }: McpRequest) =>
  new Promise((resolve) => {
    if (response.closed) resolve(undefined)
    else response.once('close', resolve)
  })

describe('FI-50 HTTP answers that never finish', () => {
  const stalls: Record<string, McpStep> = {
    'no byte comes': () => undefined,
    'the headers never end': ({ raw }) => void raw.socket.write('HTTP/1.1 200 OK\r\nx-a: b\r\n'),
    'a byte every ten seconds': (asked) => void asked.response.writeHead(200, json).write('{'),
    'a stream says nothing': (asked) => asked.response.writeHead(200, stream).flushHeaders(),
  }

  test.each(Object.entries(stalls))(
    'FI-50 %s: the call times out, its connection is closed, and other servers keep answering',
    async (name, stall) => {
      const { call, server, clock, otherAnswers, list, status } = await started({ 'tools/call': stall })
      let isOpen = true
      const called = outcome(call()).finally(() => (isOpen = false))
      const asked = await server.until('tools/call')
      for (let seconds = 0; seconds < 50; seconds += 10) {
        await clock.advance(10_000)
        if (name.startsWith('a byte')) asked.response.write(' ')
        await otherAnswers()
      }
      expect(isOpen).toBe(true)
      await clock.advance(10_000)
      expect(await called).toEqual({ code: 'call.timeout', sent: true })
      if (name !== 'the headers never end') await gone(asked)
      expect(await list()).toHaveLength(1)
      expect([status(), server.of('tools/call').length]).toEqual(['ready', 1])
    },
  )

  test('FI-50 a body that stalls for a minute fails the call, even if the call has more time', async () => {
    const half = (asked: McpRequest) => void asked.response.writeHead(200, json).write('{"jsonrpc":"2.0",')
    const { call, server, clock } = await started({ 'tools/call': half }, { timeout: 600_000 })
    const called = call().catch((error: unknown) => error)
    const asked = await server.until('tools/call')
    clock.forget()
    await clock.pass((ms) => ms === 60_000)
    expect(await called).toMatchObject({
      code: 'call.timeout',
      message: '"x": The body of the answer stalled.',
      data: { sent: true },
    })
    await gone(asked)
  })

  test('FI-50 a stream may stay silent between heartbeats until the call times out', async () => {
    const begin = (asked: McpRequest) => void asked.response.writeHead(200, stream).write(': here\n\n')
    const { call, server, clock, otherAnswers } = await started({ 'tools/call': begin }, { timeout: 600_000 })
    const called = outcome(call())
    const { response, message } = await server.until('tools/call')
    for (let minutes = 0; minutes < 5; minutes++) {
      await clock.advance(60_000)
      response.write(': still here\n\n')
      await otherAnswers()
    }
    const answer = { jsonrpc: '2.0', id: message.id, result: did().answer }
    response.end(`data: ${JSON.stringify(answer)}\n\n`)
    expect(await called).toEqual(did())
  })

  test('FI-50 a greeting that never ends fails at the startup timeout', async () => {
    const { list, server, clock, status, otherAnswers } = await started({
      'server/discover': () => undefined,
    })
    const listed = outcome(list())
    const asked = await server.until('server/discover')
    await otherAnswers()
    await clock.advance(30_000)
    expect(await listed).toEqual({ code: 'server.failed', failure: 'timeout' })
    expect(status()).toBe('waiting')
    await gone(asked)
  })

  test('FI-50 a server that never accepts notifications/initialized delays the first request by at most 5 s', async () => {
    const { list, clock } = await started({ 'notifications/initialized': () => undefined })
    const listed = list()
    await clock.pass((ms) => ms === 5000)
    expect(await listed).toHaveLength(1)
  })
})

describe('FI-51 HTTP answers above the size limit', () => {
  const maxBytes = 1024 * 1024
  const mostMemory = 32 * 1024 * 1024

  test.each([
    ['an endless body', json, '{"jsonrpc":"2.0","id":1,"result":{"text":"'],
    ['an endless event', stream, 'data: {"jsonrpc":"2.0","id":1,"result":{"text":"'],
    ['an endless comment line', stream, ': '],
  ])('FI-51 %s is cut off at the limit, and its connection is destroyed', async (_what, headers, begin) => {
    let [written, before, peak] = [0, 0, 0]
    const block = Buffer.alloc(64 * 1024, 'x')
    const pour = (asked: McpRequest) => {
      const { response } = asked
      response.writeHead(200, headers)
      response.write(begin)
      before = process.memoryUsage().arrayBuffers
      const next = () => {
        if (response.destroyed) return
        written += block.length
        peak = Math.max(peak, process.memoryUsage().arrayBuffers)
        response.write(block, () => setImmediate(next))
      }
      next()
    }
    const server = await serveMcp({ 'tools/call': pour })
    const x = await remoteHost({ type: 'http', url: server.url.href }, { limits: { maxBytes } })
    expect(await outcome(x.call())).toEqual({ code: 'call.too-large', sent: true })
    await gone(await server.until('tools/call'))
    expect(written).toBeLessThan(mostMemory)
    expect(peak - before).toBeLessThan(mostMemory)
    expect(await x.list()).toHaveLength(1)
    await x.otherAnswers()
  })

  test('FI-51 a Content-Length above the limit fails the call before any byte of the body is read', async () => {
    const claim = (asked: McpRequest) =>
      asked.response.writeHead(200, { ...json, 'content-length': String(5e9) }).flushHeaders()
    const server = await serveMcp({ 'tools/call': claim })
    const x = await remoteHost({ type: 'http', url: server.url.href }, { limits: { maxBytes } })
    expect(await outcome(x.call())).toEqual({ code: 'call.too-large', sent: true })
    await gone(await server.until('tools/call'))
  })

  const tooLarge = { code: 'call.too-large', sent: true }
  const cut = { code: 'call.outcome-unknown', failure: 'network', sent: true }
  const spoiled: readonly (readonly [string, Action, object])[] = [
    ['a small body that decompresses to 256 MB', { gzipBomb: 256 * 1024 * 1024 }, tooLarge],
    ['ten thousand headers', { manyHeaders: 10_000 }, tooLarge],
    ['a body shorter than its Content-Length', { wrongLength: 10 }, cut],
    ['a body longer than its Content-Length', { wrongLength: -10 }, { code: 'call.protocol', sent: true }],
  ]

  test.each(spoiled)('FI-51 %s fails only its own call', async (_what, action, ends) => {
    await using server = await startFaultyHttp({ on: { 'tools/call:work': action } }, { spawn })
    const x = await remoteHost({ type: 'http', url: server.url.href }, { limits: { maxBytes } })
    await x.list()
    const before = process.memoryUsage().arrayBuffers
    expect(await outcome(x.call())).toEqual(ends)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(mostMemory)
    expect(x.status()).toBe('ready')
    expect(await outcome(x.call('fine'))).toEqual({
      answer: { content: [{ type: 'text', text: '{"name":"fine","arguments":{}}' }] },
    })
    await x.otherAnswers()
  })
})

describe('FI-52 HTTP answers that are not MCP answers', () => {
  const page = `<html>\u001b[31m${'sign in '.repeat(100)}</html>`
  const none: readonly (readonly [string, number, Readonly<Record<string, string>>, string, string])[] = [
    ['an HTML page', 200, { 'content-type': 'text/html' }, page, 'HTTP 200 (text/html, "<html>'],
    ['an empty JSON body', 200, json, '', 'HTTP 200 (application/json, no body)'],
    ['an empty body without a type', 200, {}, '', 'HTTP 200 (no content type, no body)'],
    ['202 without a stream', 202, {}, '', 'HTTP 202 (no content type, no body)'],
    ['204', 204, {}, '', 'HTTP 204 (no content type, no body)'],
    [
      'JSON that is not JSON-RPC',
      200,
      json,
      '{"hello":"you"}',
      'HTTP 200 (application/json, "{"hello":"you"}")',
    ],
    ['a truncated answer', 200, json, '{"jsonrpc":', 'HTTP 200 (application/json, "{"jsonrpc":")'],
  ]

  test.each(none)(
    'FI-52 %s to a call: the error shows status, type and beginning of the body, escaped and short',
    async (_what, status, headers, body, told) => {
      const server = await serveMcp({ 'tools/call': (asked) => asked.status(status, headers, body) })
      const x = await remoteHost({ type: 'http', url: server.url.href })
      const error = (await x.call().catch((cause: unknown) => cause)) as Error
      expect(error).toMatchObject({ code: 'call.protocol', data: { sent: true } })
      expect(error.message).toContain(told)
      expect(error.message.length).toBeLessThan(400)
      expect(error.message).not.toMatch(/\p{C}/u)
      expect(server.of('tools/call')).toHaveLength(1)
      expect(await x.list()).toHaveLength(1)
    },
  )

  test.each(none)(
    'FI-52 %s to a greeting: the server fails as not MCP, and is not retried',
    async (...row) => {
      const [, status, headers, body, told] = row
      const server = await serveMcp({ '*': (asked) => asked.status(status, headers, body) })
      const x = await remoteHost({ type: 'http', url: server.url.href, lifecycle: 'background' })
      await x.untilState('failed')
      const error = (await x.list().catch((cause: unknown) => cause)) as Error
      expect(error).toMatchObject({ code: 'server.failed', data: { failure: { code: 'protocol' } } })
      expect(error.message).toContain(told)
      await x.otherAnswers()
      expect(new Set(server.requests.map(({ message }) => message.method))).toEqual(
        new Set(['server/discover', 'initialize']),
      )
    },
  )
})
