import { isStringArray } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { parseJsonObject } from './guarded-http.ts'
import type { SendGuardedRequest } from './guarded-http.ts'
import { AuthError, noLoginAddress } from './auth-error.ts'
import { toScopes } from './challenge.ts'
import type { Challenge } from './challenge.ts'
import { proofAlgorithm } from './jwt.ts'

/** The authorization server for an MCP server, with the scopes to request. */
export interface AuthorizationServer {
  readonly issuer: string
  /** No metadata was found: these are the default endpoints of 2025-03-26. */
  readonly isGuessed: boolean
  readonly authorizationEndpoint?: string
  /** S256 is supported. Required for the code flow: without PKCE a stolen code can be redeemed. */
  readonly hasPkce: boolean
  readonly tokenEndpoint: string
  readonly registrationEndpoint?: string
  readonly deviceEndpoint?: string
  readonly revocationEndpoint?: string
  readonly methods: readonly string[] | undefined
  readonly grants: readonly string[] | undefined
  /** The scopes that the issuer lists. */
  readonly scopesSupported: readonly string[]
  /** The scopes to request, from the challenge or the server's metadata. */
  readonly scopes: readonly string[] | undefined
  readonly sendsIssuer: boolean
  readonly acceptsMetadataUrls: boolean
  /** The server requires tokens that are bound to a key, and the issuer supports them (RFC 9449). */
  readonly requiresProof: boolean
  /** RFC 8707; absent only for servers without resource metadata. */
  readonly resource?: string
}

interface DiscoveryTarget {
  readonly server: URL
  readonly challenge: Challenge | undefined
  /** The only issuer allowed, if the entry names one. */
  readonly issuer?: string | undefined
  readonly version: string
}

/** Follows RFC 9728, then RFC 8414 or OpenID Connect; a server of 2025-03-26 is its own issuer. */
export async function discoverAuthorizationServer(
  target: DiscoveryTarget,
  send: SendGuardedRequest,
): Promise<AuthorizationServer> {
  const { server, challenge } = target
  const resource = await fetchResourceMetadata(target, send)
  const named = isStringArray(resource?.['authorization_servers'])
    ? resource['authorization_servers']
    : undefined
  const issuer = chooseIssuer(named, target.issuer)
  const found = await fetchIssuerMetadata(issuer ?? server.origin, target.version, send)
  if (!found && issuer !== undefined) {
    throw new AuthError('undiscovered', `${toDisplayOrigin(issuer)} does not say how to log in.`)
  }
  if (!found && !challenge && !resource) throw new AuthError('undiscovered', noLoginAddress)
  const authServer = found ? readIssuerMetadata(found) : defaultEndpoints(server)
  return {
    ...authServer,
    scopes: challenge?.scopes ?? resourceScopes(resource),
    requiresProof:
      authServer.requiresProof && (challenge?.scheme === 'dpop' || resourceRequiresProof(resource)),
    ...(typeof resource?.['resource'] === 'string' && { resource: resource['resource'] }),
  }
}

/** An issuer that a person named: a provider of identities, not one that a server leads to. */
export async function discoverIssuer(issuer: string, send: SendGuardedRequest): Promise<AuthorizationServer> {
  const found = await fetchIssuerMetadata(issuer, undefined, send)
  if (!found) throw new AuthError('undiscovered', `${toDisplayOrigin(issuer)} does not say how to log in.`)
  return { ...readIssuerMetadata(found), scopes: undefined, requiresProof: false }
}

function resourceScopes(resource: JsonObject | undefined): readonly string[] | undefined {
  const supported = resource?.['scopes_supported']
  const scopes = isStringArray(supported) ? toScopes(supported.join(' ')) : []
  return scopes.length > 0 ? scopes : undefined
}

function resourceRequiresProof(resource: JsonObject | undefined): boolean {
  const algorithms = resource?.['dpop_signing_alg_values_supported']
  if (resource?.['dpop_bound_access_tokens_required'] === true) return true
  return isStringArray(algorithms) && algorithms.includes(proofAlgorithm)
}

function chooseIssuer(named: readonly string[] | undefined, only: string | undefined): string | undefined {
  if (only === undefined) return named?.[0]
  if (!named || named.some((each) => isSameIssuer(each, only))) return only
  const message = `The server asks for a login at ${toDisplayOrigin(named[0] ?? '')}, but its entry names ${toDisplayOrigin(only)}.`
  throw new AuthError('issuer', message)
}

async function fetchResourceMetadata(
  target: DiscoveryTarget,
  send: SendGuardedRequest,
): Promise<JsonObject | undefined> {
  const { server, challenge } = target
  const given = challenge?.resourceMetadata
  const path = server.pathname === '/' ? '' : server.pathname
  const places =
    given === undefined
      ? [
          ...new Set([
            `/.well-known/oauth-protected-resource${path}`,
            '/.well-known/oauth-protected-resource',
          ]),
        ]
      : [given]
  for (const place of places) {
    if (!URL.canParse(place, server.href))
      throw new AuthError('unusable', 'The server names an invalid address for its metadata.')
    const url = new URL(place, server)
    const found = await fetchObject(url, 'the metadata of the server', target.version, send)
    if (found) return checkResource(found, server)
  }
  return undefined
}

