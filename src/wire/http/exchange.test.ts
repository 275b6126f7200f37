import { expect, test } from 'vitest'
import type { HttpClient, HttpListener, HttpRequest } from '../../platform/platform.ts'
import { HttpError } from '../../platform/platform.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { Exchange } from './exchange.ts'
import type { ExchangeRequest } from './exchange.ts'
import { toEndpoint } from './endpoint.ts'

const url = new URL('http://service.test/mcp')
const ask: ExchangeRequest = {
  method: 'POST',
  url,
  headers: {},
  body: '{}',
  needs: 'body',
  headersTimeoutMs: 0,
}

/** A scripted HTTP client: one callback per attempt. */
function scripted(...attempts: readonly ((listener: HttpListener) => void)[]) {
  const sent: HttpRequest[] = []
  const client: HttpClient = {
    send(request, listener) {
      const attempt = attempts[sent.length]
      sent.push(request)
      queueMicrotask(() => attempt?.(listener))
      return { abort: () => undefined }
    },
    close: () => Promise.resolve(),
  }
  const endpoint = toEndpoint({ client, url, headers: () => ({}), clock: createFakeClock() })
  const heard: unknown[] = []
  const done = new Promise<void>((resolve) => {
    const exchange = new Exchange(endpoint, ask, {
      onHeaders: (status) => {
        heard.push(status)
        exchange.abort()
        resolve()
      },
      onData: () => undefined,
      onEnd: () => undefined,
      onError: ({ code, sent }) => {
        heard.push({ code, sent })
        resolve()
      },
    })
  })
  return { sent, heard, done, endpoint }
}

const reset = (sent: boolean) => (listener: HttpListener) =>
  listener.onError(new HttpError('reset', sent, 'cut'))

test('FI-57 exchange: a connection cut before anything was sent is retried on a new one', async () => {
  const { sent, heard, done, endpoint } = scripted(reset(false), (listener) => listener.onHeaders(200, {}))
  await done
  expect([heard, sent.length, endpoint.live.size]).toEqual([[200], 2, 0])
})

test('FI-57 exchange: an unsent request is retried only once', async () => {
  const { sent, heard, done, endpoint } = scripted(reset(false), reset(false))
  await done
  expect([heard, sent.length, endpoint.live.size]).toEqual([[{ code: 'network', sent: false }], 2, 0])
})

test('FI-57 exchange: a request that was sent is not retried', async () => {
  const { sent, heard, done } = scripted(reset(true))
  await done
  expect([heard, sent.length]).toEqual([[{ code: 'network', sent: true }], 1])
})
