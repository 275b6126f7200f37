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

/** HTTP as a script: what happens to the first attempt, to the second, and so on. */
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

test('FI-57 a connection cut before anything was sent is made again, and the request is sent on it', async () => {
  const { sent, heard, done, endpoint } = scripted(reset(false), (listener) => listener.onHeaders(200, {}))
  await done
  expect([heard, sent.length, endpoint.live.size]).toEqual([[200], 2, 0])
})

test('FI-57 but only once', async () => {
  const { sent, heard, done, endpoint } = scripted(reset(false), reset(false))
  await done
  expect([heard, sent.length, endpoint.live.size]).toEqual([[{ code: 'network', sent: false }], 2, 0])
})

test('FI-57 and never when something was sent', async () => {
  const { sent, heard, done } = scripted(reset(true))
  await done
  expect([heard, sent.length]).toEqual([[{ code: 'network', sent: true }], 1])
})
