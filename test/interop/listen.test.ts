import { expect, test } from 'vitest'
import { hostWith } from '../support/hosted.ts'
import type { HostWithServer } from '../support/hosted.ts'
import { program } from './entries.ts'
import { serveV2 } from './servers/http.ts'

const acknowledged = 'notifications/subscriptions/acknowledged'
const toolsChanged = 'notifications/tools/list_changed'

const countOf = ({ events }: HostWithServer, method: string) =>
  events.filter((event) => event.type === 'server.notified' && event.method === method).length

test('C29 subscription over HTTP: reports changes, and is opened again when it breaks', async () => {
  const peer = await serveV2()
  await using x = await hostWith({ type: 'http', url: peer.url })
  await x.connect()
  await x.untilNotified(acknowledged)
  peer.notify.toolsChanged()
  await x.untilNotified(toolsChanged)
  peer.drop()
  await x.untilNotified(acknowledged, 2)
  peer.notify.promptsChanged()
  await x.untilNotified('notifications/prompts/list_changed')
  expect(countOf(x, toolsChanged)).toBe(1)
  await x.host.close()
  await peer.close()
})

test('C29 subscription over stdio: is opened again after the server crashed and restarted', async () => {
  await using x = await hostWith(program('v2'))
  await x.connect()
  await x.untilNotified(acknowledged)
  await expect(x.call('crash')).rejects.toMatchObject({
    code: 'call.outcome-unknown',
    data: { sent: true, failure: { code: 'exit', exit: { code: 3, signal: null } } },
  })
  expect(await x.call('echo', { text: 'back' })).toBe('back')
  await x.untilNotified(acknowledged, 2)
  await x.call('grow')
  await x.untilNotified(toolsChanged)
})
