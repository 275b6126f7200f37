import { describe, expect, test } from 'vitest'
import { serve } from '../../test/support/http-server.ts'
import type { RequestHandler } from '../../test/support/http-server.ts'
import { createPerson } from '../../test/support/person.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import type { RunResult } from '../platform/platform.ts'
import { AnswerSize } from './answer-size.ts'
import type { AnswerLimits } from './answer-size.ts'
import { createFetch } from './endpoint-fetch.ts'
import { EndpointHeaders } from './endpoint-key.ts'
import { findEndpoint, readEndpoints } from './endpoints.ts'

/** The `fetch` of an endpoint at a real server. */
async function fetchOf(
  handle: RequestHandler,
  entry: object = {},
  keys: readonly string[] = [],
  limits?: AnswerLimits,
) {
  const server = await serve(handle)
  const url = `${server.url.origin}/v1`
  const left = [...keys]
  const run = (): Promise<RunResult> => Promise.resolve({ kind: 'done', stdout: `${left.shift()}\n` })
  const { platform } = createPerson(
    {
      '~/.config/plugboard/settings.json': { endpoints: { x: { kind: 'openai-compatible', url, ...entry } } },
    },
    { env: { KEY: 'key-of-the-person', PATH: '/bin' }, run },
  )
  const endpoint = findEndpoint('x', (await readEndpoints(platform)).endpoints)
  const redactor = new Redactor()
  const headers = new EndpointHeaders(endpoint, { platform, redactor })
  const fetch = createFetch(endpoint, headers, platform, limits)
  return { server, url, fetch, redactor }
}

describe('fetch of an endpoint', () => {
  test('T64 the key takes the place of the stand-in, and is known to the redactor', async () => {
    const { server, url, fetch, redactor } = await fetchOf((_, response) => void response.end('{}'), {
      key: '${env:KEY}',
      headers: { 'x-team': '${KEY:-none}' },
    })
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer stand-in', 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    expect(await response.json()).toEqual({})
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      body: '{"a":1}',
      headers: { authorization: 'Bearer key-of-the-person', 'x-team': 'key-of-the-person' },
    })
    expect(redactor.redact('it is key-of-the-person')).toBe('it is •••')
  })

  test('T64 a redirect is refused, and a request to another origin is not sent', async () => {
    const other = await serve((_, response) => void response.end('{}'))
    const { url, fetch } = await fetchOf(
      (_, response) => void response.writeHead(302, { location: other.url.href }).end(),
      { key: '${env:KEY}' },
    )
    await expect(fetch(`${url}/models`)).rejects.toMatchObject({
      code: 'model.unavailable',
      data: { reason: 'redirect' },
    })
    await expect(fetch(other.url)).rejects.toThrow('is not the address of x')
    expect(other.seen).toEqual([])
  })

  test('the key of a command is read once, and again after it was refused', async () => {
    const { server, url, fetch } = await fetchOf(
      ({ headers }, response) =>
        void response.writeHead(headers['authorization'] === 'Bearer second' ? 200 : 401).end('{}'),
      { key: '!print-key' },
      ['first', 'second', 'third'],
    )
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await fetch(`${url}/models`)).status)
    expect(statuses).toEqual([401, 200, 200])
    expect(server.seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
      'Bearer second',
    ])
  })

  test('an abort closes the connection in the middle of an answer', async () => {
    let closed = () => {}
    const isClosed = new Promise<void>((resolve) => (closed = resolve))
    const { url, fetch } = await fetchOf((_, response) => {
      response.once('close', closed)
      response.write('data: 1\n\n')
    })
    const stop = new AbortController()
    const response = await fetch(`${url}/chat`, { signal: stop.signal })
    const reader = response.body!.getReader()
    await reader.read()
    stop.abort(new Error('enough'))
    await expect(reader.read()).rejects.toThrow('enough')
    await isClosed
  })

  test('a cut connection is an error that the AI SDK may repeat; nothing listening is none', async () => {
    const { server, url, fetch } = await fetchOf((_, response) => void response.destroy())
    await expect(fetch(`${url}/models`)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { reason: 'reset' },
    })
    await server.stop()
    await expect(fetch(`${url}/models`)).rejects.toMatchObject({
      code: 'model.unavailable',
      data: { endpoint: 'x', reason: 'refused' },
    })
  })

  test.each([
    ['an event without an end', 'event', 'data: x', 1500],
    ['an answer without an end', 'answer', `data: ${'x'.repeat(90)}\n\n`, 0],
  ])('FI-96 %s is cut at its limit, and the connection is closed', async (_, what, first, more) => {
    let closed = () => {}
    const isClosed = new Promise<void>((resolve) => (closed = resolve))
    const { url, fetch } = await fetchOf(
      (_request, response) => {
        response.once('close', closed)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const piece = more > 0 ? 'x'.repeat(more) : first
        response.write(first)
        const write = () => !response.destroyed && response.write(piece, () => setImmediate(write))
        write()
      },
      {},
      [],
      { answer: 10_000, event: 4000 },
    )
    const response = await fetch(`${url}/chat`)
    await expect(response.text()).rejects.toMatchObject({
      code: 'model.unavailable',
      data: { endpoint: 'x', reason: 'too-large' },
      message: expect.stringContaining(what === 'event' ? 'piece of an answer' : 'larger answer'),
    })
    await isClosed
  })

  test('events are told apart wherever an answer is cut into chunks', () => {
    for (const text of ['data: abc\n\n', 'data: abc\r\n\r\n', 'data: abc\r\r']) {
      for (let length = 1; length <= 13; length++) {
        const size = new AnswerSize({ answer: 100_000, event: 40 })
        const whole = Buffer.from(text.repeat(60))
        for (let at = 0; at < whole.length; at += length)
          expect(size.take(whole.subarray(at, at + length))).toBeUndefined()
        expect(size.take(Buffer.alloc(41, 'x'))).toBe('event')
      }
    }
  })
})
