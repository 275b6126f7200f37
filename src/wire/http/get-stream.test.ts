import { expect, test } from 'vitest'
import { answerJson, event, listenTo, openEvents, result, until } from '../../../test/support/http-channel.ts'
import { serve } from '../../../test/support/http-server.ts'
import type { RequestHandler, ReceivedRequest } from '../../../test/support/http-server.ts'
import { openStreamableHttp } from './streamable.ts'

const read = ({ body }: ReceivedRequest) => JSON.parse(body || '{}') as { id: number; method?: string } // every body here is ours
const note = (n: number) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { n } })

/** A greeted server of the old era; `get` is its stream. */
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

test('what the server says unasked arrives, also after it ended the stream and named a time to come back', async () => {
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

test('the last event is named when the stream is opened again', async () => {
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

test.each([405, 404, 400, 401])('a %i means that there is no such stream', async (status) => {
  const { clock, gets, server, heard } = await greeted((_request, response) =>
    response.writeHead(status).end(),
  )
  await server.arrived(3)
  await clock.advance(600_000)
  expect(gets().length).toBe(1)
  expect(heard.length).toBe(1)
})

test('a stream that never holds is given up after five more tries, and tried again when the server is well', async () => {
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

test('a stream that held for a while is opened again however often', async () => {
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

test('a message beyond the cap is dropped, and the stream goes on without it', async () => {
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

test('a message nobody can read is counted, and the stream goes on', async () => {
  const { next } = await greeted((_request, response) => openEvents(response, 'data: {', event(note(1))))
  expect(await next()).toMatchObject({ dropped: 'malformed' })
  expect(await next()).toEqual({ message: note(1) })
})
