import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { isLoopbackHost } from '../../platform/ip-address.ts'

/** One entry of `identityProviders` in the person's settings, unresolved. */
export interface IdentityProviderSettings {
  readonly issuer: string
  readonly tokenEndpoint?: string
  readonly clientId: string
  /** Values as in an entry: `${env:X}`, `{file:…}`, `!command`. */
  readonly clientSecret?: string
  readonly idToken?: string
  readonly scopes?: readonly string[]
  readonly callbackPort?: number
  readonly redirectUri?: string
  /** Addresses of the servers that use it: `https://mcp.example.com/team`, `https://*.example.com`. */
  readonly servers: readonly string[]
  /** Our clients at the authorization servers of MCP servers, by issuer. */
  readonly clients: Readonly<Record<string, { readonly clientId: string; readonly clientSecret?: string }>>
}

type Refuse = (path: readonly string[], message: string) => void

/** Reads `identityProviders`. A provider that cannot be read is left out: its servers need another login then. */
export function readIdentityProviders(
  value: Json,
  refuse: Refuse,
): Readonly<Record<string, IdentityProviderSettings>> {
  if (!isObject(value)) {
    refuse([], 'must be an object; it is ignored.')
    return {}
  }
  const read = Object.entries(value).flatMap(([name, entry]): [string, IdentityProviderSettings][] => {
    const provider = readProvider(entry, (path, message) => refuse([name, ...path], message))
    return provider ? [[name, provider]] : []
  })
  return Object.fromEntries(read)
}

const texts = ['tokenEndpoint', 'clientSecret', 'idToken', 'redirectUri'] as const
const knownKeys: readonly string[] = [
  'issuer',
  'clientId',
  'scopes',
  'callbackPort',
  'servers',
  'clients',
  ...texts,
]

function readProvider(entry: Json, refuse: Refuse): IdentityProviderSettings | undefined {
  const { issuer, clientId, scopes, callbackPort, servers = [], clients = {} } = isObject(entry) ? entry : {}
  if (!isObject(entry) || !isIssuer(issuer) || typeof clientId !== 'string' || clientId === '') {
    refuse([], 'needs "issuer", an https address, and "clientId"; it is ignored.')
    return undefined
  }
  for (const key of Object.keys(entry)) if (!knownKeys.includes(key)) refuse([key], 'is not known.')
  const wrong = texts.find((key) => entry[key] !== undefined && typeof entry[key] !== 'string')
  if (wrong !== undefined) {
    refuse([wrong], 'must be a text; the identity provider is ignored.')
    return undefined
  }
  if (!isStringArray(servers) || !servers.every((each) => isServerPattern(each))) {
    refuse(
      ['servers'],
      'must be a list of addresses such as "https://*.example.com"; the provider is ignored.',
    )
    return undefined
  }
  const known = readClients(clients)
  if (!known) {
    refuse(['clients'], 'must map issuers to { "clientId", "clientSecret" }; the provider is ignored.')
    return undefined
  }
  if (scopes !== undefined && !isStringArray(scopes)) refuse(['scopes'], 'must be a list of texts.')
  const given = Object.fromEntries(
    texts.flatMap((key) => (entry[key] === undefined ? [] : [[key, entry[key]]])),
  )
  return {
    issuer,
    clientId,
    ...(given as Partial<Record<(typeof texts)[number], string>>), // each was checked above
    ...(isStringArray(scopes) && { scopes }),
    ...(typeof callbackPort === 'number' && { callbackPort }),
    servers,
    clients: known,
  }
}

function isIssuer(value: Json | undefined): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname, username, search, hash } = new URL(value)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return isSafe && username === '' && search === '' && hash === ''
}

function readClients(value: Json): IdentityProviderSettings['clients'] | undefined {
  if (!isObject(value)) return undefined
  const isClient = (each: Json): each is JsonObject & { clientId: string; clientSecret?: string } =>
    isObject(each) &&
    typeof each['clientId'] === 'string' &&
    (each['clientSecret'] === undefined || typeof each['clientSecret'] === 'string')
  const entries = Object.entries(value).flatMap(([issuer, client]) =>
    URL.canParse(issuer) && isClient(client) ? [[issuer, client] as const] : [],
  )
  return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined
}

const starHost = '*.'

/** An address without query; its host may begin with `*.`. */
function isServerPattern(pattern: string): boolean {
  const plain = pattern.replace(`://${starHost}`, '://')
  return URL.canParse(plain) && !/[*?#]/.test(plain) && /^https?:/.test(plain)
}

/**
 * Whether an address is meant by a pattern: the same scheme, host and port, and its path or a folder above it. The star
 * stands for labels of the host name only, so that no other host can be written to match.
 */
export function matchesServer(pattern: string, server: URL): boolean {
  const hasStar = pattern.includes(`://${starHost}`)
  const wanted = new URL(pattern.replace(`://${starHost}`, '://'))
  if (wanted.protocol !== server.protocol || wanted.port !== server.port) return false
  const isHost = hasStar
    ? server.hostname.endsWith(`.${wanted.hostname}`)
    : server.hostname === wanted.hostname
  const folder = wanted.pathname.endsWith('/') ? wanted.pathname : `${wanted.pathname}/`
  return isHost && `${server.pathname}/`.startsWith(folder)
}
