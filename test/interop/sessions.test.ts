import { describe, expect, test } from 'vitest'
import { hostWith } from '../support/hosted.ts'
import { serveV1Sse, serveV1Stateful, serveV2 } from './servers/http.ts'
import type { Peer } from './servers/http.ts'

/** The HTTP methods a peer received, each once, in order. */
const methodsOf = ({ requests }: Peer) => [...new Set(requests.map(({ method }) => method))]

describe('Streamable HTTP with sessions', () => {
  test('every message has the session and the revision, a GET stream is open, and DELETE ends the session', async () => {
    const peer = await serveV1Stateful()
    await using x = await hostWith({ type: 'http', url: peer.url, protocol: 'legacy' })
    await x.connect()
    await x.call('echo', { text: 'a' })
    await x.host.close()
    await peer.notes.until('session ended')
    expect(methodsOf(peer)).toEqual(['POST', 'GET', 'DELETE'])
    const [first, ...later] = peer.requests
    expect(first?.headers['mcp-session-id']).toBeUndefined()
    expect(new Set(later.map(({ headers }) => headers['mcp-session-id'])).size).toBe(1)
    expect(new Set(later.map(({ headers }) => headers['mcp-protocol-version']))).toEqual(
      new Set(['2025-11-25']),
    )
    await peer.close()
  })

  test.each([404, 400] as const)(
    'C28 a session the server lost (%i) is started again, and the call is answered',
    async (lost) => {
      const peer = await serveV1Stateful({ lost })
      await using x = await hostWith({ type: 'http', url: peer.url })
      await x.connect()
      await peer.forget()
      expect(await x.tools()).toContain('echo')
      expect(await x.call('echo', { text: 'again' })).toBe('again')
      expect(peer.notes.count('session')).toBe(2)
      await x.host.close()
      await peer.close()
    },
  )

  test('an unknown method does not start a new session', async () => {
    const peer = await serveV1Stateful()
    await using x = await hostWith({ type: 'http', url: peer.url })
    await x.connect()
    await expect(x.request('no/such-method')).rejects.toMatchObject({
      code: 'request.refused',
      data: { error: { code: -32601 } },
    })
    expect(peer.notes.count('session')).toBe(1)
    await x.host.close()
    await peer.close()
  })
})

describe('HTTP+SSE', () => {
  test('a stream that breaks during a call leaves the outcome unknown; the next call opens a new stream', async () => {
    const peer = await serveV1Sse()
    await using x = await hostWith({ type: 'sse', url: peer.url })
    await x.connect()
    const call = x.call('wait')
    await peer.notes.until('waiting')
    peer.drop()
    await expect(call).rejects.toMatchObject({ code: 'call.outcome-unknown', data: { sent: true } })
    expect(await x.call('echo', { text: 'again' })).toBe('again')
    expect(peer.notes.count('stream')).toBe(2)
    await x.host.close()
    await peer.close()
  })
})

describe('modern era over HTTP', () => {
  test('every request has its method, name and revision in headers; there is no session and no DELETE', async () => {
    const peer = await serveV2()
    await using x = await hostWith({ type: 'http', url: peer.url })
    await x.connect()
    await x.call('echo', { text: 'a' })
    await x.request('resources/read', { uri: 'note://a' })
    await x.request('prompts/get', { name: 'greet', arguments: { who: 'a' } })
    await x.host.close()
    const named = peer.requests.map(({ headers }) => [headers['mcp-method'], headers['mcp-name']])
    expect(named).toContainEqual(['server/discover', undefined])
    expect(named).toContainEqual(['tools/call', 'echo'])
    expect(named).toContainEqual(['resources/read', 'note://a'])
    expect(named).toContainEqual(['prompts/get', 'greet'])
    expect(methodsOf(peer)).toEqual(['POST'])
    expect(peer.requests.every(({ headers }) => headers['mcp-protocol-version'] === '2026-07-28')).toBe(true)
    expect(peer.requests.some(({ headers }) => 'mcp-session-id' in headers)).toBe(false)
    await peer.close()
  })

  test('an unknown method with status 404 is an answer of the server, not a lost session', async () => {
    const peer = await serveV2()
    await using x = await hostWith({ type: 'http', url: peer.url })
    await expect(x.request('no/such-method')).rejects.toMatchObject({
      code: 'request.refused',
      data: { error: { code: -32601 } },
    })
    expect(await x.call('echo', { text: 'here' })).toBe('here')
    await x.host.close()
    await peer.close()
  })

  test('requestState is sent back unchanged', async () => {
    const peer = await serveV2()
    const elicit = () => Promise.resolve({ action: 'decline' } as const)
    await using x = await hostWith({ type: 'http', url: peer.url }, { elicit })
    expect(JSON.parse(await x.call('ask'))).toEqual({ action: 'decline' })
    expect(peer.notes.lines).toContain('state an opaque "state" \\ with ümlauts')
    await x.host.close()
    await peer.close()
  })

  test('without an elicit handler the capability is not declared', async () => {
    const peer = await serveV2()
    await using x = await hostWith({ type: 'http', url: peer.url })
    await expect(x.call('ask')).rejects.toMatchObject({ data: { error: { code: -32021 } } })
    await x.host.close()
    await peer.close()
  })
})
