import { isStringArray } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { objectIn } from './guarded-http.ts'
import type { Ask } from './guarded-http.ts'
import { AuthError, nowhere } from './auth-error.ts'
import { toScopes } from './challenge.ts'
import type { Challenge } from './challenge.ts'
import { proofAlgorithm } from './jwt.ts'

/** Where to log in for a server, and what for. */
export interface Authority {
  readonly issuer: string
  /** Nobody said so: these are the endpoints that servers had before they had metadata. */
  readonly isGuessed: boolean
  readonly authorizationEndpoint?: string
  /** PKCE is what makes a code worthless to who steals it: no login in a browser without it. */
  readonly hasPkce: boolean
  readonly tokenEndpoint: string
  readonly registrationEndpoint?: string
  readonly deviceEndpoint?: string
  readonly revocationEndpoint?: string
  readonly methods: readonly string[] | undefined
  readonly grants: readonly string[] | undefined
  /** What the issuer itself knows. */
  readonly scopesSupported: readonly string[]
  /** What to ask for. */
  readonly scopes: readonly string[] | undefined
  readonly sendsIssuer: boolean
  readonly takesMetadataUrls: boolean
  /** The server wants tokens that are bound to a key of ours, and the issuer gives such (RFC 9449). */
  readonly wantsProof: boolean
  /** RFC 8707; absent only where the server is of a time before it. */
  readonly resource?: string
}

interface Wanted {
  readonly server: URL
  readonly challenge: Challenge | undefined
  /** The only issuer that may be meant, where the entry names one. */
  readonly issuer?: string | undefined
  readonly version: string
}

/** RFC 9728, then RFC 8414 or OpenID Connect; servers of 2025-03-26 are their own issuer. */
export async function discoverAuthority(wanted: Wanted, ask: Ask): Promise<Authority> {
  const { server, challenge } = wanted
  const resource = await findResource(wanted, ask)
  const named = isStringArray(resource?.['authorization_servers'])
    ? resource['authorization_servers']
    : undefined
  const issuer = chooseIssuer(named, wanted.issuer)
  const found = await findIssuer(issuer ?? server.origin, wanted.version, ask)
  if (!found && issuer !== undefined) {
    throw new AuthError('undiscovered', `${shown(issuer)} does not say how to log in.`)
  }
  if (!found && !challenge && !resource) throw new AuthError('undiscovered', nowhere)
  const authority = found ? readAuthority(found) : endpointsOf(server)
  return {
    ...authority,
    scopes: challenge?.scopes ?? scopesIn(resource),
    wantsProof: authority.wantsProof && (challenge?.scheme === 'dpop' || wantsProof(resource)),
    ...(typeof resource?.['resource'] === 'string' && { resource: resource['resource'] }),
  }
}

function scopesIn(resource: JsonObject | undefined): readonly string[] | undefined {
  const supported = resource?.['scopes_supported']
  const scopes = isStringArray(supported) ? toScopes(supported.join(' ')) : []
  return scopes.length > 0 ? scopes : undefined
}

function wantsProof(resource: JsonObject | undefined): boolean {
  const algorithms = resource?.['dpop_signing_alg_values_supported']
  if (resource?.['dpop_bound_access_tokens_required'] === true) return true
  return isStringArray(algorithms) && algorithms.includes(proofAlgorithm)
}

function chooseIssuer(named: readonly string[] | undefined, only: string | undefined): string | undefined {
  if (only === undefined) return named?.[0]
  if (!named || named.some((each) => isSameIssuer(each, only))) return only
  const message = `The server wants a login at ${shown(named[0] ?? '')}, and its entry names ${shown(only)}.`
  throw new AuthError('issuer', message)
}

async function findResource(wanted: Wanted, ask: Ask): Promise<JsonObject | undefined> {
  const { server, challenge } = wanted
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
      throw new AuthError('unusable', 'The server names no usable metadata.')
    const url = new URL(place, server)
    const found = await fetchObject(url, 'the metadata of the server', wanted.version, ask)
    if (found) return checkResource(found, server)
  }
  return undefined
}

/** A token for this resource must be one for this server: no other server's may be asked for in its name. */
function checkResource(found: JsonObject, server: URL): JsonObject {
  const { resource } = found
  const url = typeof resource === 'string' && URL.canParse(resource) ? new URL(resource) : undefined
  const folder = url && (url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`)
  if (url?.origin === server.origin && `${server.pathname}/`.startsWith(folder ?? '')) return found
  throw new AuthError('issuer', 'The metadata of the server is about another server; nothing was asked for.')
}

async function findIssuer(issuer: string, version: string, ask: Ask): Promise<JsonObject | undefined> {
  const address = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (!address) throw new AuthError('unusable', 'The server names no usable issuer.')
  if (address.username !== '' || address.password !== '' || address.search !== '') {
    throw new AuthError(
      'blocked',
      'The server names an issuer with a password or a query; it was not contacted.',
    )
  }
  for (const url of metadataUrls(address)) {
    const found = await fetchObject(url, 'the metadata of the issuer', version, ask)
    if (!found) continue
    const own = found['issuer']
    // RFC 8414 3.3: who answers for another issuer is an impostor (T28).
    if (typeof own === 'string' && isSameIssuer(own, issuer)) return found
    throw new AuthError('issuer', `${url.origin} speaks for another issuer than ${shown(issuer)}.`)
  }
  return undefined
}

/** An origin is the same with its slash and without. Nothing else about an issuer may differ. */
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
  version: string,
  ask: Ask,
): Promise<JsonObject | undefined> {
  const answer = await ask({ what, method: 'GET', url, headers: { 'mcp-protocol-version': version } })
  if (answer.status >= 500)
    throw new AuthError('unreachable', `${url.origin} answered with HTTP ${answer.status}.`)
  if (answer.status !== 200) return undefined
  const found = objectIn(answer)
  if (found) return found
  // Many sites answer every address with their first page.
  return undefined
}

function readAuthority(found: JsonObject): Omit<Authority, 'scopes'> {
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
    takesMetadataUrls: found['client_id_metadata_document_supported'] === true,
    wantsProof: list('dpop_signing_alg_values_supported')?.includes(proofAlgorithm) ?? false,
  }
}

/** What servers had before they had metadata (2025-03-26). */
function endpointsOf({ origin }: URL): Omit<Authority, 'scopes'> {
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
    takesMetadataUrls: false,
    wantsProof: false,
  }
}

/** As much of an address as is safe to show. */
export function shown(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).origin : 'an address that is none'
}
