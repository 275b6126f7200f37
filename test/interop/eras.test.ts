import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { hostWith } from '../support/hosted.ts'
import { legacy, modern, program } from './entries.ts'
import { serveV1Sse, serveV1Stateful, serveV1Stateless, serveV2, serveV2Stateful } from './servers/http.ts'
import type { Peer } from './servers/http.ts'

const newest = '2026-07-28'

describe('C27 era over stdio', () => {
  test.each([
    ['SDK v1', 'auto', program('v1'), legacy()],
    ['SDK v1', 'legacy', program('v1'), legacy()],
    ['SDK v2', 'auto', program('v2'), modern],
    ['SDK v2', 'legacy', program('v2'), legacy()],
    ['SDK v2', newest, program('v2'), modern],
    ['SDK v2, modern only', 'auto', program('v2', '--modern-only'), modern],
    ['SDK v2, modern only', newest, program('v2', '--modern-only'), modern],
    [
      'a server that answers the probe with an unusual error',
      'auto',
      program('raw', 'odd-on-probe'),
      legacy('2025-03-26'),
    ],
    ['a server of 2024-11-05', 'auto', program('raw', 'oldest'), legacy('2024-11-05')],
    ['a server of 2024-11-05', 'legacy', program('raw', 'oldest'), legacy('2024-11-05')],
  ])('connect to %s with protocol %s', async (_peer, protocol, entry, agreed) => {
    await using x = await hostWith({ ...entry, protocol })
    expect(await x.connect()).toEqual(agreed)
    expect(await x.call('echo', { text: 'héllo' })).toBe('héllo')
  })

  test('a server that exits on the probe is started again and initialized as legacy', async () => {
    await using x = await hostWith(program('raw', 'exits-on-probe'))
    expect(await x.connect()).toEqual(legacy('2025-06-18'))
    expect(await x.call('echo', { text: 'here' })).toBe('here')
    expect(x.events.filter((event) => event.type === 'server.said' && event.line === 'started')).toHaveLength(
      2,
    )
  })

  test('a server that ignores the probe is initialized as legacy in the same process', async () => {
    const clock = createFakeClock()
    await using x = await hostWith(program('raw', 'silent-on-probe'), { platform: { clock } })
    const connected = x.connect()
    await x.untilSaid('ignored')
    await clock.advance(5000)
    expect(await connected).toEqual(legacy())
    expect(x.events.filter((event) => event.type === 'server.said' && event.line === 'started')).toHaveLength(
      1,
    )
  })

  test('a server declared as modern is neither probed nor initialized', async () => {
    await using x = await hostWith({ ...program('v1'), protocol: newest })
    await x.connect()
    await x.call('echo', { text: 'a' })
    expect(x.events.filter((event) => event.type === 'server.said' && event.line === 'initialized')).toEqual(
      [],
    )
  })
})

describe('C27 era over HTTP', () => {
  const peers: Readonly<Record<string, () => Promise<Peer>>> = {
    'SDK v1 with sessions': () => serveV1Stateful(),
    'SDK v1 without sessions': () => serveV1Stateless(),
    'SDK v1 without sessions, JSON answers': () => serveV1Stateless({ answers: 'json' }),
    'SDK v2': () => serveV2(),
    'SDK v2, always streaming': () => serveV2({ responseMode: 'sse' }),
    'SDK v2, never streaming': () => serveV2({ responseMode: 'json' }),
    'SDK v2, modern only': () => serveV2({ legacy: 'reject' }),
    'SDK v2 with sessions': () => serveV2Stateful(),
    'SDK v1, HTTP+SSE': () => serveV1Sse(),
  }
  test.each([
    ['SDK v1 with sessions', 'auto', 'http', legacy()],
    ['SDK v1 with sessions', 'legacy', 'http', legacy()],
    ['SDK v1 without sessions', 'auto', 'http', legacy()],
    ['SDK v1 without sessions, JSON answers', 'auto', 'http', legacy()],
    ['SDK v2', 'auto', 'http', modern],
    ['SDK v2', 'legacy', 'http', legacy()],
    ['SDK v2', newest, 'http', modern],
    ['SDK v2, always streaming', 'auto', 'http', modern],
    ['SDK v2, never streaming', 'auto', 'http', modern],
    ['SDK v2, modern only', 'auto', 'http', modern],
    ['SDK v2 with sessions', 'auto', 'http', legacy()],
    ['SDK v1, HTTP+SSE', 'auto', 'http', legacy()],
    ['SDK v1, HTTP+SSE', 'legacy', 'http', legacy()],
    ['SDK v1, HTTP+SSE', 'auto', 'sse', legacy()],
    ['SDK v1 without sessions', 'auto', 'sse', legacy()],
  ])('connect to %s with protocol %s, declared as %s', async (name, protocol, type, agreed) => {
    const peer = await peers[name]?.()
    await using x = await hostWith({ type, url: peer?.url ?? '', protocol })
    expect(await x.connect()).toEqual(agreed)
    expect(await x.call('echo', { text: 'héllo' })).toBe('héllo')
    await x.host.close()
    await peer?.close()
  })

  test('a modern-only server declared as legacy fails with the server’s own message', async () => {
    const peer = await serveV2({ legacy: 'reject' })
    await using x = await hostWith({ type: 'http', url: peer.url, protocol: 'legacy' })
    await expect(x.connect()).rejects.toMatchObject({
      code: 'server.failed',
      message: expect.stringContaining('Unsupported protocol version'),
    })
    await peer.close()
  })
})
