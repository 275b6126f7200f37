import { onAbort } from '../model/abort.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from '../platform/ip-address.ts'
import { HttpError } from '../platform/platform.ts'
import type { HttpHeaders, HttpOptions, HttpRequest, Platform } from '../platform/platform.ts'
import { AuthError } from './auth-error.ts'
import type { Declared } from './declared-login.ts'

export interface Question {
  /** Part of the sentence when it fails: `the token endpoint`. */
  readonly what: string
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: HttpHeaders
  readonly body?: string
  readonly timeoutMs?: number
}

export interface Answer {
  readonly status: number
  readonly headers: HttpHeaders
  readonly text: string
}

export type Ask = (question: Question) => Promise<Answer>

export interface AskOptions {
  readonly platform: Pick<Platform, 'http' | 'clock' | 'env'>
  readonly guard: Guard
  readonly signal?: AbortSignal | undefined
  readonly trusted?: Trusted | undefined
}

/** The authority that the entry names for the certificate of its server; for nobody else's. */
interface Trusted {
  readonly host: string
  readonly ca: string
}

const limits = { bytes: 64 * 1024, ms: 10_000, redirects: 3 } as const

/** Every request of a login: each address is checked, its answer is short and comes soon (T29). */
export function createAsk(options: AskOptions): Ask {
  return async (question) => {
    let { url } = question
    for (let hops = 0; ; hops++) {
      options.guard.check(url)
      const answer = await exchange({ ...question, url }, options)
      const location = answer.headers['location']
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer
      // What is posted holds secrets, and is meant for nobody else.
      if (question.method !== 'GET' || hops >= limits.redirects || !URL.canParse(location, url.href)) {
        throw new AuthError('unusable', `${upper(question.what)} at ${url.origin} redirects elsewhere.`)
      }
      url = new URL(location, url)
    }
  }
}

async function exchange(
  question: Question,
  { platform, guard, signal, trusted }: AskOptions,
): Promise<Answer> {
  const { url, what, timeoutMs = limits.ms } = question
  const fail = (error: unknown) => toAuthError(error, what, url)
  const tls = trusted?.host === url.host ? { tls: { ca: trusted.ca } } : {}
  const client = await platform
    .http({ url, env: platform.env, maxConnections: 1, allows: guard.allows(url), ...tls })
    .catch((error: unknown) => Promise.reject(fail(error)))
  let timer: Disposable | undefined
  let listening: Disposable | undefined
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const late = () =>
        reject(new AuthError('timeout', `${upper(what)} at ${url.origin} did not answer in time.`))
      timer = platform.clock.timer(timeoutMs, late)
      listening = onAbort(signal, () => reject(reasonOf(signal)))
      if (signal?.aborted) return
      client.send(toRequest(question), collect(what, url, resolve, reject))
    })
  } catch (error) {
    throw fail(error)
  } finally {
    timer?.[Symbol.dispose]()
    listening?.[Symbol.dispose]()
    await client.close()
  }
}

function toRequest({ method, url, headers = {}, body }: Question): HttpRequest {
  return {
    method,
    url,
    headers: { accept: 'application/json', ...headers },
    ...(body !== undefined && { body }),
    headersTimeoutMs: 0,
    idleTimeoutMs: 0,
  }
}

function collect(what: string, url: URL, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
  const chunks: Uint8Array[] = []
  let size = 0
  let head = { status: 0, headers: {} as HttpHeaders }
  return {
    onHeaders: (status: number, headers: HttpHeaders) => void (head = { status, headers }),
    onData(chunk: Uint8Array) {
      size += chunk.length
      if (size <= limits.bytes) chunks.push(chunk)
      else reject(new AuthError('unusable', `The answer of ${what} at ${url.origin} is too large.`))
    },
    onEnd: () => resolve({ ...head, text: Buffer.concat(chunks).toString('utf8') }),
    onError: reject,
  }
}

/** Why it was given up. */
export function reasonOf(signal: AbortSignal | undefined): AuthError {
  const reason: unknown = signal?.reason
  return reason instanceof AuthError ? reason : new AuthError('cancelled', 'The login was cancelled.')
}

/** Nothing of an answer is part of a sentence: it may be anybody's text, and it may hold a token. */
function toAuthError(error: unknown, what: string, url: URL): unknown {
  if (!(error instanceof HttpError)) return error
  if (error.reason === 'blocked') {
    const message = `The login leads to ${url.origin}, which is no public address; it was not contacted.`
    return new AuthError('blocked', message, { cause: error })
  }
  return new AuthError('unreachable', `${upper(what)} cannot be reached: ${error.message}`, { cause: error })
}

export function trustedFor({ host }: URL, tls: HttpOptions['tls']): Trusted | undefined {
  return tls?.ca === undefined ? undefined : { host, ca: tls.ca }
}

/** The object that an answer consists of, if it does. */
export function objectIn({ text }: Pick<Answer, 'text'>): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export interface Guard {
  /** Throws where the address itself says that it may not be asked. */
  check(url: URL): void
  /** Whether a name may stand for this address. */
  allows(url: URL): (address: string) => boolean
}

/**
 * T29: what an address of somebody else's choice may be: public https; this machine only where the server itself is on
 * it. The hosts that the person named in the entry may be anywhere.
 */
function createGuard(server: URL, named: readonly URL[]): Guard {
  const isLocal = isLoopbackHost(server.hostname)
  const hosts = new Set([server, ...named].map(({ hostname }) => hostname))
  return {
    check(url) {
      const isOurs = isLocal && isLoopbackHost(url.hostname)
      if (url.username !== '' || url.password !== '') throw blocked(url, 'has a password in it')
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isOurs)) return
      throw blocked(url, 'is not https')
    },
    allows: (url) => (address) =>
      hosts.has(url.hostname) || isPublicAddress(address) || (isLocal && isLoopbackAddress(address)),
  }
}

/** The same for one entry: the issuer that it names may be in the person's own network. */
export function guardFor(server: URL, { issuer }: Pick<Declared, 'issuer'>): Guard {
  return createGuard(server, issuer !== undefined && URL.canParse(issuer) ? [new URL(issuer)] : [])
}

/** Only what is shown of it is safe to show: neither a password nor a query. */
function blocked(url: URL, why: string): AuthError {
  const shown = /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : url.protocol
  return new AuthError('blocked', `The login leads to ${shown}, which ${why}; it was not contacted.`)
}
