import { createHash, createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import type { JsonObject } from '../model/json.ts'
import { signJwt } from './jwt.ts'

export interface ProofOf {
  readonly method: string
  readonly url: URL
  /** Milliseconds. */
  readonly now: number
  readonly accessToken?: string
  readonly nonce?: string | undefined
}

export const proofAlgorithm = 'ES256'

/** A key of ours that tokens are bound to: who steals a token has no use for it. */
export function createProofKey(): JsonObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'jwk' }) as JsonObject // a key as JSON
}

/** Proves to have the key, for one request (RFC 9449). */
export function proofFor(key: JsonObject, { method, url, now, accessToken, nonce }: ProofOf): string {
  const { kty, crv, x, y } = key
  const claims = {
    jti: randomBytes(16).toString('base64url'),
    htm: method,
    htu: `${url.origin}${url.pathname}`,
    iat: Math.floor(now / 1000),
    ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
    ...(nonce !== undefined && { nonce }),
  }
  const header = { alg: proofAlgorithm, typ: 'dpop+jwt', jwk: { kty, crv, x, y } as JsonObject } // the public half
  const signing = createPrivateKey({ key: key as unknown as JsonWebKey, format: 'jwk' }) // as it was exported
  return signJwt(header, claims, signing)
}