/** The resource must cover this server: otherwise a server could obtain tokens that are meant for another one. */
function checkResource(found: JsonObject, server: URL): JsonObject {
  const { resource } = found
  const url = typeof resource === 'string' && URL.canParse(resource) ? new URL(resource) : undefined
  const folder = url && (url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`)
  if (url?.origin === server.origin && `${server.pathname}/`.startsWith(folder ?? '')) return found
  throw new AuthError('issuer', 'The metadata of the server describes another server; no login was started.')
}

/** The metadata of an issuer by RFC 8414 or OpenID Connect; `undefined` if it publishes none. */
export async function fetchIssuerMetadata(
  issuer: string,
  version: string | undefined,
  send: SendGuardedRequest,
): Promise<JsonObject | undefined> {
  const address = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (!address) throw new AuthError('unusable', 'The server names an issuer that is not a valid address.')
  if (address.username !== '' || address.password !== '' || address.search !== '') {
    throw new AuthError(
      'blocked',
      'The server names an issuer with a password or a query; it was not contacted.',
    )
  }
  for (const url of metadataUrls(address)) {
    const found = await fetchObject(url, 'the metadata of the issuer', version, send)
    if (!found) continue
    const own = found['issuer']
    // RFC 8414 3.3: metadata that names a different issuer is rejected, because it may be forged (T28).
    if (typeof own === 'string' && isSameIssuer(own, issuer)) return found
    throw new AuthError(
      'issuer',
      `The metadata at ${url.origin} names an issuer other than ${toDisplayOrigin(issuer)}.`,
    )
  }
  return undefined
}

/** Compares exactly, except that a bare origin may end in a slash. */
export function isSameIssuer(one: string, other: string): boolean {
  const bare = (text: string) => (/^[a-z]+:\/\/[^/]+\/$/i.test(text) ? text.slice(0, -1) : text)
  return bare(one) === bare(other)
}

function metadataUrls({ origin, pathname }: URL): readonly URL[] {
  const path = pathname.replace(/\/$/, '')
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${path}/.well-known/openid-configuration`]),
  ]
  return places.map((place) => new URL(place, origin))
}

async function fetchObject(
  url: URL,
  what: string,
  version: string | undefined,
  send: SendGuardedRequest,
): Promise<JsonObject | undefined> {
  const headers = version === undefined ? {} : { 'mcp-protocol-version': version }
  const response = await send({ what, method: 'GET', url, headers })
  if (response.status >= 500)
    throw new AuthError('unreachable', `${url.origin} answered with HTTP ${response.status}.`)
  if (response.status !== 200) return undefined
  const found = parseJsonObject(response)
  if (found) return found
  // Many sites answer every address with their start page.
  return undefined
}

function readIssuerMetadata(found: JsonObject): Omit<AuthorizationServer, 'scopes'> {
  const text = (name: string) => (typeof found[name] === 'string' ? found[name] : undefined)
  const list = (name: string) => (isStringArray(found[name]) ? found[name] : undefined)
  const tokenEndpoint = text('token_endpoint')
  if (tokenEndpoint === undefined) throw new AuthError('unusable', 'The issuer names no token endpoint.')
  const optional = {
    authorizationEndpoint: text('authorization_endpoint'),
    registrationEndpoint: text('registration_endpoint'),
    deviceEndpoint: text('device_authorization_endpoint'),
    revocationEndpoint: text('revocation_endpoint'),
  }
  return {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    issuer: text('issuer') ?? '',
    isGuessed: false,
    hasPkce: list('code_challenge_methods_supported')?.includes('S256') ?? false,
    tokenEndpoint,
    methods: list('token_endpoint_auth_methods_supported'),
    grants: list('grant_types_supported'),
    scopesSupported: list('scopes_supported') ?? [],
    sendsIssuer: found['authorization_response_iss_parameter_supported'] === true,
    acceptsMetadataUrls: found['client_id_metadata_document_supported'] === true,
    requiresProof: list('dpop_signing_alg_values_supported')?.includes(proofAlgorithm) ?? false,
  }
}

/** The endpoints of a server without metadata (2025-03-26). */
function defaultEndpoints({ origin }: URL): Omit<AuthorizationServer, 'scopes'> {
  return {
    issuer: origin,
    isGuessed: true,
    authorizationEndpoint: `${origin}/authorize`,
    hasPkce: true,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
    methods: undefined,
    grants: undefined,
    scopesSupported: [],
    sendsIssuer: false,
    acceptsMetadataUrls: false,
    requiresProof: false,
  }
}

/** The part of an address that is safe to show. */
export function toDisplayOrigin(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).origin : 'an invalid address'
}
