import { AuthError } from './auth-error.ts'
import { authorizeByCode } from './code-flow.ts'
import type { Client } from './credential.ts'
import { jwtBearer } from './declared-login.ts'
import { authorizeByDevice } from './device-flow.ts'
import type { AuthorizationServer } from './discovery.ts'
import type { LoginRequest } from './login-options.ts'
import { obtainClient } from './registration.ts'
import { requestTokens } from './token-request.ts'
import type { Requester, TokenContext, TokenGrant } from './token-request.ts'

export interface ObtainedTokens {
  readonly client: Client
  readonly granted: TokenGrant
}

/** Obtains tokens by the grant of an entry. A refusal is final: no other grant is tried. */
export async function obtainTokens(
  authServer: AuthorizationServer,
  scopes: readonly string[],
  request: LoginRequest,
  requesterOf: (client: Client) => Requester,
): Promise<ObtainedTokens> {
  const { declared, send, platform } = request
  const context: TokenContext = { send, now: () => platform.clock.now() }
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {}
  if (declared.grant === 'jwt_bearer') {
    const client: Client = { id: declared.clientId ?? '', method: 'none' }
    const params = { ...assertionParams(authServer, declared.assertion), ...scope }
    return { client, granted: await requestTokens(params, requesterOf(client), context) }
  }
  if (declared.grant === 'client_credentials') {
    const wanted = { redirectUri: undefined, grants: ['client_credentials'], scopes }
    const client = await obtainClient(authServer, declared, wanted, send)
    const params = { grant_type: 'client_credentials', ...scope }
    return { client, granted: await requestTokens(params, requesterOf(client), context) }
  }
  if (request.flow === 'device') return authorizeByDevice(authServer, scopes, request, requesterOf)
  const { client, params } = await authorizeByCode(authServer, scopes, request)
  return { client, granted: withScopes(await requestTokens(params, requesterOf(client), context), scopes) }
}

/** An issuer that names no scopes has granted those that were asked for. */
export function withScopes(granted: TokenGrant, scopes: readonly string[]): TokenGrant {
  return granted.tokens.scopes.length === 0 ? { ...granted, tokens: { ...granted.tokens, scopes } } : granted
}

/** SEP-1933: the assertion goes only to an issuer that says it takes assertions. */
function assertionParams({ grants }: AuthorizationServer, assertion: string | undefined) {
  if (assertion === undefined || assertion === '')
    throw new AuthError('unusable', 'Its entry has no assertion: there is no token of the workload.')
  if (!grants?.includes(jwtBearer))
    throw new AuthError('unusable', 'The issuer does not accept tokens of workloads (no jwt-bearer grant).')
  return { grant_type: jwtBearer, assertion }
}
