import { describe, expect, test } from 'vitest'
import type { HostEvent } from '../../src/index.ts'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { startFaultyHttp } from '../../src/testing/faulty-http.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { isAbout, createWatchedClock, did, outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest, McpStep } from '../support/remote.ts'

const stream = { 'content-type': 'text/event-stream' }
const { spawn } = nodePlatform()

const note = (n: number) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { n } })
const answerTo = ({ message }: McpRequest) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: message.id,
    result: { content: [{ type: 'text', text: 'did work' }] },
  })
const event = (id: string, data: string, more = '') => `id: ${id}\n${more}data: ${data}\n\n`

/** The numbers of the notes that a host received, in order. */
const heard = (events: readonly HostEvent[]) =>
  events.flatMap((each) =>
    each.type === 'server.notified' && each.server === 'x' ? [(each.params as { readonly n: number }).n] : [],
  )

describe('FI-47 a broken request stream with event ids (up to 2025-11-25)', () => {
  test('FI-47 is resumed after the last event, without loss and without duplicates', async () => {
    const clock = createWatchedClock()
    let call: McpRequest | undefined
    const parts: Record<string, () => string> = {
      // Repeats the event that the client named, as some servers do.
      'e-2': () => event('e-2', note(2)) + event('e-3', note(3)),
      'e-3': () => event('e-4', call ? answerTo(call) : ''),
    }
    const server = await serveMcp({
      'tools/call': (asked) => {
        call = asked
        asked.response.writeHead(200, stream).end(event('e-1', note(1)) + event('e-2', note(2)))
      },
      GET: (asked) => {
        const rest = parts[asked.headers['last-event-id'] ?? '']
        if (rest) asked.response.writeHead(200, stream).end(rest())
        else asked.status(405)
      },
    })
    const x = await remoteHost({ type: 'http', url: server.url.href }, { platform: { clock } })
    const called = outcome(x.call())
    await clock.waited((ms) => ms === 1000)
    await x.otherAnswers()
    await clock.advance(1000)
    await clock.pass((ms) => ms === 1000)
    expect(await called).toEqual(did())
    expect(heard(x.events)).toEqual([1, 2, 3])
    expect(server.of('tools/call')).toHaveLength(1)
    const resumed = server.of('GET').map(({ headers }) => headers['last-event-id'])
    expect(resumed.filter((id) => id !== undefined)).toEqual(['e-2', 'e-3'])
  })

  test.each([
    ['0', 250],
    ['7000', 7000],
    ['1000000000', 30_000],
  ])('FI-47 a retry time of %s ms from the server is clamped to the bounds', async (retry, waitMs) => {
    const clock = createWatchedClock()
    let call: McpRequest | undefined
    const server = await serveMcp({
      'tools/call': (asked) => {
        call = asked
        asked.response.writeHead(200, stream).end(event('e-1', note(1), `retry: ${retry}\n`))
      },
      GET: (asked) =>
        call && asked.headers['last-event-id'] === 'e-1'
          ? asked.response.writeHead(200, stream).end(event('e-2', answerTo(call)))
          : asked.status(405),
    })
    // Longer than the longest accepted retry time.
    const entry = { type: 'http', url: server.url.href, timeout: 120_000, startupTimeout: 29_000 }
    const x = await remoteHost(entry, { platform: { clock } })
    const called = outcome(x.call())
    await server.until('tools/call')
    expect(await clock.pass((ms) => ms === waitMs)).toBe(waitMs)
    expect(await called).toEqual(did())
  })

  test('FI-47 five failed resumptions leave the outcome unknown, and the call is not sent again', async () => {
    const clock = createWatchedClock()
    const server = await serveMcp({
      'tools/call': (asked) => asked.response.writeHead(200, stream).end(event('e-1', note(1))),
      GET: (asked) => asked.status(asked.headers['last-event-id'] === undefined ? 405 : 503),
    })
    const entry = { type: 'http', url: server.url.href, timeout: 120_000 }
    const x = await remoteHost(entry, { platform: { clock } })
    const called = outcome(x.call())
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000]) {
      await clock.pass((ms) => ms === waitMs)
    }
    expect(await called).toEqual({ code: 'call.outcome-unknown', failure: 'closed', sent: true })
    expect(server.of('GET').filter(({ headers }) => 'last-event-id' in headers)).toHaveLength(5)
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('FI-47, D-5 a server that goes down during a repeatable call leaves its outcome unknown', async () => {
    const clock = createWatchedClock()
    const server = await serveMcp({
      'tools/call': (asked) => {
        asked.response.writeHead(200, stream).write(event('e-1', note(1)), () => void server.stop())
      },
    })
    const entry = { type: 'http', url: server.url.href, timeout: 120_000 }
    const x = await remoteHost(entry, { platform: { clock } })
    const called = outcome(x.call('work', {}, { isRepeatable: true }))
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000]) await clock.pass((ms) => ms === waitMs)
    // The repeated call finds no server.
    await clock.pass(isAbout(1000))
    expect(await called).toEqual({ code: 'call.outcome-unknown', failure: 'network', sent: true })
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('FI-47 the faulty server drops a stream in the middle, and its rest is fetched', async () => {
    const say = (n: number) => ({ notify: { method: 'notifications/message', params: { n } } })
    const script: FaultyScript = {
      eventIds: true,
      on: { 'tools/call': [say(1), 'drop', say(2), { text: 'did work' }] },
    }
    await using server = await startFaultyHttp(script, { spawn })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.call())).toEqual(did())
    expect(heard(x.events)).toEqual([1, 2])
    await x.otherAnswers()
  })
})

