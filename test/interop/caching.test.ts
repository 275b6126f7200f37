import { expect, test } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { hostWith } from '../support/hosted.ts'
import { serveV1Stateful, serveV2 } from './servers/http.ts'

/** The peers list their tools on three pages. */
const pages = 3

test('list cache: a list is not requested again before its ttl ends, unless fresh is set', async () => {
  const peer = await serveV2()
  await using x = await hostWith({ type: 'http', url: peer.url })
  const first = await x.tools()
  expect(await x.tools()).toEqual(first)
  await x.call('echo', { text: 'the tools are known' })
  expect(peer.notes.count('tools/list')).toBe(pages)
  expect(await x.tools({ fresh: true })).toEqual(first)
  expect(peer.notes.count('tools/list')).toBe(2 * pages)
  await x.host.close()
  await peer.close()
})

test('list cache: a list is requested again when its ttl has ended', async () => {
  const clock = createFakeClock()
  const peer = await serveV2()
  await using x = await hostWith({ type: 'http', url: peer.url }, { platform: { clock } })
  await x.tools()
  await clock.advance(3_600_000 - 1)
  await x.tools()
  expect(peer.notes.count('tools/list')).toBe(pages)
  await clock.advance(1)
  await x.tools()
  expect(peer.notes.count('tools/list')).toBe(2 * pages)
  await x.host.close()
  await peer.close()
})

test('list cache: a list_changed notification ends the ttl early', async () => {
  const peer = await serveV2()
  await using x = await hostWith({ type: 'http', url: peer.url })
  await x.tools()
  await x.untilNotified('notifications/subscriptions/acknowledged')
  peer.notify.toolsChanged()
  await x.untilNotified('notifications/tools/list_changed')
  await x.tools()
  expect(peer.notes.count('tools/list')).toBe(2 * pages)
  await x.host.close()
  await peer.close()
})

test('list cache: a legacy server has no ttl, so its list is requested each time', async () => {
  const peer = await serveV1Stateful()
  await using x = await hostWith({ type: 'http', url: peer.url })
  await x.tools()
  await x.tools()
  expect(peer.notes.count('tools/list')).toBe(2 * pages)
  await x.host.close()
  await peer.close()
})
