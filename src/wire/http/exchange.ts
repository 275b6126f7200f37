import { isEqual } from '../../model/json.ts'
import type {
  HttpError,
  HttpExchange,
  HttpHeaders,
  HttpListener,
  HttpRequest,
} from '../../platform/platform.ts'
import { WireError } from '../wire-error.ts'
import type { Endpoint, HeaderSource } from './endpoint.ts'
import { fromHttpError, fromStatus } from './http-faults.ts'

/** An HTTP request of the protocol. Its headers, in lower case, take precedence over those of the declaration. */
export interface ExchangeRequest extends Pick<
  HttpRequest,
  'method' | 'headers' | 'body' | 'headersTimeoutMs'
> {
  readonly url: URL
  /** Whether the body of the answer is needed. */
  readonly needs: 'headers' | 'body'
}

/** Called in the order of `HttpListener`, never before the constructor of the exchange has returned. */
export interface ExchangeListener {
  onHeaders(status: number, headers: HttpHeaders): void
  onData(chunk: Uint8Array): void
  onEnd(): void
  onError(error: WireError): void
}

/** How long the rest of an unneeded body is drained: a connection can be reused only after its answer has ended. */
const drainMs = 2000
const drainBytes = 64 * 1024

/** One request and its answer, including current headers, a retry with newer ones after a 401, and redirects. */
export class Exchange implements HttpListener {
  readonly #endpoint: Endpoint
  readonly #request: ExchangeRequest
  readonly #listener: ExchangeListener
  #url: URL
  #sourceHeaders: HttpHeaders = {}
  #running: HttpExchange | undefined
  #status: number | undefined
  #state: 'active' | 'draining' | 'closed' = 'active'
  #drainedBytes = 0
  #drainTimer: Disposable | undefined
  #redirects = 0
  #isRefreshed = false
  #isResent = false

  constructor(endpoint: Endpoint, request: ExchangeRequest, listener: ExchangeListener) {
    this.#endpoint = endpoint
    this.#request = request
    this.#listener = listener
    this.#url = request.url
    endpoint.live.add(this)
    this.#withHeaders('request', (sourceHeaders) => this.#send(sourceHeaders))
  }

  /** The final URL, after all redirects. */
  get url(): URL {
    return this.#url
  }

  /** Nothing has been sent to the server yet. */
  get isUnsent(): boolean {
    return this.#running === undefined
  }

