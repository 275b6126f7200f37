import { isLoopbackHost } from '../platform/ip-address.ts'
import { parseJsonObject } from './guarded-http.ts'
import type { SendGuardedRequest } from './guarded-http.ts'
import { AuthError, readOAuthCode, noLoginAddress } from './auth-error.ts'
import type { Client, ClientMethod } from './credential.ts'
import type { DeclaredLogin } from './declared-login.ts'
import type { AuthorizationServer } from './discovery.ts'
import { endpointUrl } from './token-request.ts'

interface RegistrationRequest {
  readonly redirectUri: string | undefined
  readonly grants: readonly string[]
  readonly scopes: readonly string[]
}

/**
 * Returns the client to use with an issuer: the declared one, one identified by its metadata URL, or a newly registered
 * one.
 */
export async function obtainClient(
  authServer: AuthorizationServer,
  declared: DeclaredLogin,
  registration: RegistrationRequest,
  send: SendGuardedRequest,
): Promise<Client> {
  const { clientId, clientSecret, clientMetadataUrl, privateKey } = declared
  if (clientId !== undefined) {
    const method = privateKey === undefined ? methodFor(authServer, clientSecret) : 'private_key_jwt'
    return { id: clientId, ...(clientSecret !== undefined && { secret: clientSecret }), method }
  }
  if (clientMetadataUrl !== undefined && authServer.acceptsMetadataUrls) {
    return { id: checkMetadataUrl(clientMetadataUrl), method: 'none' }
  }
  if (authServer.registrationEndpoint !== undefined) {
    return register(authServer.registrationEndpoint, authServer, registration, send)
  }
  throw new AuthError('unregistered', 'The issuer does not support client registration.')
}

/** Whether the issuer knows the client already, so that its redirect address must stay the same. */
export function isPreregistered(
  authServer: AuthorizationServer,
  { clientId, clientMetadataUrl }: DeclaredLogin,
): boolean {
  return clientId !== undefined || (clientMetadataUrl !== undefined && authServer.acceptsMetadataUrls)
}

function checkMetadataUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.pathname !== '/') return text
  throw new AuthError('unusable', 'The clientMetadataUrl of its entry must be https, with a path.')
}

/** Retries without scopes, because some issuers reject scopes in a registration. */
async function register(
  endpoint: string,
  authServer: AuthorizationServer,
  registration: RegistrationRequest,
  send: SendGuardedRequest,
): Promise<Client> {
  try {
    return await registerOnce(endpoint, authServer, registration, send)
  } catch (error) {
    const isMetadataRefused = error instanceof AuthError && error.oauth === 'invalid_client_metadata'
    if (!isMetadataRefused || registration.scopes.length === 0) throw error
    return registerOnce(endpoint, authServer, { ...registration, scopes: [] }, send)
  }
}

async function registerOnce(
  endpoint: string,
  authServer: AuthorizationServer,
  registration: RegistrationRequest,
  send: SendGuardedRequest,
): Promise<Client> {
  const { redirectUri, scopes } = registration
  const grants = registration.grants.filter((grant) => authServer.grants?.includes(grant) ?? true)
  const preferred = methodFor(authServer, undefined)
  const response = await send({
    what: 'the registration endpoint',
    method: 'POST',
    url: endpointUrl(endpoint),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Plugboard',
      application_type: isOnThisMachine(redirectUri) ? 'native' : 'web',
      redirect_uris: redirectUri === undefined ? [] : [redirectUri],
      grant_types: grants,
      response_types: redirectUri === undefined ? [] : ['code'],
      token_endpoint_auth_method: preferred,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    }),
  })
  const found = parseJsonObject(response)
  const id = found?.['client_id']
  if (authServer.isGuessed && (response.status >= 300 || !found))
    throw new AuthError('undiscovered', noLoginAddress)
  if (response.status >= 300 || typeof id !== 'string') {
    const oauth = readOAuthCode(found?.['error'])
    const why = oauth ?? `HTTP ${response.status}`
    throw new AuthError('unregistered', `The issuer refused to register a client: ${why}.`, { oauth })
  }
  const secret = typeof found?.['client_secret'] === 'string' ? found['client_secret'] : undefined
  const method = knownMethod(found?.['token_endpoint_auth_method'])
  return {
    id,
    ...(secret !== undefined && { secret }),
    method: method && (method === 'none' || secret !== undefined) ? method : methodFor(authServer, secret),
  }
}

/** Issuers let native clients redirect to this machine only, and the others to https only. */
function isOnThisMachine(redirectUri: string | undefined): boolean {
  return redirectUri === undefined || isLoopbackHost(new URL(redirectUri).hostname)
}

function knownMethod(value: unknown): ClientMethod | undefined {
  return (['none', 'client_secret_basic', 'client_secret_post'] as const).find((each) => each === value)
}

/** The first authentication method that the issuer accepts. A client without a secret prefers `none`. */
export function methodFor(
  { methods }: Pick<AuthorizationServer, 'methods'>,
  secret: string | undefined,
): ClientMethod {
  if (secret !== undefined && !methods) return 'client_secret_basic'
  const order: readonly ClientMethod[] =
    secret === undefined
      ? ['none', 'client_secret_basic', 'client_secret_post']
      : ['client_secret_basic', 'client_secret_post', 'none']
  if (!methods) return 'none'
  return (
    order.find((each) => methods.includes(each)) ?? (secret === undefined ? 'none' : 'client_secret_post')
  )
}
