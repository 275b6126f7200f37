import { isStringArray } from '../model/json.ts'
import type { ResolvedAuth } from '../model/resolved.ts'
import { Secret } from '../model/secret.ts'
import { toScopes } from './challenge.ts'

/** The login settings of an entry. */
export interface DeclaredLogin {
  /** The entry turns logging in off. */
  readonly isOff: boolean
  readonly account?: string
  /** The caller of a gateway whose own login is used, and no other. */
  readonly caller?: string
  /** The entry names a stored login (O11). */
  readonly isNamed: boolean
  readonly clientId?: string
  readonly clientSecret?: string
  readonly clientMetadataUrl?: string
  readonly scopes?: readonly string[]
  readonly callbackPort?: number
  readonly redirectUri?: string
  readonly resource?: string
  /** The only issuer that may be used. */
  readonly issuer?: string
  readonly grant: 'authorization_code' | 'client_credentials' | 'jwt_bearer'
  /** A JWT of the platform that the program runs on (SEP-1933). Read again for each token request. */
  readonly assertion?: string
  /** The identity provider of the person's settings that grants access (SEP-990). */
  readonly provider?: string
  /** PEM, for a client that authenticates with a key. */
  readonly privateKey?: string
  readonly algorithm?: string
}

/** Reads the keys of every client's format. The fields of a nested `auth.oauth` take precedence. */
export function readDeclaredLogin(auth: ResolvedAuth = {}): DeclaredLogin {
  const nested = auth['oauth']
  const all: ResolvedAuth = isPlain(nested) ? { ...auth, ...(nested as ResolvedAuth) } : auth // a plain object of the entry
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
    assertion: text('assertion')?.trim(),
    provider: text('identityProvider'),
    scopes: isStringArray(scopes) ? scopes : typeof scopes === 'string' ? toScopes(scopes) : undefined,
    callbackPort: typeof port === 'number' && port > 0 && port < 65_536 ? port : undefined,
  }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return {
    isNamed: text('credentialId') !== undefined,
    isOff: all['type'] === 'none' || all['enabled'] === false,
    grant: readGrant(text('grantType', 'grant')),
    ...(given as Partial<DeclaredLogin>), // the fields above that are present
  }
}

/** The same settings for the login of a caller of a gateway. An account that they name is the person's. */
export function forCaller({ account: _own, ...declared }: DeclaredLogin, caller: string): DeclaredLogin {
  return { ...declared, caller }
}

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

function readGrant(name: string | undefined): DeclaredLogin['grant'] {
  if (name === jwtBearer || name === 'jwt-bearer') return 'jwt_bearer'
  return name === 'client_credentials' ? name : 'authorization_code'
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Secret)
}
