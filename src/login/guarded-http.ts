import { onAbort } from '../model/abort.ts'
import { parseObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from '../platform/ip-address.ts'
import { HttpError } from '../platform/platform.ts'
import type { HttpHeaders, HttpOptions, HttpRequest, Platform } from '../platform/platform.ts'
import { AuthError } from './auth-error.ts'
import type { DeclaredLogin } from './declared-login.ts'

export interface GuardedRequest {
  /** Names the endpoint in error messages: `the token endpoint`. */
  readonly what: string
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: HttpHeaders
  readonly body?: string
  readonly timeoutMs?: number
}

export interface GuardedResponse {
  readonly status: number
  readonly headers: HttpHeaders
  readonly text: string
}

export type SendGuardedRequest = (request: GuardedRequest) => Promise<GuardedResponse>

export interface GuardedHttpOptions {
  readonly platform: Pick<Platform, 'http' | 'clock' | 'env'>
  readonly guard: AddressGuard
  readonly signal?: AbortSignal | undefined
  readonly trusted?: TrustedCertificate | undefined
}

/** The certificate authority that the entry names; trusted for the host of its server only. */
interface TrustedCertificate {
  readonly host: string
  readonly ca: string
}

const limits = { bytes: 64 * 1024, ms: 10_000, redirects: 3 } as const

/** Sends every request of a login. Checks each address, redirects included, and limits size and time (T29). */
export function createGuardedHttp(options: GuardedHttpOptions): SendGuardedRequest {
  return async (request) => {
    let { url } = request
    for (let hops = 0; ; hops++) {
      options.guard.check(url)
      const response = await sendOnce({ ...request, url }, options)
      const location = response.headers['location']
      if (response.status < 300 || response.status >= 400 || location === undefined) return response
      // A POST is never redirected: its body holds secrets for this endpoint.
      if (request.method !== 'GET' || hops >= limits.redirects || !URL.canParse(location, url.href)) {
        throw new AuthError('unusable', `${capitalize(request.what)} at ${url.origin} redirects elsewhere.`)
      }
      url = new URL(location, url)
    }
  }
}

async function sendOnce(
  request: GuardedRequest,
  { platform, guard, signal, trusted }: GuardedHttpOptions,
): Promise<GuardedResponse> {
  const { url, what, timeoutMs = limits.ms } = request
  const toError = (error: unknown) => toAuthError(error, what, url)
  const tls = trusted?.host === url.host ? { tls: { ca: trusted.ca } } : {}
  const client = await platform
    .http({ url, env: platform.env, maxConnections: 1, allows: guard.allows(url), ...tls })
    .catch((error: unknown) => Promise.reject(toError(error)))
  let timer: Disposable | undefined
  let listening: Disposable | undefined
  try {
    return await new Promise<GuardedResponse>((resolve, reject) => {
      const onTimeout = () =>
        reject(new AuthError('timeout', `${capitalize(what)} at ${url.origin} did not answer in time.`))
      timer = platform.clock.timer(timeoutMs, onTimeout)
      listening = onAbort(signal, () => reject(abortReason(signal)))
      if (signal?.aborted) return
      client.send(toHttpRequest(request), collectBody(what, url, resolve, reject))
    })
  } catch (error) {
    throw toError(error)
  } finally {
    timer?.[Symbol.dispose]()
    listening?.[Symbol.dispose]()
    await client.close()
  }
}

function toHttpRequest({ method, url, headers = {}, body }: GuardedRequest): HttpRequest {
  return {
    method,
    url,
    headers: { accept: 'application/json', ...headers },
    ...(body !== undefined && { body }),
    headersTimeoutMs: 0,
    idleTimeoutMs: 0,
  }
}

function collectBody(
  what: string,
  url: URL,
  resolve: (answer: GuardedResponse) => void,
  reject: (error: Error) => void,
) {
  const chunks: Uint8Array[] = []
  let size = 0
  let head = { status: 0, headers: {} as HttpHeaders }
  return {
    onHeaders: (status: number, headers: HttpHeaders) => void (head = { status, headers }),
    onData(chunk: Uint8Array) {
      size += chunk.length
      if (size <= limits.bytes) chunks.push(chunk)
      else reject(new AuthError('unusable', `The response of ${what} at ${url.origin} is too large.`))
    },
    onEnd: () => resolve({ ...head, text: Buffer.concat(chunks).toString('utf8') }),
    onError: reject,
  }
}

/** The reason of the abort as an AuthError. */
export function abortReason(signal: AbortSignal | undefined): AuthError {
  const reason: unknown = signal?.reason
  return reason instanceof AuthError ? reason : new AuthError('cancelled', 'The login was cancelled.')
}

/** Error messages repeat nothing of a response: it is untrusted and may hold a token. */
function toAuthError(error: unknown, what: string, url: URL): unknown {
  if (!(error instanceof HttpError)) return error
  if (error.reason === 'blocked') {
    const message = `The login leads to ${url.origin}, which is not a public address; it was not contacted.`
    return new AuthError('blocked', message, { cause: error })
  }
  return new AuthError('unreachable', `${capitalize(what)} cannot be reached: ${error.message}`, {
    cause: error,
  })
}

export function trustedCertificateFor(
  { host }: URL,
  tls: HttpOptions['tls'],
): TrustedCertificate | undefined {
  return tls?.ca === undefined ? undefined : { host, ca: tls.ca }
}

/** Returns `undefined` when the response is not a JSON object. */
export function parseJsonObject({ text }: Pick<GuardedResponse, 'text'>): JsonObject | undefined {
  return parseObject(text)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export interface AddressGuard {
  /** Throws when the address may not be contacted, judged by the address alone. */
  check(url: URL): void
  /** Returns a check of the IP addresses that the host of `url` resolves to. */
  allows(url: URL): (address: string) => boolean
}

/**
 * T29: an address that a server or issuer names must be public and https. Loopback is allowed when the server itself is
 * on this machine. The hosts that the entry names may resolve to any address.
 */
function createGuard(server: URL, named: readonly URL[]): AddressGuard {
  const isServerLocal = isLoopbackHost(server.hostname)
  const hosts = new Set([server, ...named].map(({ hostname }) => hostname))
  return {
    check(url) {
      const isLocalTarget = isServerLocal && isLoopbackHost(url.hostname)
      if (url.username !== '' || url.password !== '') throw blockedError(url, 'contains a password')
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocalTarget)) return
      throw blockedError(url, 'is not https')
    },
    allows: (url) => (address) =>
      hosts.has(url.hostname) || isPublicAddress(address) || (isServerLocal && isLoopbackAddress(address)),
  }
}

/**
 * Creates the guard for an entry: the issuer that it names, and those that the person's settings name, may be in a
 * private network.
 */
export function guardFor(
  server: URL,
  { issuer }: Pick<DeclaredLogin, 'issuer'>,
  others: readonly string[] = [],
): AddressGuard {
  const named = [...(issuer === undefined ? [] : [issuer]), ...others].filter((each) => URL.canParse(each))
  return createGuard(
    server,
    named.map((each) => new URL(each)),
  )
}

/** The message contains neither a password nor a query of the address. */
function blockedError(url: URL, why: string): AuthError {
  const displayUrl = /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : url.protocol
  return new AuthError('blocked', `The login leads to ${displayUrl}, which ${why}; it was not contacted.`)
}
