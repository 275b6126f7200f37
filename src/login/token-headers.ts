import { isEqual } from '../model/json.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { HttpHeaders, HttpOptions } from '../platform/platform.ts'
import { forCaller, readDeclaredLogin } from './declared-login.ts'
import type { Logins, OnLogin } from './logins.ts'
import type { TokenUse } from './server-login.ts'

/** The headers of the entry. Called for each request, and after a 401 for headers newer than the refused ones. */
type EntryHeaders = (
  why: 'request' | 'unauthorized',
  refused: HttpHeaders,
  about: TokenUse,
) => HttpHeaders | Promise<HttpHeaders>

type RemoteTransport = ResolvedTransport & { readonly kind: 'http' | 'sse' }

interface TokenHeadersOptions {
  readonly url: URL
  readonly auth: RemoteTransport['auth']
  /** The caller of a gateway whose own login is used. */
  readonly caller?: string | undefined
  /** Resolves the login settings of the entry again. */
  readonly resolveAuth?: (() => Promise<RemoteTransport['auth']>) | undefined
  readonly tls: HttpOptions['tls'] | undefined
  readonly warn: (message: string) => void
  /** Called when another account takes effect than the one in use. */
  readonly onAccountChange: () => void
  /** Called once when a person logs in after a refusal. */
  readonly waiter?: { readonly owner: string; readonly onLogin: OnLogin } | undefined
}

export interface TokenHeaders {
  /** Synchronous when the credential is loaded and fresh. */
  headers(about: TokenUse): HttpHeaders | Promise<HttpHeaders>
  /**
   * After a 401: new headers of the entry, else a newer token, else the refused headers. `undefined` when the entry has
   * its own credentials and no newer ones. Throws when the renewal failed.
   */
  renewHeaders(refused: HttpHeaders, about: TokenUse): Promise<HttpHeaders | undefined>
  /** The entry names a stored login, which takes precedence over its own header (O11). */
  readonly isNamed: boolean
  /** Scopes of the challenge that no login has requested yet. */
  missingScopes(challenge: string | undefined): readonly string[] | undefined
  close(): void
}

/**
 * Whether a login may be used. Not over a local socket: its listener need not be the server that the address names
 * (T32).
 */
export function canUseLogin({ auth, socketPath }: RemoteTransport): boolean {
  return !readDeclaredLogin(auth).isOff && socketPath === undefined
}

/** Why callers of a gateway cannot use a server with logins of their own; absent if they can. */
export function whyNotPerCaller(transport: ResolvedTransport): string | undefined {
  if (transport.kind !== 'http' && transport.kind !== 'sse')
    return 'it is not reached over HTTP, so there is nothing to log in to'
  if (!canUseLogin(transport)) return 'its entry rules out a login'
  const { auth, headers, headersCommand } = transport
  const { isNamed, grant } = readDeclaredLogin(auth)
  const hasOwn = hasAuthorization(headers) || headersCommand !== undefined || auth?.['type'] === 'bearer'
  if (hasOwn || isNamed || grant !== 'authorization_code')
    return 'its entry has credentials, which all callers would share'
  return undefined
}

/** Combines the headers of an entry with the token of its login, unless the entry has its own authorization. */
export function createTokenHeaders(
  entry: EntryHeaders,
  logins: Logins,
  { url, auth, caller, resolveAuth, tls, warn, onAccountChange, waiter }: TokenHeadersOptions,
): TokenHeaders {
  const read = readDeclaredLogin(auth)
  const declared = caller === undefined ? read : forCaller(read, caller)
  const readAgain = resolveAuth && (async () => readDeclaredLogin(await resolveAuth()))
  const login = logins.forServer(url, declared, { warn, onAccountChange, tls, readAgain })
  let hasWarned = false
  const withToken = (own: HttpHeaders, token: HttpHeaders): HttpHeaders => {
    if (declared.isNamed && !hasWarned && !hasAuthorization(token)) {
      hasWarned = true
      warn(`There is no credential "${declared.account}"; connecting without it.`)
    }
    return { ...own, ...token }
  }
  const add = (own: HttpHeaders, about: TokenUse): HttpHeaders | Promise<HttpHeaders> => {
    if (hasAuthorization(own) && !declared.isNamed) return own
    const token = login.headers(about)
    return token instanceof Promise ? token.then((found) => withToken(own, found)) : withToken(own, token)
  }
  const wait = async () => {
    if (waiter) await login.wait(waiter.owner, waiter.onLogin)
  }
  return {
    isNamed: declared.isNamed,
    missingScopes: (challenge) => login.missingScopes(challenge),
    close: () => login.close(),
    headers(about) {
      const own = entry('request', {}, about)
      return own instanceof Promise ? own.then((known) => add(known, about)) : add(own, about)
    },
    async renewHeaders(refused, about) {
      const { authorization, dpop, ...others } = refused
      const before = await entry('request', {}, about)
      if (hasAuthorization(before) && !declared.isNamed) {
        const own = await entry('unauthorized', refused, about)
        return isEqual(own, refused) ? undefined : own
      }
      const own = await entry('unauthorized', others, about)
      const sent = {
        ...(authorization !== undefined && { authorization }),
        ...(dpop !== undefined && { dpop }),
      }
      try {
        const token = await login.renewHeaders(sent, about)
        if (!isEqual({ ...token }, sent)) return { ...own, ...token }
      } catch (error) {
        await wait()
        throw error
      }
      await wait()
      return { ...own, ...sent }
    },
  }
}

/** Whether an authorization header is present. */
export function hasAuthorization(headers: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
