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

/** A request of the protocol; its headers, in lower case, win over those of the declaration. */
export interface Ask extends Pick<HttpRequest, 'method' | 'headers' | 'body' | 'headersTimeoutMs'> {
  readonly url: URL
  /** Whether anything beyond the headers of the answer is of interest. */
  readonly needs: 'headers' | 'body'
}

/** Called in the order of `HttpListener`, never before the exchange has been returned. */
export interface Hearer {
  onHeaders(status: number, headers: HttpHeaders): void
  onData(chunk: Uint8Array): void
  onEnd(): void
  onError(error: WireError): void
}

/** How much longer an answer may go on that nobody needs the rest of: to the end, the connection can be used again. */
const lingerMs = 2000
const lingerBytes = 64 * 1024

/** One request and its answer, with what HTTP needs around it: current headers, newer ones after a 401, redirects. */
export class Exchange implements HttpListener {
  readonly #endpoint: Endpoint
  readonly #ask: Ask
  readonly #hearer: Hearer
  #url: URL
  #own: HttpHeaders = {}
  #running: HttpExchange | undefined
  #status: number | undefined
  #state: 'heard' | 'lingering' | 'over' = 'heard'
  #lingered = 0
  #linger: Disposable | undefined
  #redirects = 0
  #isRefreshed = false
  #isResent = false

  constructor(endpoint: Endpoint, ask: Ask, hearer: Hearer) {
    this.#endpoint = endpoint
    this.#ask = ask
    this.#hearer = hearer
    this.#url = ask.url
    endpoint.live.add(this)
    this.#prepare('request', (own) => this.#send(own))
  }

  /** Where it went, after all redirects. */
  get url(): URL {
    return this.#url
  }

  /** Nothing is with the server. */
  get isUnsent(): boolean {
    return this.#running === undefined
  }

  /** The rest of the answer is of no interest. */
  finish(): void {
    if (this.#state !== 'heard') return
    this.#state = 'lingering'
    this.#linger = this.#endpoint.clock.timer(lingerMs, () => this.abort(), { background: true })
  }

  /** The hearer hears nothing more. */
  abort(): void {
    if (this.#state === 'over') return
    this.#end()
    this.#running?.abort()
  }

  onHeaders(status: number, headers: HttpHeaders): void {
    if (this.#state !== 'heard') return
    this.#status = status
    if (status === 401) this.#refused(headers)
    else if (status >= 300 && status < 400) this.#redirected(status, headers)
    else this.#heard(status, headers)
  }

  onData(chunk: Uint8Array): void {
    if (this.#state === 'heard') return this.#hearer.onData(chunk)
    this.#lingered += chunk.length
    if (this.#lingered > lingerBytes) this.abort()
  }

  onEnd(): void {
    const isHeard = this.#state === 'heard'
    this.#end()
    if (isHeard) this.#hearer.onEnd()
  }

  onError(error: HttpError): void {
    if (this.#state !== 'heard') return this.#end()
    // Nothing of it left: it is the connection that failed, not the request (FI-57).
    if (error.reason === 'reset' && !error.sent && !this.#isResent) {
      this.#isResent = true
      return this.#send(this.#own)
    }
    this.#end()
    this.#hearer.onError(fromHttpError(error, this.#status))
  }

  #prepare(why: Parameters<HeaderSource>[0], use: (own: HttpHeaders) => void, answer?: HttpHeaders): void {
    const refuse = (error: unknown) => this.#fail(toValuesError(error))
    try {
      const about = { method: this.#ask.method, url: this.#url, ...(answer && { answer }) }
      const own = this.#endpoint.headers(why, this.#own, about)
      if (own instanceof Promise) own.then(use).catch(refuse)
      else use(own)
    } catch (error) {
      queueMicrotask(() => refuse(error))
    }
  }

  #send(own: HttpHeaders): void {
    if (this.#state !== 'heard') return
    this.#own = own
    const { method, body, headersTimeoutMs, headers } = this.#ask
    this.#running = this.#endpoint.client.send(
      {
        method,
        url: this.#url,
        headers: { ...lowerCased(own), ...headers },
        ...(body !== undefined && { body }),
        headersTimeoutMs,
        idleTimeoutMs: 0,
      },
      this,
    )
  }

  /** The same headers once more would be refused once more (FI-41). */
  #refused(headers: HttpHeaders): void {
    const error = fromStatus({ status: 401, headers }, this.#endpoint.clock.now())
    if (this.#isRefreshed) return this.#fail(error)
    this.#isRefreshed = true
    this.#drop()
    const use = (own: HttpHeaders) => {
      if (isEqual(own, this.#own)) this.#fail(error)
      else this.#send(own)
    }
    this.#prepare('unauthorized', use, headers)
  }

  #redirected(status: number, headers: HttpHeaders): void {
    const target = redirectTarget({ method: this.#ask.method, status, headers }, this.#url, this.#redirects)
    if (target instanceof WireError) return this.#fail(target)
    this.#redirects++
    this.#url = target
    this.#drop()
    this.#send(this.#own)
  }

  #heard(status: number, headers: HttpHeaders): void {
    if (this.#ask.needs === 'headers') this.finish()
    this.#hearer.onHeaders(status, headers)
  }

  #fail(error: WireError): void {
    if (this.#state !== 'heard') return
    if (this.#running) this.finish()
    else this.#end()
    this.#hearer.onError(error)
  }

  /** This answer is not the one; another will come. */
  #drop(): void {
    this.#running?.abort()
    this.#running = undefined
  }

  #end(): void {
    this.#state = 'over'
    this.#endpoint.live.delete(this)
    this.#linger?.[Symbol.dispose]()
    this.#linger = undefined
  }
}

function lowerCased(headers: HttpHeaders): HttpHeaders {
  const result: Record<string, string> = {}
  for (const name in headers) result[name.toLowerCase()] = headers[name] ?? ''
  return result
}

function toValuesError(error: unknown): WireError {
  if (error instanceof WireError) return error
  return new WireError('values', error instanceof Error ? error.message : String(error), { cause: error })
}

/** For what needs no answer: that it arrived, or not, is all there is to know. */
export function acknowledgment(done: (isTaken: boolean) => void = () => undefined): Hearer {
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
 * Where a request may follow a redirect to: only to the same origin, with the same method (FI-53). A 302 or 303 is
 * also what servers say after they did what was posted.
 */
function redirectTarget({ method, status, headers }: Redirect, from: URL, followed: number): URL | WireError {
  const location = headers['location']
  const sent = method === 'POST' && (status === 302 || status === 303)
  if (location === undefined || !URL.canParse(location, from.href)) {
    return new WireError('protocol', `The server answered with HTTP ${status} and no address to go to.`, {
      sent,
      facts: { status },
    })
  }
  const target = new URL(location, from)
  const refuse = (why: string) =>
    // Neither a password in it nor its query, which may hold a token, is for anybody to read.
    new WireError('blocked', `The server redirects to ${target.origin}${target.pathname}, ${why}.`, {
      sent,
      facts: { status },
    })
  if (target.origin !== from.origin) return refuse('which is another origin')
  if (status !== 307 && status !== 308) return refuse(`with HTTP ${status}, which would lose the request`)
  if (followed >= maxRedirects) return refuse(`the redirect after ${maxRedirects} others`)
  return target
}
