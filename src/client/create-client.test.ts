import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FeedEvent } from '../client.ts'
import { ClientError, createClient } from '../client.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let server: Server
let address = ''
let answer: Answer = () => undefined

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const open = () => createClient({ address, token: 'secret' })
const json = (response: ServerResponse, status: number, value: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

describe('plugboard/client', () => {
  test('sends method, path, query and body by the table of routes, with the token in a header', async () => {
    const seen: unknown[] = []
    answer = (request, response) => {
      const { method, url, headers } = request
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        seen.push([method, url, headers.authorization, headers.cookie, Buffer.concat(parts).toString()])
        json(response, 200, { isAnswered: true })
      })
    }
    await open().send('POST /api/servers/:server/restart', { params: { server: 'a/b c' } })
    await open().send('GET /api/calls', { query: { server: 'x&y' } })
    await open().send('PUT /api/servers/:server/enabled', {
      params: { server: 'a' },
      body: { enabled: false },
    })
    expect(seen).toEqual([
      ['POST', '/api/servers/a%2Fb%20c/restart', 'Bearer secret', undefined, ''],
      ['GET', '/api/calls?server=x%26y', 'Bearer secret', undefined, ''],
      ['PUT', '/api/servers/a/enabled', 'Bearer secret', undefined, '{"enabled":false}'],
    ])
  })

  test('an error has the status and the words of the server; another answer is told as such', async () => {
    const fault = { code: 'server.unknown', message: 'There is no server "x".', hint: 'plugboard list' }
    answer = (_, response) => json(response, 404, { error: fault })
    const sent = open().send('GET /api/servers/:server', { params: { server: 'x' } })
    await expect(sent).rejects.toMatchObject({ status: 404, fault, message: fault.message })
    await expect(sent).rejects.toBeInstanceOf(ClientError)
    answer = (_, response) => response.writeHead(502).end('<html>')
    await expect(open().send('GET /api/servers')).rejects.toMatchObject({
      status: 502,
      fault: { code: 'http' },
    })
  })

  test('without a server at the address it says so, and how to start one; an abort stays an abort', async () => {
    const client = createClient({ address: 'http://127.0.0.1:1', token: 't' })
    const gone = {
      name: 'ClientError',
      status: 0,
      message: 'Nothing answers at http://127.0.0.1:1.',
      fault: { code: 'unreachable', hint: expect.stringContaining('plugboard serve') as string },
    }
    await expect(client.send('GET /api/servers')).rejects.toMatchObject(gone)
    await expect(client.follow()[Symbol.asyncIterator]().next()).rejects.toMatchObject(gone)
    const sent = client.send('GET /api/servers', {}, { signal: AbortSignal.abort() })
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('follows events that arrive in pieces, skips comments, and says when bytes arrive', async () => {
    const event: FeedEvent = { seq: 3, at: 1, type: 'server.removed', name: 'grüße' }
    const text = Buffer.from(
      `: alive\n\ndata: ${JSON.stringify(event)}\n\ndata: ${JSON.stringify({ ...event, seq: 4 })}\n\n`,
    )
    answer = (request, response) => {
      expect(request.url).toBe('/api/events?epoch=e&after=2')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (from: number): void => {
        response.write(text.subarray(from, from + 7))
        if (from + 7 < text.length) setImmediate(send, from + 7)
        else response.end()
      }
      send(0)
    }
    let alive = 0
    const events: FeedEvent[] = []
    for await (const each of open().follow({ after: { epoch: 'e', seq: 2 }, onAlive: () => alive++ }))
      events.push(each)
    expect(events).toEqual([event, { ...event, seq: 4 }])
    expect(alive).toBeGreaterThan(1)
  })

  test('a refused stream throws, and an aborted one closes its connection', async () => {
    answer = (_, response) => json(response, 401, { error: { code: 'token.wrong', message: 'No.' } })
    await expect(open().follow()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 401 })
    const isClosed = new Promise<void>((resolve) => {
      answer = (request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(': alive\n\n')
        request.on('close', resolve)
      }
    })
    const ended = new AbortController()
    const events = open().follow({ signal: ended.signal, onAlive: () => ended.abort() })
    const next = events[Symbol.asyncIterator]().next()
    await expect(next).rejects.toThrow(/abort/i)
    await isClosed
  })

  test('its bundle for a browser needs no module of Node and is under 2 kB', async () => {
    const bundle = await rolldown({
      input: fileURLToPath(new URL('../client.ts', import.meta.url)),
      platform: 'browser',
    })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    await bundle.close()
    expect(output.map(({ type }) => type)).toEqual(['chunk'])
    expect(output[0]).toMatchObject({ imports: [], dynamicImports: [] })
    expect(output[0].code).not.toMatch(/\bnode:|\brequire\(|\bprocess\./)
    expect(output[0].code.length).toBeLessThan(2_500)
  })
})
