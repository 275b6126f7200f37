import { createHash } from 'node:crypto'
import { isObject, isStringArray } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** Identifies a login. A token is used only for this address, this issuer and this account (T28, T32). */
export interface LoginKey {
  /** The server's full address. */
  readonly server: string
  readonly issuer: string
  readonly account: string
  /** The caller of a gateway whose login it is; absent for the person's own (T31). */
  readonly caller?: string
}

/** A login without its secrets. */
export interface Account extends LoginKey {
  readonly expiresAt?: number
  readonly scopes: readonly string[]
  /** The person that the token names, if it names one. */
  readonly who?: string
  /** When a person last logged in. */
  readonly since: number
  /** The login is renewed without a person. */
  readonly isRenewable: boolean
  /** The identity provider that it comes from; for the sign-in at that provider itself, its own name. */
  readonly provider?: string
}

export interface Tokens {
  readonly access: string
  readonly type: 'Bearer' | 'DPoP'
  readonly refresh?: string
  /** Kept for a sign-in at an identity provider only. */
  readonly idToken?: string
  readonly issuedAt: number
  readonly expiresAt?: number
  readonly scopes: readonly string[]
}

export type ClientMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** Our client as the issuer has registered it. */
export interface Client {
  readonly id: string
  readonly secret?: string
  readonly method: ClientMethod
}

/** How the tokens of a login are obtained; `id_jag`: through an identity provider (SEP-990). */
export type LoginGrant = 'authorization_code' | 'client_credentials' | 'jwt_bearer' | 'id_jag'

/** A login as it is stored, secrets included. */
export interface Credential extends LoginKey {
  readonly tokens: Tokens
  readonly client: Client
  readonly grant: LoginGrant
  /** The identity provider of the person's settings that grants this login. */
  readonly provider?: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string
  readonly resource?: string
  /** All scopes requested so far; requesting one of them again would change nothing. */
  readonly asked: readonly string[]
  readonly since: number
  readonly who?: string
  /** The key that DPoP tokens are bound to. */
  readonly proofKey?: JsonObject
}

/** The server part of a login key: its full address. The query is hashed because it may hold a secret. */
export function toLoginServer(url: URL): string {
  const plain = new URL(url)
  plain.hash = ''
  plain.username = ''
  plain.password = ''
  if (plain.search !== '') {
    plain.search = `?${createHash('sha256').update(plain.search).digest('hex').slice(0, 16)}`
  }
  return plain.href
}

export function hashLoginKey({ server, issuer, account, caller }: LoginKey): string {
  return createHash('sha256')
    .update(JSON.stringify([server, issuer, account, ...(caller === undefined ? [] : [caller])]))
    .digest('hex')
    .slice(0, 40)
}

export function toAccount(credential: Credential): Account {
  const { server, issuer, account, caller, tokens, since, who, grant, provider } = credential
  return {
    server,
    issuer,
    account,
    ...(caller !== undefined && { caller }),
    ...(tokens.expiresAt !== undefined && { expiresAt: tokens.expiresAt }),
    scopes: tokens.scopes,
    ...(who !== undefined && { who }),
    since,
    isRenewable: tokens.refresh !== undefined || grant !== 'authorization_code',
    ...(provider !== undefined && { provider }),
  }
}

/** Returns `undefined` for text that is damaged or of another version. */
export function parseCredential(text: string): Credential | undefined {
  const value = parse(text)
  if (!isObject(value) || !isObject(value['tokens']) || !isObject(value['client'])) return undefined
  const texts = [
    value['server'],
    value['issuer'],
    value['account'],
    value['tokenEndpoint'],
    value['caller'] ?? '',
  ]
  const inner = [value['tokens']['access'], value['client']['id'], value['client']['method']]
  if (![...texts, ...inner].every((each) => typeof each === 'string')) return undefined
  if (!isStringArray(value['tokens']['scopes']) || !isStringArray(value['asked'])) return undefined
  return value as unknown as Credential // the required fields were checked above
}

export function parseAccount(text: string): Account | undefined {
  const value = parse(text)
  if (!isObject(value)) return undefined
  const { server, issuer, account, caller, scopes, since, expiresAt, who } = value
  const texts = [server, issuer, account, caller ?? '', who ?? '']
  if (!texts.every((each) => typeof each === 'string') || !isStringArray(scopes)) return undefined
  if (![since, expiresAt ?? 0].every(isTime)) return undefined
  return value as unknown as Account // the required fields were checked above
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime())
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
