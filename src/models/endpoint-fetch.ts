import { onAbort } from '../model/abort.ts'
import { HttpError } from '../platform/platform.ts'
import type { HttpClient, HttpHeaders, Platform } from '../platform/platform.ts'
import { answerLimits, AnswerSize } from './answer-size.ts'
import type { EndpointHeaders } from './endpoint-key.ts'
import type { Endpoint } from './endpoints.ts'
import { redirected, tooLarge, toUnreachable } from './model-errors.ts'

export type Fetch = typeof globalThis.fetch

/** A model may think for minutes before its first byte, and between two of them. */
const silenceMs = 600_000
/** Bytes that wait for a reader. The reader is the loop of an agent, so more means that it no longer reads. */
const maxWaiting = 16 * 1024 * 1024

/** Failures that are the same a second later: the AI SDK does not repeat such a request. */
const lasting: ReadonlySet<HttpError['reason']> = new Set(['dns', 'refused', 'tls', 'blocked', 'malformed'])

/**
 * A `fetch` for one endpoint over the platform's HTTP: with its proxies, without redirects, and only to the address of the
 * endpoint. It adds the key itself, so the objects and errors of the AI SDK never contain one.
 */
export function createFetch(
  endpoint: Endpoint,
  headers: EndpointHeaders,
  platform: Pick<Platform, 'http' | 'env'>,
  limits = answerLimits,
): Fetch {
  const base = new URL(endpoint.url)
  const folder = base.pathname.replace(/\/*$/, '/')
  let opened: Promise<HttpClient> | undefined
  const open = () => {
    const client = (opened ??= platform.http({ url: base, env: platform.env, maxConnections: 16 }))
    client.catch(() => (opened = undefined))
    return client
  }
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== base.origin || !url.pathname.startsWith(folder))
      throw new TypeError(`${url.origin}${url.pathname} is not the address of ${endpoint.name}`)
    const signal = init.signal ?? undefined
    signal?.throwIfAborted()
    const added = await headers.get()
    const client = await open().catch((error: unknown) => {
      throw toFetchError(error, endpoint)
    })
    const sent = { ...init, headers: { ...given(init), ...added } }
    const response = await send(client, url, sent, endpoint, new AnswerSize(limits))
    if (response.status === 401 || response.status === 403) headers.forget()
    return response
  }
}

/** Without the key that the provider was created with, which is only a stand-in. */
function given({ headers }: RequestInit): Readonly<Record<string, string>> {
  const all = Object.fromEntries(new Headers(headers).entries())
  for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) delete all[name]
  return all
}

interface Sent {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestInit['body']
  readonly signal?: AbortSignal | null
}

function send(
  client: HttpClient,
  url: URL,
  request: Sent,
  endpoint: Endpoint,
  size: AnswerSize,
): Promise<Response> {
  const { method = 'GET', headers, body, signal } = request
  return new Promise<Response>((resolve, reject) => {
    let reader: ReadableStreamDefaultController<Uint8Array> | undefined
    let aborting: Disposable | undefined
    const finish = (end: () => void) => {
      aborting?.[Symbol.dispose]()
      end()
    }
    const fail = (error: unknown) =>
      finish(() => {
        reject(toError(error))
        reader?.error(error)
      })
    const exchange = client.send(
      {
        method: method === 'POST' ? 'POST' : 'GET',
        url,
        headers,
        ...(typeof body === 'string' && { body }),
        headersTimeoutMs: silenceMs,
        idleTimeoutMs: silenceMs,
      },
      {
        onHeaders(status, answered) {
          if (status >= 300 && status < 400) {
            exchange.abort()
            return fail(redirected(endpoint))
          }
          const stream = new ReadableStream<Uint8Array>(
            {
              start: (controller) => void (reader = controller),
              cancel: () => finish(() => exchange.abort()),
            },
            { highWaterMark: maxWaiting, size: (chunk) => chunk?.length ?? 0 },
          )
          resolve(toResponse(stream, status, answered))
        },
        onData(chunk) {
          const excess = size.take(chunk)
          if (excess) {
            exchange.abort()
            return fail(tooLarge(endpoint, excess))
          }
          // The chunk is valid only now.
          reader?.enqueue(Uint8Array.from(chunk))
          if ((reader?.desiredSize ?? 1) > 0) return
          exchange.abort()
          fail(new HttpError('too-large', true, 'More of the answer arrived than was read.'))
        },
        onEnd: () => finish(() => reader?.close()),
        onError: (error) => fail(toFetchError(error, endpoint)),
      },
    )
    aborting = onAbort(signal ?? undefined, () => {
      exchange.abort()
      fail(signal?.reason)
    })
  })
}

/** A status that `Response` does not take, or that has no body. */
function toResponse(stream: ReadableStream<Uint8Array>, status: number, headers: HttpHeaders): Response {
  const { 'content-encoding': _unpacked, 'content-length': _packed, ...rest } = headers
  const isEmpty = status === 204 || status === 205
  return new Response(isEmpty ? null : stream, { status: status <= 599 ? status : 500, headers: rest })
}

/** The AI SDK repeats a request after an error of this form only. */
function toFetchError(error: unknown, endpoint: Endpoint): unknown {
  if (!(error instanceof HttpError)) return error
  if (lasting.has(error.reason)) return toUnreachable(error, endpoint)
  return new TypeError('fetch failed', { cause: error })
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
