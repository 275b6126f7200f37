import type { Ask } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import type { Credential, LoginKey } from './credential.ts'
import type { Declared } from './declared-login.ts'
import type { LoginStore } from './login-store.ts'
import { requesterOf, requestTokens } from './token-request.ts'
import type { Granted } from './token-request.ts'

export interface RenewContext {
  readonly store: LoginStore
  readonly ask: Ask
  readonly now: () => number
  /** What only the entry knows: a secret or a key of a client that was known before. */
  readonly declared: Declared
}

/** Shorter than anybody waits for the lock. */
const renewMs = 8000

/**
 * A newer token than this one: of whoever renewed it first, or renewed now. One request however many wait, in this
 * program and in all others (T33). Throws where a person has to log in again.
 */
export function renew(old: Credential, context: RenewContext): Promise<Credential> {
  return context.store.once(old, () => renewLocked(old, context))
}

async function renewLocked(old: Credential, context: RenewContext): Promise<Credential> {
  const { store } = context
  const stored = await store.read(old)
  if (!stored) throw gone(old)
  if (stored.tokens.access !== old.tokens.access) return stored
  const granted = await grantAgain(stored, context).catch(async (error: unknown) => {
    if (error instanceof AuthError && error.oauth === 'invalid_grant') await forget(stored, store)
    throw error
  })
  const renewed = { ...stored, tokens: keepRefresh(granted, stored) }
  await store.write(renewed)
  return renewed
}

/** Only what was sent is known to be worthless. */
async function forget(sent: Credential, store: LoginStore): Promise<void> {
  const stored = await store.read(sent)
  if (stored?.tokens.refresh === sent.tokens.refresh) await store.remove(sent)
}

function grantAgain(stored: Credential, { ask, now, declared }: RenewContext): Promise<Granted> {
  const requester = requesterOf(stored, declared)
  const { refresh } = stored.tokens
  const context = { ask, now, timeoutMs: renewMs }
  if (refresh !== undefined) {
    return requestTokens({ grant_type: 'refresh_token', refresh_token: refresh }, requester, context)
  }
  if (stored.grant === 'client_credentials') {
    const scope = stored.asked.length > 0 ? { scope: stored.asked.join(' ') } : {}
    return requestTokens({ grant_type: 'client_credentials', ...scope }, requester, context)
  }
  throw new AuthError('expired', 'The login has run out and cannot be renewed.')
}

function keepRefresh({ tokens }: Granted, { tokens: old }: Credential): Credential['tokens'] {
  const scopes = tokens.scopes.length > 0 ? tokens.scopes : old.scopes
  return { ...(old.refresh !== undefined && { refresh: old.refresh }), ...tokens, scopes }
}

function gone({ account }: LoginKey): AuthError {
  return new AuthError('expired', `The login of "${account}" is gone.`)
}
