import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, serve } from '../../../test/support/http-server.ts'
import type { RequestHandler, Outcome } from '../../../test/support/http-server.ts'
import { createHttpClient } from './http.ts'

async function ask(handle: RequestHandler): Promise<Outcome> {
  const server = await serve(handle)
  const client = await createHttpClient({ url: server.url, env: {}, maxConnections: 1 })
  onTestFinished(() => client.close())
  return exchange(client, server.url)
}

const packed = (encoding: string, body: Uint8Array | string) =>
  ask((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(body)
  })

const failure = (outcome: Outcome) =>
  'error' in outcome ? { reason: outcome.error.reason, sent: outcome.error.sent } : outcome

describe('http: a compressed body is decompressed', () => {
  const text = 'Grüße '.repeat(1000)
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', text],
  ])('%s', async (encoding, body) => {
    expect(await packed(encoding, body)).toMatchObject({ status: 200, text })
  })

  test('an empty body stays empty', async () => {
    expect(await packed('gzip', '')).toMatchObject({ status: 200, text: '' })
  })

  test('an event arrives before the stream has ended', async () => {
    let finish = () => {}
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const pack = createGzip()
      pack.pipe(response)
      pack.write('first')
      pack.flush()
      finish = () => pack.end('last')
    })
    const client = await createHttpClient({ url: server.url, env: {}, maxConnections: 1 })
    onTestFinished(() => client.close())
    const heard: string[] = []
    await new Promise<void>((resolve, reject) => {
      const request = {
        method: 'GET',
        url: server.url,
        headers: {},
        headersTimeoutMs: 0,
        idleTimeoutMs: 0,
      } as const
      client.send(request, {
        onHeaders: () => undefined,
        onData: (chunk) => {
          heard.push(Buffer.from(chunk).toString())
          if (heard.length === 1) finish()
        },
        onEnd: resolve,
        onError: reject,
      })
    })
    expect(heard).toEqual(['first', 'last'])
  })
})

test('T24 FI-51 http: a gzip bomb is stopped soon after the first MiB, and its connection is destroyed', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
  let closed: Promise<unknown> = Promise.resolve()
  const outcome = await ask((_request, response) => {
    closed = new Promise((resolve) => response.socket?.once('close', resolve))
    response.writeHead(200, { 'content-encoding': 'gzip' })
    // The body never ends by itself: only destroying the connection ends it.
    response.write(bomb)
  })
  expect(failure(outcome)).toEqual({ reason: 'too-large', sent: true })
  expect(outcome.text.length).toBeLessThan(32 * 1024 * 1024)
  await closed
})

test('T24 http: a body that decompresses to more than a MiB at a normal ratio is accepted', async () => {
  const text = Array.from({ length: 200_000 }, (_, index) => `line ${index}\n`).join('')
  expect(await packed('gzip', gzipSync(text))).toMatchObject({ status: 200, text })
})

test('http: a body with a wrong or unknown encoding, or a truncated one, is malformed', async () => {
  const whole = gzipSync('x'.repeat(10_000))
  for (const [encoding, body] of [
    ['gzip', 'plain'],
    ['gzip', whole.subarray(0, -12)],
    ['zstd', 'x'],
    ['gzip, br', whole],
  ] as const) {
    expect(failure(await packed(encoding, body))).toEqual({ reason: 'malformed', sent: true })
  }
})
