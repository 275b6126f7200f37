import { isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'

export interface ExpectedClaims {
  readonly issuer: string
  /** One of them has to be among those that the token is for. */
  readonly audiences: readonly string[]
  /** Whether a client may use its tokens here. */
  readonly isClient?: ((id: string) => boolean) | undefined
  /** Milliseconds. */
  readonly now: number
}

/** For clocks that differ. */
const leewaySeconds = 30

/** Why a token with these claims does not count here now; `undefined` if it does. */
export function problemWithClaims(claims: JsonObject, expected: ExpectedClaims): string | undefined {
  const { iss, sub, aud, exp, nbf, iat, azp, client_id: clientId, cnf } = claims
  const { issuer, audiences, isClient } = expected
  const now = expected.now / 1000
  if (iss !== issuer) return 'The token is of another issuer.'
  if (!listOf(aud).some((each) => audiences.includes(each))) return 'The token is for another audience.'
  if (typeof exp !== 'number') return 'The token has no end.'
  if (now >= exp + leewaySeconds) return 'The token has expired.'
  if (isLater(nbf, now) || isLater(iat, now)) return 'The token is not valid yet.'
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return 'The token names no subject.'
  // RFC 9449 7.1, RFC 8705 3: a token that is bound to a key proves nothing without that key.
  if (cnf !== undefined) return 'The token is bound to a key, which cannot be proved here.'
  if (azp !== undefined && typeof azp !== 'string') return 'The token names no usable client.'
  const client = azp ?? clientId
  if (isClient && !(typeof client === 'string' && isClient(client))) return 'The token is of another client.'
  return undefined
}

function isLater(time: Json | undefined, now: number): boolean {
  return time !== undefined && !(typeof time === 'number' && time <= now + leewaySeconds)
}

function listOf(aud: Json | undefined): readonly string[] {
  return typeof aud === 'string' ? [aud] : isStringArray(aud) ? aud : []
}