/** Starts an answer as a stream and breaks it the given number of times. */
function breaking(count: number, cut: (asked: McpRequest) => void): McpStep {
  let left = count
  return (asked) => {
    if (left-- <= 0) return asked.answer()
    asked.response.writeHead(200, stream)
    asked.response.write(`: working\n\n`, () => cut(asked))
  }
}
const cuts = {
  ended: ({ response }: McpRequest) => void response.end(),
  reset: ({ raw }: McpRequest) => void raw.socket.resetAndDestroy(),
}

describe('FI-48 a broken request stream (2026-07-28)', () => {
  test.each(Object.entries(cuts))(
    'FI-48 (%s) leaves the outcome of a call unknown; it is neither resumed nor repeated',
    async (_how, cut) => {
      const server = await serveMcp({ 'tools/call': breaking(9, cut) }, { era: 'modern' })
      const x = await remoteHost({ type: 'http', url: server.url.href })
      expect(await outcome(x.call())).toEqual({
        code: 'call.outcome-unknown',
        failure: 'closed',
        sent: true,
      })
      await x.otherAnswers()
      expect([server.of('tools/call').length, server.of('GET').length]).toEqual([1, 0])
      expect(x.status()).toBe('ready')
    },
  )

  test.each(Object.entries(cuts))(
    'FI-48 (%s) a repeatable call is sent once more, with a new id',
    async (_how, cut) => {
      const server = await serveMcp({ 'tools/call': breaking(1, cut) }, { era: 'modern' })
      const x = await remoteHost({ type: 'http', url: server.url.href })
      expect(await outcome(x.call('work', {}, { isRepeatable: true }))).toEqual(did())
      const ids = server.of('tools/call').map(({ message }) => message.id)
      expect([ids.length, new Set(ids).size]).toEqual([2, 2])
    },
  )

  test('FI-48 a repeatable call is sent only twice', async () => {
    const server = await serveMcp({ 'tools/call': breaking(9, cuts.ended) }, { era: 'modern' })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.call('work', {}, { isRepeatable: true }))).toEqual({
      code: 'call.outcome-unknown',
      failure: 'closed',
      sent: true,
    })
    expect(server.of('tools/call')).toHaveLength(2)
  })

  test('FI-48 a list is read-only and is repeated silently', async () => {
    const server = await serveMcp({ 'tools/list': breaking(1, cuts.ended) }, { era: 'modern' })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await x.list()).toHaveLength(1)
    expect(server.of('tools/list')).toHaveLength(2)
  })

  test('FI-48 a call whose preceding list breaks fails as not sent', async () => {
    const server = await serveMcp({ 'tools/list': ({ status }) => status(500) }, { era: 'modern' })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(x.call())).toEqual({ code: 'server.failed', failure: 'upstream' })
    expect(server.of('tools/call')).toHaveLength(0)
  })

  test('FI-48 a cancelled call closes its stream, which informs the server', async () => {
    const server = await serveMcp(
      { 'tools/call': (asked) => asked.response.writeHead(200, stream).flushHeaders() },
      { era: 'modern' },
    )
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const cancel = new AbortController()
    const called = outcome(x.call('work', {}, { signal: cancel.signal }))
    const { response } = await server.until('tools/call')
    const isGone = new Promise((resolve) => void response.once('close', resolve))
    cancel.abort()
    expect(await called).toEqual({ code: 'call.cancelled', sent: true })
    await isGone
    expect(server.of('notifications/cancelled')).toHaveLength(0)
  })
})

describe('FI-49 the endpoint event of HTTP+SSE', () => {
  const sse = (endpoint: string, on: FaultyScript['on'] = {}) =>
    startFaultyHttp({ endpoint, on }, { spawn, mode: 'sse' })

  test('FI-49 an address on another origin is refused, and nothing is sent there', async () => {
    const elsewhere = await serveMcp()
    await using server = await sse(new URL('/message', elsewhere.url).href)
    const entry = { type: 'sse', url: server.url.href, headers: { authorization: 'Bearer secret-token' } }
    const x = await remoteHost(entry)
    const error = await x.list().catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'server.failed', data: { failure: { code: 'blocked' } } })
    expect((error as Error).message).toContain(elsewhere.url.origin)
    expect(x.status()).toBe('failed')
    expect(elsewhere.requests).toHaveLength(0)
    await x.otherAnswers()
  })

  test('FI-49 without an address the attempt fails after ten seconds', async () => {
    const clock = createWatchedClock()
    await using server = await sse('never')
    const x = await remoteHost({ type: 'sse', url: server.url.href }, { platform: { clock } })
    const connected = outcome(x.list())
    await clock.waited((ms) => ms === 10_000)
    await x.otherAnswers()
    await clock.advance(10_000)
    expect(await connected).toEqual({ code: 'server.failed', failure: 'timeout' })
    expect(x.status()).toBe('waiting')
  })

  test('FI-49 a second address is ignored', async () => {
    const journaled = { 'POST:/other': { http: { status: 500 } } }
    await using server = await sse('twice', journaled)
    const x = await remoteHost({ type: 'sse', url: server.url.href })
    expect(await x.list()).toHaveLength(1)
    const journal = (await (await fetch(new URL('/journal', server.url))).json()) as { path?: string }[]
    expect(journal.filter(({ path }) => path === '/other')).toEqual([])
  })
})
