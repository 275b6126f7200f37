import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { isLoopbackHost } from '../../platform/ip-address.ts'
import type { ClaimRule } from './claim-rules.ts'

/** An authorization server whose tokens the gateway accepts. */
export interface TokenIssuer {
  /** As its tokens and its metadata name it. */
  readonly issuer: string
  /** What tokens have to be for; the address of the gateway by default. */
  readonly audience?: string | readonly string[]
  /** The address or the file of its JWK Set; by default its metadata says it. */
  readonly jwks?: string
  /** Fewer than all asymmetric ones. */
  readonly algorithms?: readonly string[]
  /** Patterns over the clients whose tokens count; all by default. */
  readonly clients?: readonly string[]
  /** The claim that names callers to people; `sub` by default. */
  readonly name?: string
  /** Scopes that clients are told to ask the issuer for. */
  readonly scopes?: readonly string[]
  /** What a caller may use, by its claims. A caller that no rule matches may use nothing. */
  readonly rules: readonly ClaimRule[]
}

const asymmetric = /^(?:[RPE]S(?:256|384|512)|EdDSA)$/

const checks: Readonly<Record<keyof TokenIssuer, (value: Json) => boolean>> = {
  issuer: (value) => isText(value) && isSafeAddress(value) && new URL(value).search === '',
  audience: (value) => isText(value) || (isStringArray(value) && value.length > 0),
  jwks: (value) => isText(value) && (!/^[a-z]+:\/\//i.test(value) || isSafeAddress(value)),
  algorithms: (value) =>
    isStringArray(value) && value.length > 0 && value.every((each) => asymmetric.test(each)),
  clients: isStringArray,
  name: isText,
  scopes: (value) => isStringArray(value) && value.every((each) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(each)),
  rules: (value) => Array.isArray(value) && value.every(isClaimRule),
}

export function areTokenIssuers(value: Json): boolean {
  if (!Array.isArray(value) || !value.every(isTokenIssuer)) return false
  return new Set(value.map(({ issuer }) => issuer)).size === value.length
}

function isTokenIssuer(value: Json): value is JsonObject & { readonly issuer: string } {
  if (!isObject(value) || value['issuer'] === undefined || value['rules'] === undefined) return false
  return Object.entries(value).every(
    ([key, each]) => Object.hasOwn(checks, key) && checks[key as keyof TokenIssuer](each), // a key of the table
  )
}

function isClaimRule(value: Json): boolean {
  if (!isObject(value) || Object.keys(value).sort().join() !== 'claims,views') return false
  const { claims, views } = value
  const areClaims =
    isObject(claims) && Object.values(claims).every((each) => isText(each) || isStringArray(each))
  return areClaims && (views === 'all' || isStringArray(views))
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

/** T29: keys that come in plain text over a network are those of any machine on the way. */
function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
