import { isStringArray } from '../model/json.ts'
import type { ResolvedAuth } from '../model/resolved.ts'
import { Secret } from '../model/secret.ts'
import { toScopes } from './challenge.ts'

/** What an entry says about logging in. */
export interface Declared {
  /** The owner says that this server is never logged in to. */
  readonly isOff: boolean
  readonly account?: string
  /** The entry itself names a stored login (O11). */
  readonly isNamed: boolean
  readonly clientId?: string
  readonly clientSecret?: string
  readonly clientMetadataUrl?: string
  readonly scopes?: readonly string[]
  readonly callbackPort?: number
  readonly redirectUri?: string
  readonly resource?: string
  /** The only issuer that may be asked. */
  readonly issuer?: string
  readonly grant: 'authorization_code' | 'client_credentials'
  /** PEM, for a client that proves itself with a key. */
  readonly privateKey?: string
  readonly algorithm?: string
}

/** In any owner's words: a client beside a token (`auth.oauth`) counts as the entry's own. */
export function declaredOf(auth: ResolvedAuth = {}): Declared {
  const nested = auth['oauth']
  const all: ResolvedAuth = isPlain(nested) ? { ...auth, ...(nested as ResolvedAuth) } : auth // an object of the entry
  const text = (...names: readonly string[]): string | undefined => {
    for (const name of names) {
      const value = all[name]
      if (value instanceof Secret) return value.reveal()
      if (typeof value === 'string' && value !== '') return value
    }
    return undefined
  }
  const port = all['callbackPort']
  const scopes = all['scopes']
  const fields = {
    account: text('account', 'credentialId'),
    clientId: text('clientId'),
    clientSecret: text('clientSecret'),
    clientMetadataUrl: text('clientMetadataUrl'),
    redirectUri: text('redirectUri'),
    resource: text('resource'),
    issuer: text('issuer'),
    privateKey: text('privateKey'),
    algorithm: text('algorithm'),
    scopes: isStringArray(scopes) ? scopes : typeof scopes === 'string' ? toScopes(scopes) : undefined,
    callbackPort: typeof port === 'number' && port > 0 && port < 65_536 ? port : undefined,
  }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return {
    isNamed: text('credentialId') !== undefined,
    isOff: all['type'] === 'none' || all['enabled'] === false,
    grant: text('grantType', 'grant') === 'client_credentials' ? 'client_credentials' : 'authorization_code',
    ...(given as Partial<Declared>), // the fields above, without those that are absent
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Secret)
}
