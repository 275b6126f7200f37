import { objectIn } from './guarded-http.ts'
import type { Ask } from './guarded-http.ts'
import { AuthError, codeIn, nowhere } from './auth-error.ts'
import type { Client, ClientMethod } from './credential.ts'
import type { Declared } from './declared-login.ts'
import type { Authority } from './discovery.ts'
import { endpointUrl } from './token-request.ts'

interface Wanted {
  readonly redirectUri: string | undefined
  readonly grants: readonly string[]
  readonly scopes: readonly string[]
}

/** Who we are to an issuer: known to it before, known by the address of a document, or made known now. */
export async function becomeClient(
  authority: Authority,
  declared: Declared,
  wanted: Wanted,
  ask: Ask,
): Promise<Client> {
  const { clientId, clientSecret, clientMetadataUrl, privateKey } = declared
  if (clientId !== undefined) {
    const method = privateKey === undefined ? methodFor(authority, clientSecret) : 'private_key_jwt'
    return { id: clientId, ...(clientSecret !== undefined && { secret: clientSecret }), method }
  }
  if (clientMetadataUrl !== undefined && authority.takesMetadataUrls) {
    return { id: checkDocument(clientMetadataUrl), method: 'none' }
  }
  if (authority.registrationEndpoint !== undefined) {
    return register(authority.registrationEndpoint, authority, wanted, ask)
  }
  throw new AuthError('unregistered', 'The issuer does not let clients register by themselves.')
}

/** Whether it must be the same each time: nobody else may be reached at it. */
export function isKnownBefore(authority: Authority, { clientId, clientMetadataUrl }: Declared): boolean {
  return clientId !== undefined || (clientMetadataUrl !== undefined && authority.takesMetadataUrls)
}

function checkDocument(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.pathname !== '/') return text
  throw new AuthError('unusable', 'The clientMetadataUrl of its entry must be https, with a path.')
}

/** Some issuers take no scopes of a client that they have yet to meet. */
async function register(endpoint: string, authority: Authority, wanted: Wanted, ask: Ask): Promise<Client> {
  try {
    return await registerOnce(endpoint, authority, wanted, ask)
  } catch (error) {
    const isMetadata = error instanceof AuthError && error.oauth === 'invalid_client_metadata'
    if (!isMetadata || wanted.scopes.length === 0) throw error
    return registerOnce(endpoint, authority, { ...wanted, scopes: [] }, ask)
  }
}

async function registerOnce(
  endpoint: string,
  authority: Authority,
  wanted: Wanted,
  ask: Ask,
): Promise<Client> {
  const { redirectUri, scopes } = wanted
  const grants = wanted.grants.filter((grant) => authority.grants?.includes(grant) ?? true)
  const preferred = methodFor(authority, undefined)
  const answer = await ask({
    what: 'the registration endpoint',
    method: 'POST',
    url: endpointUrl(endpoint),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Plugboard',
      application_type: 'native',
      redirect_uris: redirectUri === undefined ? [] : [redirectUri],
      grant_types: grants,
      response_types: redirectUri === undefined ? [] : ['code'],
      token_endpoint_auth_method: preferred,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    }),
  })
  const found = objectIn(answer)
  const id = found?.['client_id']
  if (authority.isGuessed && (answer.status >= 300 || !found)) throw new AuthError('undiscovered', nowhere)
  if (answer.status >= 300 || typeof id !== 'string') {
    const oauth = codeIn(found?.['error'])
    const why = oauth ?? `HTTP ${answer.status}`
    throw new AuthError('unregistered', `The issuer did not register us: ${why}.`, { oauth })
  }
  const secret = typeof found?.['client_secret'] === 'string' ? found['client_secret'] : undefined
  const method = knownMethod(found?.['token_endpoint_auth_method'])
  return {
    id,
    ...(secret !== undefined && { secret }),
    method: method && (method === 'none' || secret !== undefined) ? method : methodFor(authority, secret),
  }
}

function knownMethod(value: unknown): ClientMethod | undefined {
  return (['none', 'client_secret_basic', 'client_secret_post'] as const).find((each) => each === value)
}

/** What the issuer takes; a client that cannot keep a secret has none, unless the issuer wants one. */
function methodFor({ methods }: Authority, secret: string | undefined): ClientMethod {
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
