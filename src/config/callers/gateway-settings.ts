import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { areTokenIssuers } from './token-issuers.ts'
import type { TokenIssuer } from './token-issuers.ts'

/** How often a caller may call: each rule counts each caller by itself, all tools of the rule together. */
export interface LimitRule {
  /** Patterns over names of callers; all by default. */
  readonly callers?: readonly string[]
  /** Patterns over `server/tool`; all by default. */
  readonly tools?: readonly string[]
  readonly perMinute?: number
  readonly perDay?: number
  /** How many calls of one caller run at the same time; further ones wait. */
  readonly concurrent?: number
}

/** How the gateway uses a server. */
export interface GatewayServerSettings {
  /**
   * Which requests share a connection: all of them (`shared`, the default), those of one caller (`principal`), or none
   * (`call`: each has a connection of its own, which ends with it).
   */
  readonly isolation?: 'shared' | 'principal' | 'call'
  /**
   * Whose login its requests are made with: that of the person who runs the gateway (`shared`, the default), or that of each
   * caller (`caller`), who logs in with an account of its own.
   */
  readonly credentials?: 'shared' | 'caller'
  /** After how long without a request it is stopped; 0: never. */
  readonly idleSeconds?: number
  /** How many requests it gets at the same time; further ones wait, and callers take turns. */
  readonly maxConcurrent?: number
}

/** How `plugboard gateway --port` serves callers. */
export interface GatewaySettings {
  /** The address that it listens on; 127.0.0.1 by default. */
  readonly host?: string
  /** The address that callers use, such as `https://mcp.example.com/mcp`. */
  readonly url?: string
  /** Files in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Addresses and networks of proxies whose headers are believed. */
  readonly proxies?: readonly string[]
  /** Pages that may send requests. */
  readonly origins?: readonly string[]
  readonly maxRequestBytes?: number
  readonly maxResponseBytes?: number
  /** How long running requests may take after the first signal. */
  readonly stopSeconds?: number
  /** `open`: `/metrics` needs no token. */
  readonly metrics?: 'open' | 'guarded'
  readonly limits?: readonly LimitRule[]
  /** `none`: a call that a rule asks about is not approved by the person at its client. */
  readonly approvals?: 'clients' | 'none'
  /** Authorization servers whose tokens count beside keys. */
  readonly issuers?: readonly TokenIssuer[]
  /** The part of a daily quota that a replica takes at a time, in percent; 5 by default. */
  readonly quotaPortion?: number
  /** By patterns over names of servers; the first that matches counts. Over stdio, too. */
  readonly servers?: Readonly<Record<string, GatewayServerSettings>>
  /** After how many minutes without a call a caller that names no conversation begins another one; 30 by default. */
  readonly flowMinutes?: number
  /** Read with a mistake in it, the gateway could be open to more callers than meant: then it does not serve HTTP. */
  readonly isDamaged?: true
}

/** A week. */
const maxIdleSeconds = 604_800
/** A week. */
const maxFlowMinutes = 10_080
const mostConcurrent = 100_000

type Refuse = (path: readonly string[], message: string) => void
type Check = (value: Json) => string | undefined

const bytes: Check = (value) =>
  isWhole(value, 1024) ? undefined : 'must be a number of bytes, at least 1024'

