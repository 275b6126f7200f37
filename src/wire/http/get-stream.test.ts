import { expect, test } from 'vitest'
import { answerJson, event, listenTo, openEvents, result, until } from '../../../test/support/http-channel.ts'
import { serve } from '../../../test/support/http-server.ts'
import type { RequestHandler, ReceivedRequest } from '../../../test/support/http-server.ts'
import { openStreamableHttp } from './streamable.ts'

const read = ({ body }: ReceivedRequest) => JSON.parse(body || '{}') as { id: number; method?: string } // every body is written by these tests
const note = (n: number) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { n } })

/** A legacy server after the handshake; `get` handles its stream. */
async function greeted(get: RequestHandler, limits = {}) {
  const server = await serve((request, response, raw) => {
    if (request.method === 'GET') return get(request, response, raw)
    const { id, method } = read(request)
    if (method === 'notifications/initialized') response.writeHead(202).end()
    else answerJson(response, result(id))
  })
  const listening = await listenTo(openStreamableHttp, server.url, { limits })
  await listening.ask(1, 'initialize')
  listening.channel.speak('2025-06-18')
  listening.channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const gets = () => server.seen.filter(({ method }) => method === 'GET')
  return { server, gets, ...listening }
}

test('GET stream: unsolicited messages arrive, also after the server ended the stream with a retry time', async () => {
  let opened = 0
  const { clock, next, gets } = await greeted((_request, response) => {
    opened++
    openEvents(response, `retry: 2000`, event(note(opened)))
    if (opened === 1) response.end()
  })
  expect(await next()).toEqual({ message: note(1) })
  await until(() => clock.sleeping > 0)
  await clock.advance(1999)
  expect(gets().length).toBe(1)
  await clock.advance(1)
  expect(await next()).toEqual({ message: note(2) })
})

test('GET stream: reopening sends the last event id', async () => {
  let opened = 0
  const { clock, next, gets } = await greeted((_request, response) => {
    opened++
    openEvents(response, event(note(opened), `e${opened}`))
    if (opened === 1) setImmediate(() => response.socket?.destroy())
  })
  await next()
  await until(() => clock.sleeping > 0)
  await clock.advance(1000)
  expect(await next()).toEqual({ message: note(2) })
  expect(gets().map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1'])
})

test.each([405, 404, 400, 401])(
  'GET stream: HTTP %i means that the server has no such stream',
  async (status) => {
    const { clock, gets, server, heard } = await greeted((_request, response) =>
      response.writeHead(status).end(),
    )
    await server.arrived(3)
    await clock.advance(600_000)
    expect(gets().length).toBe(1)
    expect(heard.length).toBe(1)
  },
)

test('GET stream: paused after five failed attempts, and retried after a later successful answer', async () => {
  const { clock, gets, ask } = await greeted((_request, response) => response.writeHead(502).end())
  const waits = [2000, 4000, 8000, 16_000, 30_000]
  for (const [tries, wait] of waits.entries()) {
    await until(() => gets().length === tries + 1 && clock.sleeping > 0)
    await clock.advance(wait)
  }
  await until(() => gets().length === 6)
  await clock.advance(600_000)
  expect(gets().length).toBe(6)
  await ask(2)
  await until(() => gets().length === 7)
})

test('GET stream: a stream that lasted is reopened any number of times', async () => {
  let end = () => {}
  const { clock, gets } = await greeted((_request, response) => {
    openEvents(response, ': open')
    end = () => response.end()
  })
  for (let opened = 1; opened <= 10; opened++) {
    await until(() => gets().length === opened)
    await clock.advance(60_000)
    const before = clock.sleeping
    end()
    await until(() => clock.sleeping > before)
    await clock.advance(1000)
  }
  await until(() => gets().length === 11)
  expect(gets().length).toBe(11)
})

test('GET stream: a message above the limit is dropped, and the stream continues without it', async () => {
  let opened = 0
  const { clock, next } = await greeted(
    (_request, response) => {
      opened++
      openEvents(response, event(opened === 1 ? 'x'.repeat(2000) : note(2), `e${opened}`))
    },
    { maxBytes: 1000 },
  )
  expect(await next()).toEqual({ dropped: 'oversize' })
  await until(() => clock.sleeping > 0)
  await clock.advance(2000)
  expect(await next()).toEqual({ message: note(2) })
})

test('GET stream: an unreadable message is counted, and the stream continues', async () => {
  const { next } = await greeted((_request, response) => openEvents(response, 'data: {', event(note(1))))
  expect(await next()).toMatchObject({ dropped: 'malformed' })
  expect(await next()).toEqual({ message: note(1) })
})
