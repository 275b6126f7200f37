import { expect, test } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { hostWith } from '../support/hosted.ts'
import { serveV1Stateful, serveV2 } from './servers/http.ts'

/** The peers give their tools on three pages. */
const pages = 3

test('a list is not asked for again while the server says that it holds', async () => {
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

test('a list is asked for again when its time is over', async () => {
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

test('a change ends the time of a list early', async () => {
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

test('a server of the old era says nothing about time: its list is asked for each time', async () => {
  const peer = await serveV1Stateful()
  await using x = await hostWith({ type: 'http', url: peer.url })
  await x.tools()
  await x.tools()
  expect(peer.notes.count('tools/list')).toBe(2 * pages)
  await x.host.close()
  await peer.close()
})
