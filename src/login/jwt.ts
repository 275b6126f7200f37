import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { parseObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { AuthError } from './auth-error.ts'

/** Signs claims (RFC 7515). Asymmetric keys only: a shared secret does not identify the signer. */
export function signJwt(
  header: JsonObject & { readonly alg: string },
  claims: JsonObject,
  key: KeyObject,
): string {
  const input = `${encodePart(header)}.${encodePart(claims)}`
  const hash = /^(?:ES|RS|PS)(256|384|512)$/.exec(header.alg)?.[1]
  if (hash === undefined && header.alg !== 'EdDSA') {
    throw new AuthError('unusable', `The signing algorithm ${JSON.stringify(header.alg)} is not supported.`)
  }
  const options = header.alg.startsWith('ES')
    ? { key, dsaEncoding: 'ieee-p1363' as const }
    : header.alg.startsWith('PS')
      ? { key, padding: 6, saltLength: -1 } // RSA_PKCS1_PSS_PADDING with a salt as long as the hash
      : key
  const signature = sign(hash === undefined ? null : `sha${hash}`, Buffer.from(input), options)
  return `${input}.${signature.toString('base64url')}`
}

export interface AssertionOptions {
  readonly clientId: string
  readonly audience: string
  /** PEM. */
  readonly privateKey: string
  readonly algorithm: string
  /** Milliseconds. */
  readonly now: number
}

const assertionSeconds = 300

/** Creates the assertion of a client that authenticates with a key (RFC 7523). */
export function clientAssertion({
  clientId,
  audience,
  privateKey,
  algorithm,
  now,
}: AssertionOptions): string {
  const iat = Math.floor(now / 1000)
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    iat,
    exp: iat + assertionSeconds,
    jti: randomBytes(16).toString('base64url'),
  }
  return signJwt({ alg: algorithm, typ: 'JWT' }, claims, readPrivateKey(privateKey))
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new AuthError('unusable', 'The privateKey of its entry is not a private key in PEM format.', {
      cause,
    })
  }
}

/** Reads the claims of a token without verifying its signature: for display only, never for decisions. */
export function readClaims(token: string): JsonObject | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  return parseObject(Buffer.from(payload, 'base64url').toString('utf8'))
}

/** The most readable name of the person in a token's claims. */
export function readDisplayName(token: string | undefined): string | undefined {
  const claims = token === undefined ? undefined : readClaims(token)
  for (const name of ['email', 'preferred_username', 'name', 'sub']) {
    const value = claims?.[name]
    if (typeof value === 'string' && value !== '') return value.slice(0, 200)
  }
  return undefined
}

function encodePart(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

export interface ProofOptions {
  readonly method: string
  readonly url: URL
  /** Milliseconds. */
  readonly now: number
  readonly accessToken?: string
  readonly nonce?: string | undefined
}

export const proofAlgorithm = 'ES256'

/** Creates the key that tokens are bound to: a stolen token is useless without it. */
export function createProofKey(): JsonObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'jwk' }) as JsonObject // a JWK
}

/** Creates the proof of possession of the key for one request (RFC 9449). */
export function createProof(key: JsonObject, { method, url, now, accessToken, nonce }: ProofOptions): string {
  const { kty, crv, x, y } = key
  const claims = {
    jti: randomBytes(16).toString('base64url'),
    htm: method,
    htu: `${url.origin}${url.pathname}`,
    iat: Math.floor(now / 1000),
    ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
    ...(nonce !== undefined && { nonce }),
  }
  const header = { alg: proofAlgorithm, typ: 'dpop+jwt', jwk: { kty, crv, x, y } as JsonObject } // public part only
  const signingKey = createPrivateKey({ key: key as unknown as JsonWebKey, format: 'jwk' }) // exported by createProofKey
  return signJwt(header, claims, signingKey)
}