  /** Ignores the rest of the answer; the connection stays reusable if it ends soon. */
  finish(): void {
    if (this.#state !== 'active') return
    this.#state = 'draining'
    this.#drainTimer = this.#endpoint.clock.timer(drainMs, () => this.abort(), { background: true })
  }

  /** Closes the exchange; the listener is not called any more. */
  abort(): void {
    if (this.#state === 'closed') return
    this.#end()
    this.#running?.abort()
  }

  onHeaders(status: number, headers: HttpHeaders): void {
    if (this.#state !== 'active') return
    this.#status = status
    if (status === 401) this.#handleUnauthorized(headers)
    else if (status >= 300 && status < 400) this.#followRedirect(status, headers)
    else this.#deliverHeaders(status, headers)
  }

  onData(chunk: Uint8Array): void {
    if (this.#state === 'active') return this.#listener.onData(chunk)
    this.#drainedBytes += chunk.length
    if (this.#drainedBytes > drainBytes) this.abort()
  }

  onEnd(): void {
    const wasActive = this.#state === 'active'
    this.#end()
    if (wasActive) this.#listener.onEnd()
  }

  onError(error: HttpError): void {
    if (this.#state !== 'active') return this.#end()
    // Nothing was sent, so the connection failed and not the request: retry once (FI-57).
    if (error.reason === 'reset' && !error.sent && !this.#isResent) {
      this.#isResent = true
      return this.#send(this.#sourceHeaders)
    }
    this.#end()
    this.#listener.onError(fromHttpError(error, this.#status))
  }

  #withHeaders(
    reason: Parameters<HeaderSource>[0],
    send: (sourceHeaders: HttpHeaders) => void,
    answer?: HttpHeaders,
  ): void {
    const refuse = (error: unknown) => this.#fail(toValuesError(error))
    try {
      const use = { method: this.#request.method, url: this.#url, ...(answer && { answer }) }
      const sourceHeaders = this.#endpoint.headers(reason, this.#sourceHeaders, use)
      if (sourceHeaders instanceof Promise) sourceHeaders.then(send).catch(refuse)
      else send(sourceHeaders)
    } catch (error) {
      queueMicrotask(() => refuse(error))
    }
  }

  #send(sourceHeaders: HttpHeaders): void {
    if (this.#state !== 'active') return
    this.#sourceHeaders = sourceHeaders
    const { method, body, headersTimeoutMs, headers } = this.#request
    this.#running = this.#endpoint.client.send(
      {
        method,
        url: this.#url,
        headers: { ...withLowerCaseNames(sourceHeaders), ...headers },
        ...(body !== undefined && { body }),
        headersTimeoutMs,
        idleTimeoutMs: 0,
      },
      this,
    )
  }

  /** Retries only with different headers: the same ones would be refused again (FI-41). */
  #handleUnauthorized(headers: HttpHeaders): void {
    const error = fromStatus({ status: 401, headers }, this.#endpoint.clock.now())
    if (this.#isRefreshed) return this.#fail(error)
    this.#isRefreshed = true
    this.#dropAnswer()
    const sendIfNew = (sourceHeaders: HttpHeaders) => {
      if (isEqual(sourceHeaders, this.#sourceHeaders)) this.#fail(error)
      else this.#send(sourceHeaders)
    }
    this.#withHeaders('unauthorized', sendIfNew, headers)
  }

  #followRedirect(status: number, headers: HttpHeaders): void {
    const target = redirectTarget(
      { method: this.#request.method, status, headers },
      this.#url,
      this.#redirects,
    )
    if (target instanceof WireError) return this.#fail(target)
    this.#redirects++
    this.#url = target
    this.#dropAnswer()
    this.#send(this.#sourceHeaders)
  }

  #deliverHeaders(status: number, headers: HttpHeaders): void {
    if (this.#request.needs === 'headers') this.finish()
    this.#listener.onHeaders(status, headers)
  }

  #fail(error: WireError): void {
    if (this.#state !== 'active') return
    if (this.#running) this.finish()
    else this.#end()
    this.#listener.onError(error)
  }

  /** Drops this answer; a new request follows. */
  #dropAnswer(): void {
    this.#running?.abort()
    this.#running = undefined
  }

  #end(): void {
    this.#state = 'closed'
    this.#endpoint.live.delete(this)
    this.#drainTimer?.[Symbol.dispose]()
    this.#drainTimer = undefined
  }
}

function withLowerCaseNames(headers: HttpHeaders): HttpHeaders {
  const result: Record<string, string> = {}
  for (const name in headers) result[name.toLowerCase()] = headers[name] ?? ''
  return result
}

function toValuesError(error: unknown): WireError {
  if (error instanceof WireError) return error
  return new WireError('values', error instanceof Error ? error.message : String(error), { cause: error })
}

/** For messages without an answer: only whether they were accepted matters. */
export function acknowledgmentListener(
  done: (isAccepted: boolean) => void = () => undefined,
): ExchangeListener {
  return {
    onHeaders: (status) => done(status < 300),
    onData: () => undefined,
    onEnd: () => undefined,
    onError: () => done(false),
  }
}

const maxRedirects = 3

interface Redirect {
  readonly method: HttpRequest['method']
  readonly status: number
  readonly headers: HttpHeaders
}

/**
 * The target of a redirect, if it may be followed: only on the same origin with the same method (FI-53). Servers also
 * send 302 or 303 after they acted on a POST.
 */
function redirectTarget({ method, status, headers }: Redirect, from: URL, followed: number): URL | WireError {
  const location = headers['location']
  const sent = method === 'POST' && (status === 302 || status === 303)
  if (location === undefined || !URL.canParse(location, from.href)) {
    return new WireError(
      'protocol',
      `The server answered with HTTP ${status} without a valid Location header.`,
      {
        sent,
        facts: { status },
      },
    )
  }
  const target = new URL(location, from)
  const refuse = (reason: string) =>
    // The message leaves out user info and query, which may hold a password or a token.
    new WireError('blocked', `The server redirects to ${target.origin}${target.pathname}, ${reason}.`, {
      sent,
      facts: { status },
    })
  if (target.origin !== from.origin) return refuse('which is another origin')
  if (status !== 307 && status !== 308)
    return refuse(`with HTTP ${status}, which does not preserve the request`)
  if (followed >= maxRedirects) return refuse(`after ${maxRedirects} other redirects`)
  return target
}