const checks: Readonly<Record<Exclude<keyof GatewaySettings, 'isDamaged'>, Check>> = {
  host: (value) => (isText(value) ? undefined : 'must be an address to listen on'),
  url: (value) =>
    isText(value) && /^https?:$/.test(protocolOf(value) ?? '')
      ? undefined
      : 'must be the address that callers use, with its path',
  tls: (value) =>
    isObject(value) && isText(value['cert']) && isText(value['key']) && Object.keys(value).length === 2
      ? undefined
      : 'must be an object with "cert" and "key", the names of two files',
  proxies: (value) => (isStringArray(value) ? undefined : 'must be a list of addresses and networks'),
  origins: (value) =>
    isStringArray(value) && value.every((each) => URL.canParse(each) && new URL(each).origin === each)
      ? undefined
      : 'must be a list of origins such as https://app.example.com',
  maxRequestBytes: bytes,
  maxResponseBytes: bytes,
  flowMinutes: (value) =>
    isWhole(value, 1) && Number(value) <= maxFlowMinutes
      ? undefined
      : `must be a number of minutes, from 1 to ${maxFlowMinutes}`,
  stopSeconds: (value) => (isWhole(value, 0) ? undefined : 'must be a number of seconds'),
  metrics: (value) => (value === 'open' || value === 'guarded' ? undefined : 'must be open or guarded'),
  approvals: (value) => (value === 'clients' || value === 'none' ? undefined : 'must be clients or none'),
  quotaPortion: (value) =>
    isWhole(value, 1) && Number(value) <= 100 ? undefined : 'must be a number of percent, from 1 to 100',
  limits: (value) =>
    Array.isArray(value) && value.every(isLimitRule)
      ? undefined
      : 'must be a list of rules: "callers" and "tools" (patterns), "perMinute", "perDay", "concurrent"',
  issuers: (value) =>
    areTokenIssuers(value)
      ? undefined
      : 'must be a list of issuers, each once: "issuer" (https), "rules" (each "claims" and "views"), and where needed "audience", "jwks", "algorithms" (asymmetric), "clients", "name", "scopes"',
  servers: (value) =>
    isObject(value) && Object.values(value).every(isServerSettings)
      ? undefined
      : `must be an object of patterns over names of servers, each with "isolation" (shared, principal or call), "credentials" (shared or caller), "idleSeconds" (0 to ${maxIdleSeconds}) or "maxConcurrent" (1 to ${mostConcurrent})`,
}

export function readGatewaySettings(value: Json, refuse: Refuse): GatewaySettings {
  if (!isObject(value)) {
    refuse([], 'must be an object; the gateway does not serve HTTP.')
    return { isDamaged: true }
  }
  const wrong = Object.entries(value).flatMap(([key, each]) => {
    const problem = Object.hasOwn(checks, key)
      ? checks[key as keyof typeof checks](each) // a key of the table
      : 'is not a setting of the gateway'
    return problem === undefined ? [] : [{ key, problem }]
  })
  for (const { key, problem } of wrong) refuse([key], `${problem}; the gateway does not serve HTTP.`)
  return wrong.length === 0 ? value : { isDamaged: true }
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function isWhole(value: Json, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least
}

function protocolOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).protocol : undefined
}

function hasOnly(value: JsonObject, ...keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key))
}

function isServerSettings(value: Json): boolean {
  if (!isObject(value) || !hasOnly(value, 'isolation', 'credentials', 'idleSeconds', 'maxConcurrent'))
    return false
  const { isolation = 'shared', credentials = 'shared', idleSeconds = 0, maxConcurrent = 1 } = value
  const isKnown = isolation === 'shared' || isolation === 'principal' || isolation === 'call'
  const areKnown = credentials === 'shared' || credentials === 'caller'
  const isTime = isWhole(idleSeconds, 0) && Number(idleSeconds) <= maxIdleSeconds
  const isCount = isWhole(maxConcurrent, 1) && Number(maxConcurrent) <= mostConcurrent
  return isKnown && areKnown && isTime && isCount
}

function isLimitRule(value: Json): boolean {
  if (!isObject(value) || !hasOnly(value, 'callers', 'tools', 'perMinute', 'perDay', 'concurrent'))
    return false
  const { callers, tools, ...counts } = value
  const isCount = (count: Json) => isWhole(count, 1)
  const arePatterns = (each: Json | undefined) => each === undefined || isStringArray(each)
  const numbers = Object.values(counts)
  return numbers.length > 0 && numbers.every(isCount) && arePatterns(callers) && arePatterns(tools)
}
