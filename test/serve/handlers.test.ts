import { expect, test } from 'vitest'
import { api } from '../../src/surfaces/api/api.ts'
import { appArea } from '../../src/surfaces/server/apps/app-area.ts'
import { clientArea } from '../../src/surfaces/server/clients/client-area.ts'
import { offerArea } from '../../src/surfaces/server/offers/offer-area.ts'
import { safetyArea } from '../../src/surfaces/server/safety/safety-area.ts'
import { serverArea } from '../../src/surfaces/server/servers/server-area.ts'
import { talkArea } from '../../src/surfaces/server/talk/talk-area.ts'
import { startServed } from '../support/served.ts'

test('every route has a handler, and every handler a route', () => {
  const areas = [serverArea, offerArea, appArea, safetyArea, clientArea, talkArea]
  const handled = areas.flatMap(({ handlers }) => Object.keys(handlers))
  expect([...handled, 'GET /api/snapshot'].sort()).toEqual(Object.keys(api).sort())
})

test('names with any characters reach their handler as they are', async () => {
  await using it = await startServed()
  const names = [
    'a/b',
    'a%2Fb',
    'ä ö',
    'a?b#c',
    '%',
    'a+b',
    '日本語',
    'a\\b',
    '::',
    '%2e%2e',
    'x'.repeat(300),
  ]
  const answers = await Promise.all(
    names.map((server) =>
      it.client.send('GET /api/servers/:server', { params: { server } }).then(
        () => 'found',
        (error: {
          readonly fault: { readonly code: string; readonly data?: { readonly server?: string } }
        }) => error.fault.data?.server ?? error.fault.code,
      ),
    ),
  )
  expect(answers).toEqual(names)
  // A slash in a name is a part of it also for the guard, which needs the token for such a path.
  const head = ['GET /conversations/a%2Fb/mcp HTTP/1.1', `Host: 127.0.0.1:${it.port}`]
  expect(await it.send([...head, `Authorization: Bearer ${it.served.token}`])).toMatchObject({
    status: 200,
    body: expect.stringContaining('"conversationId":"a/b"') as string,
  })
  expect(await it.send(head)).toMatchObject({ status: 401 })
})
