import { isEqual } from '../model/json.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { HttpHeaders, HttpOptions } from '../platform/platform.ts'
import { declaredOf } from './declared-login.ts'
import type { Logins, OnLogin } from './logins.ts'
import type { Use } from './server-login.ts'

/** The headers that an entry itself gives: asked for each request, and after a 401 for newer ones than were refused. */
type EntryHeaders = (
  why: 'request' | 'unauthorized',
  refused: HttpHeaders,
  about: Use,
) => HttpHeaders | Promise<HttpHeaders>

type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

interface TokenHeadersOptions {
  readonly url: URL
  readonly auth: Remote['auth']
  readonly tls: HttpOptions['tls'] | undefined
  readonly warn: (message: string) => void
  /** Another account counts now than the one that is used. */
  readonly onOther: () => void
  /** Whom to tell once when somebody has logged in after a refusal. */
  readonly waits?: { readonly owner: string; readonly onLogin: OnLogin } | undefined
}

export interface TokenHeaders {
  /** At once where nothing has to be looked up. */
  headers(about: Use): HttpHeaders | Promise<HttpHeaders>
  /**
   * After a 401: what the entry gives anew, else a newer token, else the refused ones. `undefined` where the entry logs
   * in by itself and has nothing else to give. Throws where renewing failed.
   */
  renewed(refused: HttpHeaders, about: Use): Promise<HttpHeaders | undefined>
  /** The entry names a stored login, which counts more than a header of its own (O11). */
  readonly isNamed: boolean
  /** Scopes that a login could ask for and has not asked for yet. */
  lacking(challenge: string | undefined): readonly string[] | undefined
  close(): void
}

/** Whether a login may be used: whoever listens at a socket need not be who the address names (T32). */
export function takesLogin({ auth, socketPath }: Remote): boolean {
  return !declaredOf(auth).isOff && socketPath === undefined
}

/** The headers of an entry, with the token of its login where the entry itself does not log in. */
export function createTokenHeaders(
  entry: EntryHeaders,
  logins: Logins,
  { url, auth, tls, warn, onOther, waits }: TokenHeadersOptions,
): TokenHeaders {
  const declared = declaredOf(auth)
  const login = logins.of(url, declared, { warn, onOther, tls })
  let hasWarned = false
  const withToken = (own: HttpHeaders, token: HttpHeaders): HttpHeaders => {
    if (declared.isNamed && !hasWarned && !namesAuthorization(token)) {
      hasWarned = true
      warn(`There is no credential "${declared.account}"; it is tried without.`)
    }
    return { ...own, ...token }
  }
  const add = (own: HttpHeaders, about: Use): HttpHeaders | Promise<HttpHeaders> => {
    if (namesAuthorization(own) && !declared.isNamed) return own
    const token = login.headers(about)
    return token instanceof Promise ? token.then((found) => withToken(own, found)) : withToken(own, token)
  }
  const wait = async () => {
    if (waits) await login.wait(waits.owner, waits.onLogin)
  }
  return {
    isNamed: declared.isNamed,
    lacking: (challenge) => login.lacking(challenge),
    close: () => login.close(),
    headers(about) {
      const own = entry('request', {}, about)
      return own instanceof Promise ? own.then((known) => add(known, about)) : add(own, about)
    },
    async renewed(refused, about) {
      const { authorization, dpop, ...others } = refused
      const before = await entry('request', {}, about)
      if (namesAuthorization(before) && !declared.isNamed) {
        const own = await entry('unauthorized', refused, about)
        return isEqual(own, refused) ? undefined : own
      }
      const own = await entry('unauthorized', others, about)
      const sent = {
        ...(authorization !== undefined && { authorization }),
        ...(dpop !== undefined && { dpop }),
      }
      try {
        const token = await login.renewed(sent, about)
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

/** Whether something logs in already. */
export function namesAuthorization(headers: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
