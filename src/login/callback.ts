import { randomBytes, timingSafeEqual } from 'node:crypto'
import { ListenError } from '../platform/login-ports.ts'
import type { Listen, ActiveListener } from '../platform/login-ports.ts'
import { AuthError, readOAuthCode } from './auth-error.ts'

/** A checked authorization response. */
export interface AuthorizationResponse {
  readonly code: string
  readonly issuer: string | undefined
}

export interface ExpectedResponse {
  readonly state: string
  readonly issuer: string
  /** The issuer's metadata promises an `iss` parameter (RFC 9207). */
  readonly sendsIssuer: boolean
}

/**
 * Reads the authorization response from the address that the browser was redirected to. Returns `undefined` for a
 * request with another state: it is answered with an error page, and the login continues. When the issuer differs,
 * the error repeats nothing of the response (T28).
 */
export function readResponse(
  params: URLSearchParams,
  { state, issuer, sendsIssuer }: ExpectedResponse,
): AuthorizationResponse | undefined {
  if (!isEqualInConstantTime(params.get('state') ?? '', state)) return undefined
  const named = params.get('iss') ?? undefined
  if (named === undefined ? sendsIssuer : named !== issuer) {
    throw new AuthError('issuer', 'The login response came from a different issuer.')
  }
  const error = params.get('error')
  if (error !== null) {
    const oauth = readOAuthCode(error)
    throw new AuthError('refused', `The issuer refused: ${oauth ?? 'no known reason'}.`, { oauth })
  }
  const code = params.get('code')
  if (code === null || code === '') throw new AuthError('unusable', 'The login response has no code.')
  return { code, issuer: named }
}

function isEqualInConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export function randomText(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}

export interface Callback extends AsyncDisposable {
  readonly redirectUri: string
  /** Settles with the first response that has our state, valid or not; other requests are ignored. */
  readonly response: Promise<AuthorizationResponse>
  /** Sets what a valid response looks like; requests that arrive earlier are ignored. */
  expect(expected: ExpectedResponse): void
}

interface CallbackOptions {
  readonly port: number
  readonly path: string
  readonly host: string
  readonly listen: Listen
}

/** Listens on the loopback interface for the browser's redirect, until disposed at the end of the login (T30). */
export async function listenForCallback({ port, path, host, listen }: CallbackOptions): Promise<Callback> {
  let expected: ExpectedResponse | undefined
  const { promise, resolve, reject } = withResolvers<AuthorizationResponse>()
  promise.catch(() => undefined)
  let isAnswered = false
  const onGet = (url: URL) => {
    if (isAnswered || url.pathname !== path || !expected) return strayPage
    try {
      const response = readResponse(url.searchParams, expected)
      if (!response) return strayPage
      isAnswered = true
      resolve(response)
      return donePage
    } catch (error) {
      isAnswered = true
      reject(error)
      return failedPage
    }
  }
  const listening = await listen({ port, onGet }).catch((error: unknown) => {
    if (!(error instanceof ListenError)) throw error
    throw new AuthError('no-port', `${error.message} Choose another port, or omit it to use a free one.`, {
      cause: error,
    })
  })
  return toCallback(listening, { host, path }, promise, (next) => (expected = next))
}

function toCallback(
  listening: ActiveListener,
  { host, path }: { readonly host: string; readonly path: string },
  response: Promise<AuthorizationResponse>,
  expect: Callback['expect'],
): Callback {
  return {
    redirectUri: `http://${host}:${listening.port}${path}`,
    response,
    expect,
    [Symbol.asyncDispose]: () => listening.close(),
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

const toPage = (status: number, title: string, text: string) => ({
  status,
  page: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body style="font-family:sans-serif;margin:4em auto;max-width:30em"><h1>${title}</h1><p>${text}</p>`,
})

const donePage = toPage(200, 'Logged in', 'You can close this page and go back to your terminal.')
const failedPage = toPage(400, 'Not logged in', 'Your terminal shows the reason. You can close this page.')
const strayPage = toPage(400, 'Nothing to do', 'This address does not belong to the current login.')
