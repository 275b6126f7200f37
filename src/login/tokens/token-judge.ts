import { createHash } from 'node:crypto'
import type { JsonObject } from '../../model/json.ts'
import { problemWithClaims } from './check-claims.ts'
import { IssuerKeys } from './issuer-keys.ts'
import { isSignedWith, parseToken } from './verify-token.ts'
import type { SignedToken } from './verify-token.ts'

/** An issuer whose tokens are accepted. */
export interface AcceptedIssuer {
  readonly issuer: string
  /** Those of the address that a request is for, if absent. */
  readonly audiences?: readonly string[] | undefined
  readonly algorithms?: readonly string[] | undefined
  readonly isClient?: ((id: string) => boolean) | undefined
  /** Reads its JWK Set. */
  readonly loadKeys: () => Promise<JsonObject>
}

export type TokenVerdict =
  | { readonly kind: 'valid'; readonly issuer: string; readonly claims: JsonObject }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The keys of the issuer are not known, and it does not answer. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** Judges a token for a request; `audiences` are those of its address. */
export type TokenJudge = (text: string, audiences: readonly string[]) => TokenVerdict | Promise<TokenVerdict>

interface KnownIssuer extends AcceptedIssuer {
  readonly keys: IssuerKeys
}

/** A token whose signature was verified with the keys of this version. */
interface VerifiedToken {
  readonly issuer: KnownIssuer
  readonly claims: JsonObject
  readonly version: number
}

/** Signatures that are remembered; verifying one costs more than the rest of a short request. */
const maxVerified = 1000
/** Of keys that a token without an id of its key is tried with. */
const maxTried = 8

/** Creates the check of tokens as RFC 9068 and RFC 8725 describe it. */
export function createTokenJudge(
  issuers: readonly AcceptedIssuer[],
  { now, warn }: { readonly now: () => number; readonly warn: (message: string) => void },
): TokenJudge {
  const known = new Map(
    issuers.map((each): [string, KnownIssuer] => {
      const say = (message: string) => warn(`The keys of ${each.issuer} were not read: ${message}`)
      return [each.issuer, { ...each, keys: new IssuerKeys({ load: each.loadKeys, now, warn: say }) }]
    }),
  )
  const verified = new Map<string, VerifiedToken>()
  // Read before the first request, so that it need not wait.
  for (const { keys } of known.values()) keys.version()

  const judge = ({ issuer, claims }: VerifiedToken, audiences: readonly string[]): TokenVerdict => {
    const { issuer: name, isClient } = issuer
    const expected = { issuer: name, audiences: issuer.audiences ?? audiences, isClient, now: now() }
    const reason = problemWithClaims(claims, expected)
    return reason === undefined ? { kind: 'valid', issuer: name, claims } : { kind: 'refused', reason }
  }
  const remember = (digest: string, token: VerifiedToken) => {
    const [oldest] = verified.keys()
    if (verified.size >= maxVerified && oldest !== undefined) verified.delete(oldest)
    verified.set(digest, token)
  }

  return (text, audiences) => {
    const digest = createHash('sha256').update(text).digest('base64')
    const before = verified.get(digest)
    if (before && before.version === before.issuer.keys.version()) return judge(before, audiences)
    verified.delete(digest)
    const token = parseToken(text)
    if (typeof token === 'string') return { kind: 'refused', reason: token }
    const { iss } = token.claims
    const issuer = typeof iss === 'string' ? known.get(iss) : undefined
    if (!issuer) return { kind: 'refused', reason: 'The token is of another issuer.' }
    const { algorithms } = issuer
    if (algorithms && !algorithms.includes(token.algorithm))
      return { kind: 'refused', reason: 'The token is not signed in a way that is accepted.' }
    const found = issuer.keys.find(token)
    const decide = (keys: Awaited<typeof found>): TokenVerdict => {
      if (!keys) return { kind: 'unknown', reason: 'The keys of the issuer cannot be read now.' }
      if (!isSignedWithOne(keys, token))
        return { kind: 'refused', reason: 'The token is not signed by its issuer.' }
      const sure = { issuer, claims: token.claims, version: issuer.keys.version() }
      const verdict = judge(sure, audiences)
      if (verdict.kind === 'valid') remember(digest, sure)
      return verdict
    }
    return found instanceof Promise ? found.then(decide) : decide(found)
  }
}

function isSignedWithOne(keys: readonly Parameters<typeof isSignedWith>[0][], token: SignedToken): boolean {
  return keys.slice(0, maxTried).some((key) => isSignedWith(key, token))
}
