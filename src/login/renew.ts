import type { Platform } from '../platform/platform.ts'
import type { SendGuardedRequest } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import type { Credential, LoginKey } from './credential.ts'
import { jwtBearer } from './declared-login.ts'
import type { DeclaredLogin } from './declared-login.ts'
import type { FindProvider } from './identity-provider.ts'
import type { LoginStore } from './login-store.ts'
import { requesterOf, requestTokens } from './token-request.ts'
import type { TokenGrant } from './token-request.ts'

export interface RenewContext {
  readonly store: LoginStore
  readonly send: SendGuardedRequest
  readonly now: () => number
  /** Holds the client secret or key, which only the entry has. */
  readonly declared: DeclaredLogin
  readonly platform: Pick<Platform, 'clock' | 'http' | 'env'>
  readonly findProvider?: FindProvider | undefined
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
    const isOver = stored.grant === 'authorization_code' || stored.grant === 'client_credentials'
    if (isOver && error instanceof AuthError && error.oauth === 'invalid_grant')
      await removeRefused(stored, store)
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

async function requestNewTokens(stored: Credential, renewal: RenewContext): Promise<TokenGrant> {
  const { send, now, declared } = renewal
  const requester = requesterOf(stored, declared)
  const { refresh } = stored.tokens
  const context = { send, now, timeoutMs: renewMs }
  if (refresh !== undefined) {
    return requestTokens({ grant_type: 'refresh_token', refresh_token: refresh }, requester, context)
  }
  const scope = stored.asked.length > 0 ? { scope: stored.asked.join(' ') } : {}
  if (stored.grant === 'jwt_bearer') {
    const { assertion } = declared
    if (assertion === undefined) throw new AuthError('unusable', 'Its entry has no assertion any more.')
    return requestTokens({ grant_type: jwtBearer, assertion, ...scope }, requester, context)
  }
  if (stored.grant === 'id_jag') {
    const provider = await renewal.findProvider?.(new URL(stored.server), stored.provider)
    if (!provider)
      throw new AuthError('unusable', 'The identity provider of this login is no longer in your settings.')
    const { renewByProvider } = await import('./enterprise-login.ts')
    return renewByProvider(stored, provider, declared, { ...renewal, tokens: context })
  }
  if (stored.grant === 'client_credentials') {
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
