import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { AuthError } from './auth-error.ts'

/** Signs claims (RFC 7515). Only keys with a public half: a shared secret proves nothing about who signs. */
export function signJwt(
  header: JsonObject & { readonly alg: string },
  claims: JsonObject,
  key: KeyObject,
): string {
  const input = `${encode(header)}.${encode(claims)}`
  const hash = /^(?:ES|RS|PS)(256|384|512)$/.exec(header.alg)?.[1]
  if (hash === undefined && header.alg !== 'EdDSA') {
    throw new AuthError('unusable', `Keys are not used in the way ${JSON.stringify(header.alg)} here.`)
  }
  const options = header.alg.startsWith('ES')
    ? { key, dsaEncoding: 'ieee-p1363' as const }
    : header.alg.startsWith('PS')
      ? { key, padding: 6, saltLength: -1 } // RSA_PKCS1_PSS_PADDING with a salt as long as the hash
      : key
  const signature = sign(hash === undefined ? null : `sha${hash}`, Buffer.from(input), options)
  return `${input}.${signature.toString('base64url')}`
}

export interface Assertion {
  readonly clientId: string
  readonly audience: string
  /** PEM. */
  readonly privateKey: string
  readonly algorithm: string
  /** Milliseconds. */
  readonly now: number
}

const assertionSeconds = 300

/** A client that proves who it is with a key (RFC 7523). */
export function clientAssertion({ clientId, audience, privateKey, algorithm, now }: Assertion): string {
  const iat = Math.floor(now / 1000)
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    iat,
    exp: iat + assertionSeconds,
    jti: randomBytes(16).toString('base64url'),
  }
  return signJwt({ alg: algorithm, typ: 'JWT' }, claims, readKey(privateKey))
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new AuthError('unusable', 'The privateKey of its entry is no private key in PEM.', { cause })
  }
}

/** What a token says of itself. Nobody checked it: it is for showing, never for deciding. */
export function claimsOf(token: string): JsonObject | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  try {
    const value = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whom a token names, in the words a person knows best. */
export function whoIn(token: string | undefined): string | undefined {
  const claims = token === undefined ? undefined : claimsOf(token)
  for (const name of ['email', 'preferred_username', 'name', 'sub']) {
    const value = claims?.[name]
    if (typeof value === 'string' && value !== '') return value.slice(0, 200)
  }
  return undefined
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

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
