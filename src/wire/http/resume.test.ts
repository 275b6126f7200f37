import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  answerJson,
  answerStatus,
  event,
  failureOf,
  listenTo,
  openEvents,
  result,
  until,
} from '../../../test/support/http-channel.ts'
import { serve } from '../../../test/support/http-server.ts'
import type { RequestHandler, ReceivedRequest } from '../../../test/support/http-server.ts'
import { openStreamableHttp } from './streamable.ts'

const methodIn = ({ body }: ReceivedRequest) => (JSON.parse(body || '{}') as { method?: string }).method // every body is written by these tests
const note = (n: number) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { n } })
const cut = (response: ServerResponse) => void setImmediate(() => response.socket?.destroy())

/** A legacy connection without its GET stream; `post` handles the call, `get` each attempt to resume. */
async function call(post: RequestHandler, get: RequestHandler) {
  const server = await serve((request, response, raw) => {
    if (request.method === 'GET') return get(request, response, raw)
    if (methodIn(request) === 'initialize') answerJson(response, result(1), { 'mcp-session-id': 's' })
    else post(request, response, raw)
  })
  const listening = await listenTo(openStreamableHttp, server.url)
  await listening.ask(1, 'initialize')
  listening.channel.speak('2025-11-25')
  listening.channel.send({ jsonrpc: '2.0', id: 2, method: 'tools/call' })
  const gets = () => server.seen.filter(({ method }) => method === 'GET')
  return { server, gets, ...listening }
}

