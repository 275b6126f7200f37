import { randomBytes, timingSafeEqual } from 'node:crypto'
import { ListenError } from '../platform/login-ports.ts'
import type { Listen, Listening } from '../platform/login-ports.ts'
import { AuthError, codeIn } from './auth-error.ts'

/** What came back to us, checked. */
export interface Returned {
  readonly code: string
  readonly issuer: string | undefined
}

export interface Expected {
  readonly state: string
  readonly issuer: string
  /** The issuer says that it names itself (RFC 9207). */
  readonly sendsIssuer: boolean
}

/**
 * The answer of a login, from the address a browser was sent back to. `undefined` for what is none of ours: it is
 * turned away, and the login goes on. On a foreign issuer nothing of what came is shown (T28).
 */
export function readReturn(
  params: URLSearchParams,
  { state, issuer, sendsIssuer }: Expected,
): Returned | undefined {
  if (!isSame(params.get('state') ?? '', state)) return undefined
  const named = params.get('iss') ?? undefined
  if (named === undefined ? sendsIssuer : named !== issuer) {
    throw new AuthError('issuer', 'The login was answered by another issuer than it was asked of.')
  }
  const error = params.get('error')
  if (error !== null) {
    const oauth = codeIn(error)
    throw new AuthError('refused', `The issuer refused: ${oauth ?? 'no known reason'}.`, { oauth })
  }
  const code = params.get('code')
  if (code === null || code === '') throw new AuthError('unusable', 'The login came back without a code.')
  return { code, issuer: named }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export function randomText(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}

export interface Callback extends AsyncDisposable {
  readonly redirectUri: string
  /** The first answer that is ours, right or wrong; strays are turned away and forgotten. */
  readonly returned: Promise<Returned>
  /** Nothing counts before this is known. */
  expect(expected: Expected): void
}

interface CallbackOptions {
  readonly port: number
  readonly path: string
  readonly host: string
  readonly listen: Listen
}

/** Listens for the browser on this machine alone, for as long as one login takes (T30). */
export async function listenForReturn({ port, path, host, listen }: CallbackOptions): Promise<Callback> {
  let expected: Expected | undefined
  const { promise, resolve, reject } = withResolvers<Returned>()
  promise.catch(() => undefined)
  let isOver = false
  const onGet = (url: URL) => {
    if (isOver || url.pathname !== path || !expected) return strayPage
    try {
      const returned = readReturn(url.searchParams, expected)
      if (!returned) return strayPage
      isOver = true
      resolve(returned)
      return donePage
    } catch (error) {
      isOver = true
      reject(error)
      return failedPage
    }
  }
  const listening = await listen({ port, onGet }).catch((error: unknown) => {
    if (!(error instanceof ListenError)) throw error
    throw new AuthError('no-port', `${error.message} Choose another one, or let one be chosen.`, {
      cause: error,
    })
  })
  return toCallback(listening, { host, path }, promise, (next) => (expected = next))
}

function toCallback(
  listening: Listening,
  { host, path }: { readonly host: string; readonly path: string },
  returned: Promise<Returned>,
  expect: Callback['expect'],
): Callback {
  return {
    redirectUri: `http://${host}:${listening.port}${path}`,
    returned,
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

const pageOf = (status: number, title: string, text: string) => ({
  status,
  page: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body style="font-family:sans-serif;margin:4em auto;max-width:30em"><h1>${title}</h1><p>${text}</p>`,
})

const donePage = pageOf(200, 'Logged in', 'You can close this page and go back to your terminal.')
const failedPage = pageOf(400, 'Not logged in', 'Your terminal says why. You can close this page.')
const strayPage = pageOf(400, 'Nothing to do', 'This address belongs to a login that is not this one.')
