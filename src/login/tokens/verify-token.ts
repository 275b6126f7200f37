import { createPublicKey, verify } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { isObject, parseObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'

/** A signed token, taken apart; nothing of it is verified. */
export interface SignedToken {
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: JsonObject
  readonly signed: Buffer
  readonly signature: Buffer
}

/** A key of an issuer that tokens can be verified with. */
export interface VerificationKey {
  readonly id: string | undefined
  /** The algorithms that a signature with this key may have. */
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

const rsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const curves: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['P-256', ['ES256']],
  ['P-384', ['ES384']],
  ['P-521', ['ES512']],
])

/** Asymmetric ones only: a shared secret, or the public key used as one, does not identify the issuer. */
export const tokenAlgorithms: readonly string[] = [...rsa, 'ES256', 'ES384', 'ES512', 'EdDSA']

const maxToken = 12 * 1024
const maxKeyId = 256
/** Of RFC 7519 and RFC 9068. Tokens for other uses, such as proofs of possession, have types of their own. */
const types: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'])

/** Takes a token in the compact form of RFC 7515 apart; the reason if it is none that can be accepted. */
export function parseToken(text: string): SignedToken | string {
  if (text.length > maxToken) return 'The token is too long.'
  const [, head = '', body = '', signature = ''] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text) ?? []
  const header = parseObject(decodePart(head))
  const claims = parseObject(decodePart(body))
  if (!header || !claims) return 'The token is no signed token.'
  const { alg, kid, typ } = header
  if (typeof alg !== 'string' || !tokenAlgorithms.includes(alg))
    return 'The token is not signed in a way that is accepted.'
  // RFC 7515 4.1.11: what is critical has to be understood, and no extension is.
  if ('crit' in header) return 'The token has critical extensions.'
  if (typ !== undefined && (typeof typ !== 'string' || !types.has(typ.toLowerCase())))
    return 'The token is of another type.'
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > maxKeyId))
    return 'The token names no usable key.'
  return {
    algorithm: alg,
    keyId: kid,
    claims,
    signed: Buffer.from(`${head}.${body}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

function decodePart(part: string): string {
  return Buffer.from(part, 'base64url').toString('utf8')
}

/** The keys of a JWK Set that are for signatures. Others in it are skipped, as RFC 7517 5 says. */
export function readKeySet({ keys }: JsonObject): readonly VerificationKey[] {
  if (!Array.isArray(keys)) return []
  return keys.slice(0, maxKeys).flatMap((each: Json) => (isObject(each) ? toVerificationKey(each) : []))
}

const maxKeys = 100
const minRsaBits = 2048

function toVerificationKey(jwk: JsonObject): readonly VerificationKey[] {
  const { kty, crv, kid, use, key_ops: uses, alg, d } = jwk
  const isForSignatures = use === undefined || use === 'sig'
  const isForVerifying = uses === undefined || (Array.isArray(uses) && uses.includes('verify'))
  // A private key in a published document is known to all.
  if (!isForSignatures || !isForVerifying || d !== undefined) return []
  const possible =
    kty === 'RSA'
      ? rsa
      : kty === 'EC'
        ? (curves.get(crv) ?? [])
        : kty === 'OKP' && crv === 'Ed25519'
          ? ['EdDSA']
          : []
  const algorithms = alg === undefined ? possible : possible.filter((each) => each === alg)
  if (algorithms.length === 0) return []
  try {
    const key = createPublicKey({ key: jwk as unknown as JsonWebKey, format: 'jwk' }) // checked by the call
    if (kty === 'RSA' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < minRsaBits) return []
    return [{ id: typeof kid === 'string' ? kid : undefined, algorithms, key }]
  } catch {
    return []
  }
}

/** The key of a token is chosen by its id and algorithm together: neither alone decides what is verified. */
export function fits(key: VerificationKey, { keyId, algorithm }: SignedToken): boolean {
  return (keyId === undefined || key.id === keyId) && key.algorithms.includes(algorithm)
}

export function isSignedWith({ key }: VerificationKey, token: SignedToken): boolean {
  const { algorithm, signed, signature } = token
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`
  const options = algorithm.startsWith('ES')
    ? { key, dsaEncoding: 'ieee-p1363' as const }
    : algorithm.startsWith('PS')
      ? { key, padding: 6, saltLength: -1 } // RSA_PKCS1_PSS_PADDING with a salt as long as the hash
      : key
  try {
    return verify(hash, signed, options, signature)
  } catch {
    return false
  }
}