describe('FI-47 resume: a request stream with event ids continues where it broke', () => {
  test('without loss and without duplicates, wherever it was cut', async () => {
    const { clock, next, gets } = await call(
      (_request, response) => {
        openEvents(response, 'retry: 3000', event(note(1), 'a'), event(note(2), 'b'))
        response.write(`id: c\ndata: {"jsonrpc":"2.0","met`)
        cut(response)
      },
      (_request, response) => {
        // Repeats the event that the client named.
        openEvents(response, event(note(2), 'b'), event(note(3), 'c'), event(result(2), 'd'))
        response.end()
      },
    )
    expect([await next(), await next()]).toEqual([{ message: note(1) }, { message: note(2) }])
    await until(() => clock.sleeping > 0)
    await clock.advance(3000)
    expect([await next(), await next()]).toEqual([{ message: note(3) }, { message: result(2) }])
    expect(
      gets().map(({ headers }) => [headers['last-event-id'], headers['mcp-session-id'], headers['accept']]),
    ).toEqual([['b', 's', 'text/event-stream']])
  })

  test('an event whose id cannot be sent in a header is delivered but not used to resume', async () => {
    const { clock, next, gets } = await call(
      (_request, response) => {
        openEvents(response, event(note(1), 'a'), event(note(2), 'b\u0001'), event(note(3), 'c\u007f'))
        cut(response)
      },
      (_request, response) => openEvents(response, event(result(2), 'd')),
    )
    expect([await next(), await next(), await next()]).toEqual([1, 2, 3].map((n) => ({ message: note(n) })))
    await until(() => clock.sleeping > 0)
    await clock.advance(1000)
    expect(await next()).toEqual({ message: result(2) })
    expect(gets().map(({ headers }) => headers['last-event-id'])).toEqual(['a'])
  })

  test('a stream that the server ends on purpose is resumed after exactly the time that it named', async () => {
    const { clock, next, gets } = await call(
      (_request, response) => {
        openEvents(response, 'id: 1\nretry: 500\ndata:')
        response.end()
      },
      (_request, response) => openEvents(response, 'id: 2\nretry: 500\ndata:', event(result(2), '3')),
    )
    await until(() => clock.sleeping > 0)
    await clock.advance(499)
    expect(gets().length).toBe(0)
    await clock.advance(1)
    expect(await next()).toEqual({ message: result(2) })
    expect(gets().map(({ headers }) => headers['last-event-id'])).toEqual(['1'])
  })

  test.each([
    [1, 250],
    [86_400_000, 30_000],
  ])('a retry time of %i ms is clamped to %i ms', async (asked, waited) => {
    const { clock, next, gets } = await call(
      (_request, response) => {
        openEvents(response, `id: 1\nretry: ${asked}\ndata:`)
        response.end()
      },
      (_request, response) => openEvents(response, event(result(2))),
    )
    await until(() => clock.sleeping > 0)
    await clock.advance(waited - 1)
    expect(gets().length).toBe(0)
    await clock.advance(1)
    expect(await next()).toEqual({ message: result(2) })
  })

  test('five attempts without an event fail the request, with growing delays', async () => {
    const { clock, next, gets } = await call(
      (_request, response) => {
        openEvents(response, 'id: 1\nretry: 1000\ndata:')
        cut(response)
      },
      (_request, response) => response.writeHead(503).end(),
    )
    for (let tries = 1; tries <= 5; tries++) {
      await until(() => clock.sleeping > 0)
      await clock.advance(1000 * 2 ** (tries - 1) - 1)
      expect(gets().length).toBe(tries - 1)
      await clock.advance(1)
      await until(() => gets().length === tries)
    }
    expect(failureOf(await next())).toEqual({ code: 'closed', sent: true, facts: { status: 503 } })
  })

  test('attempts that bring an event do not count', async () => {
    let tries = 0
    const { clock, next, gets } = await call(
      (_request, response) => {
        openEvents(response, 'id: 0\nretry: 250\ndata:')
        cut(response)
      },
      (_request, response) => {
        tries++
        openEvents(response, tries < 8 ? event(note(tries), String(tries)) : event(result(2)))
        if (tries < 8) cut(response)
      },
    )
    for (let n = 1; n <= 8; n++) {
      await until(() => clock.sleeping > 0)
      await clock.advance(250)
      expect(await next()).toEqual({ message: n < 8 ? note(n) : result(2) })
    }
    expect(gets().map(({ headers }) => headers['last-event-id'])).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
    ])
  })

  test.each([
    [404, 'session'],
    [405, 'closed'],
    [403, 'forbidden'],
  ])('a %i answer to the resumption fails the request: %s', async (status, code) => {
    const { clock, next } = await call(
      (_request, response) => {
        openEvents(response, 'id: 1\ndata:')
        response.end()
      },
      (_request, response) => response.writeHead(status).end(),
    )
    await until(() => clock.sleeping > 0)
    await clock.advance(1000)
    expect(failureOf(await next())).toEqual({ code, sent: true, facts: { status } })
  })

  test('a request abandoned during the delay is not resumed', async () => {
    const { clock, channel, gets } = await call(
      (_request, response) => {
        openEvents(response, 'id: 1\ndata:')
        response.end()
      },
      (_request, response) => response.end(),
    )
    await until(() => clock.sleeping > 0)
    expect(channel.abandon(2)).toBe('untold')
    await clock.advance(60_000)
    expect([gets(), clock.sleeping]).toEqual([[], 0])
  })

  test('the answer may arrive on another stream of the same session', async () => {
    const { clock, next, channel, heard } = await call(
      (request, response) => {
        if (methodIn(request) === 'notifications/initialized') return answerStatus(response, 202)
        openEvents(response, 'id: 1\ndata:')
        response.end()
      },
      (request, response) => {
        openEvents(response, ...(request.headers['last-event-id'] === undefined ? [event(result(2))] : []))
      },
    )
    await until(() => clock.sleeping > 0)
    channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(await next()).toEqual({ message: result(2) })
    await clock.advance(60_000)
    expect(heard.length).toBe(2)
  })
})

test('resume: a stream without event ids is not resumed, and its request fails as sent', async () => {
  for (const end of [cut, (response: ServerResponse) => void response.end()]) {
    const { next, gets } = await call(
      (_request, response) => {
        openEvents(response, event(note(1)))
        end(response)
      },
      (_request, response) => response.end(),
    )
    expect(await next()).toEqual({ message: note(1) })
    expect(failureOf(await next())).toEqual({ code: 'closed', sent: true, facts: { status: 200 } })
    expect(gets()).toEqual([])
  }
})
