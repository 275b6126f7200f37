import type { SendGuardedRequest } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import type { Credential, LoginKey } from './credential.ts'
import type { DeclaredLogin } from './declared-login.ts'
import type { LoginStore } from './login-store.ts'
import { requesterOf, requestTokens } from './token-request.ts'
import type { TokenGrant } from './token-request.ts'

export interface RenewContext {
  readonly store: LoginStore
  readonly send: SendGuardedRequest
  readonly now: () => number
  /** Holds the client secret or key, which only the entry has. */
  readonly declared: DeclaredLogin
}

/** Shorter than the time that other processes wait for the lock. */
const renewMs = 8000

/**
 * Returns a newer credential: the stored one if another process renewed it, else a renewed one. However many callers
 * wait, in this process and in others, one request is sent (T33). Throws when a person has to log in again.
 */
export function renew(credential: Credential, context: RenewContext): Promise<Credential> {
  return context.store.lockedOnce(credential, () => renewLocked(credential, context))
}

async function renewLocked(credential: Credential, context: RenewContext): Promise<Credential> {
  const { store } = context
  const stored = await store.read(credential)
  if (!stored) throw missingLoginError(credential)
  if (stored.tokens.access !== credential.tokens.access) return stored
  const granted = await requestNewTokens(stored, context).catch(async (error: unknown) => {
    if (error instanceof AuthError && error.oauth === 'invalid_grant') await removeRefused(stored, store)
    throw error
  })
  const renewed = { ...stored, tokens: mergeTokens(granted, stored) }
  await store.write(renewed)
  return renewed
}

/** Removes the login only if it still has the refresh token that was refused. */
async function removeRefused(sent: Credential, store: LoginStore): Promise<void> {
  const stored = await store.read(sent)
  if (stored?.tokens.refresh === sent.tokens.refresh) await store.remove(sent)
}

function requestNewTokens(stored: Credential, { send, now, declared }: RenewContext): Promise<TokenGrant> {
  const requester = requesterOf(stored, declared)
  const { refresh } = stored.tokens
  const context = { send, now, timeoutMs: renewMs }
  if (refresh !== undefined) {
    return requestTokens({ grant_type: 'refresh_token', refresh_token: refresh }, requester, context)
  }
  if (stored.grant === 'client_credentials') {
    const scope = stored.asked.length > 0 ? { scope: stored.asked.join(' ') } : {}
    return requestTokens({ grant_type: 'client_credentials', ...scope }, requester, context)
  }
  throw new AuthError('expired', 'The login has expired and cannot be renewed.')
}

function mergeTokens({ tokens }: TokenGrant, { tokens: old }: Credential): Credential['tokens'] {
  const scopes = tokens.scopes.length > 0 ? tokens.scopes : old.scopes
  return { ...(old.refresh !== undefined && { refresh: old.refresh }), ...tokens, scopes }
}

function missingLoginError({ account }: LoginKey): AuthError {
  return new AuthError('expired', `The login of "${account}" no longer exists.`)
}
