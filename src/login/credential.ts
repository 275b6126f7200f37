import { createHash } from 'node:crypto'
import { isObject, isStringArray } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** What a login belongs to: no token goes to another address, another issuer, or counts for another person (T28, T32). */
export interface LoginKey {
  /** The server's address, whole. */
  readonly server: string
  readonly issuer: string
  readonly account: string
}

/** A login as it may be shown. */
export interface Account extends LoginKey {
  readonly expiresAt?: number
  readonly scopes: readonly string[]
  /** Whom the token names, where it does. */
  readonly who?: string
  /** When a person last logged in. */
  readonly since: number
  /** It is renewed by itself. */
  readonly isRenewable: boolean
}

export interface Tokens {
  readonly access: string
  readonly type: 'Bearer' | 'DPoP'
  readonly refresh?: string
  readonly issuedAt: number
  readonly expiresAt?: number
  readonly scopes: readonly string[]
}

export type ClientMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** Who we are to an issuer. */
export interface Client {
  readonly id: string
  readonly secret?: string
  readonly method: ClientMethod
}

/** Everything that is kept of a login. */
export interface Credential extends LoginKey {
  readonly tokens: Tokens
  readonly client: Client
  readonly grant: 'authorization_code' | 'client_credentials'
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string
  readonly resource?: string
  /** Scopes that were ever asked for: to ask for one of them again changes nothing. */
  readonly asked: readonly string[]
  readonly since: number
  readonly who?: string
  /** The key that tokens of the type DPoP are bound to. */
  readonly proofKey?: JsonObject
}

/** A server as logins know it: its whole address. A query may hold a secret, so that only its mark is kept. */
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

export function hashOf({ server, issuer, account }: LoginKey): string {
  return createHash('sha256')
    .update(JSON.stringify([server, issuer, account]))
    .digest('hex')
    .slice(0, 40)
}

export function toAccount(credential: Credential): Account {
  const { server, issuer, account, tokens, since, who, grant } = credential
  return {
    server,
    issuer,
    account,
    ...(tokens.expiresAt !== undefined && { expiresAt: tokens.expiresAt }),
    scopes: tokens.scopes,
    ...(who !== undefined && { who }),
    since,
    isRenewable: tokens.refresh !== undefined || grant === 'client_credentials',
  }
}

/** `undefined` for a text that is none: damaged, or of another version. */
export function parseCredential(text: string): Credential | undefined {
  const value = parse(text)
  if (!isObject(value) || !isObject(value['tokens']) || !isObject(value['client'])) return undefined
  const texts = [value['server'], value['issuer'], value['account'], value['tokenEndpoint']]
  const inner = [value['tokens']['access'], value['client']['id'], value['client']['method']]
  if (![...texts, ...inner].every((each) => typeof each === 'string')) return undefined
  if (!isStringArray(value['tokens']['scopes']) || !isStringArray(value['asked'])) return undefined
  return value as unknown as Credential // what it must have was just looked at
}

export function parseAccount(text: string): Account | undefined {
  const value = parse(text)
  if (!isObject(value)) return undefined
  const { server, issuer, account, scopes, since, expiresAt, who } = value
  const texts = [server, issuer, account, who ?? '']
  if (!texts.every((each) => typeof each === 'string') || !isStringArray(scopes)) return undefined
  if (![since, expiresAt ?? 0].every(isTime)) return undefined
  return value as unknown as Account // what it must have was just looked at
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
