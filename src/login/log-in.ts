import { AuthError } from './auth-error.ts'
import { authorizeByCode } from './code-flow.ts'
import type { Client, Credential, LoginKey } from './credential.ts'
import { authorizeByDevice } from './device-flow.ts'
import { discoverAuthorizationServer, isSameIssuer, toDisplayOrigin } from './discovery.ts'
import type { AuthorizationServer } from './discovery.ts'
import { createProofKey } from './jwt.ts'
import type { LoginRequest } from './login-options.ts'
import { obtainClient } from './registration.ts'
import { requestTokens } from './token-request.ts'
import type { TokenGrant, Requester, TokenContext } from './token-request.ts'
import { toLoginServer } from './credential.ts'
import type { LoginStore } from './login-store.ts'

/** Logs in and stores the credential. */
export async function logIn(request: LoginRequest): Promise<Credential> {
  const { declared, server, store, account, platform } = request
  if (declared.isOff) throw new AuthError('off', 'Its entry turns logging in off.')
  // A token is only sent over an encrypted connection or loopback (T39).
  request.guard.check(server)
  const discovered = await discoverAuthorizationServer({ ...request, issuer: declared.issuer }, request.send)
  const authServer =
    declared.resource === undefined ? discovered : { ...discovered, resource: declared.resource }
  const key = { server: toLoginServer(server), issuer: authServer.issuer, account }
  await refuseOtherIssuer(key, request)
  const before = await store.read(key)
  const scopes = scopesFor(authServer, request, before)
  const proofKey = authServer.requiresProof ? createProofKey() : undefined
  const requesterOf = (client: Client): Requester => {
    const { privateKey, algorithm = 'RS256' } = declared
    const { issuer, tokenEndpoint, resource } = authServer
    const proof = privateKey === undefined ? undefined : { privateKey, algorithm }
    return { client, issuer, tokenEndpoint, resource, proofKey, key: proof }
  }
  const { client, granted } = await obtainTokens(authServer, scopes, request, requesterOf)
  const { revocationEndpoint, resource } = authServer
  const credential: Credential = {
    ...key,
    tokens: granted.tokens,
    // A secret from the entry is not copied into the store.
    client: declared.clientSecret === undefined ? client : withoutSecret(client),
    grant: declared.grant,
    tokenEndpoint: authServer.tokenEndpoint,
    ...(revocationEndpoint !== undefined && { revocationEndpoint }),
    ...(resource !== undefined && { resource }),
    asked: scopes,
    since: await loginTime(key, store, platform.clock.now()),
    ...(granted.who !== undefined && { who: granted.who }),
    ...(proofKey && { proofKey }),
  }
  await store.locked(key, () => store.write(credential))
  return credential
}

/** T28: a client secret belongs to one issuer. A server that names another issuer must not obtain it. */
async function refuseOtherIssuer(key: LoginKey, { declared, store }: LoginRequest): Promise<void> {
  if (declared.clientSecret === undefined || declared.issuer !== undefined) return
  const before = (await store.all()).find(({ server }) => server === key.server)
  if (!before || isSameIssuer(before.issuer, key.issuer)) return
  const message = `The server now asks for a login at ${toDisplayOrigin(key.issuer)}, but its client is registered at ${toDisplayOrigin(before.issuer)}. If that is intended, put "issuer" into "auth" of its entry.`
  throw new AuthError('issuer', message)
}

async function obtainTokens(
  authServer: AuthorizationServer,
  scopes: readonly string[],
  request: LoginRequest,
  requesterOf: (client: Client) => Requester,
): Promise<{ readonly client: Client; readonly granted: TokenGrant }> {
  const { declared, send, platform } = request
  const context: TokenContext = { send, now: () => platform.clock.now() }
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {}
  if (declared.grant === 'client_credentials') {
    const wanted = { redirectUri: undefined, grants: ['client_credentials'], scopes }
    const client = await obtainClient(authServer, declared, wanted, send)
    const params = { grant_type: 'client_credentials', ...scope }
    return { client, granted: await requestTokens(params, requesterOf(client), context) }
  }
  if (request.flow === 'device') return authorizeByDevice(authServer, scopes, request, requesterOf)
  const { client, params } = await authorizeByCode(authServer, scopes, request)
  const granted = await requestTokens(params, requesterOf(client), context)
  const hasNoScopes = granted.tokens.scopes.length === 0
  return { client, granted: hasNoScopes ? { ...granted, tokens: { ...granted.tokens, scopes } } : granted }
}

/**
 * The scopes of the caller or the entry, else those the server asks for. Scopes of an earlier login are added, so that
 * a step-up keeps what was granted before. `offline_access` is added when the issuer supports it, to get a refresh
 * token.
 */
function scopesFor(
  authServer: AuthorizationServer,
  request: LoginRequest,
  before: Credential | undefined,
): readonly string[] {
  const { scopes, declared, challenge } = request
  const wanted = scopes ?? declared.scopes ?? authServer.scopes ?? []
  const earlier = scopes || challenge?.error === 'insufficient_scope' ? (before?.asked ?? []) : []
  const all = [...new Set([...earlier, ...wanted])]
  const canRequestOffline = all.length > 0 && declared.grant === 'authorization_code'
  const offline =
    canRequestOffline && authServer.scopesSupported.includes('offline_access') ? ['offline_access'] : []
  return [...new Set([...all, ...offline])]
}

/** Later than every earlier login, even if a clock was wrong then: the newest login is the one in use. */
async function loginTime({ server }: LoginKey, store: LoginStore, now: number): Promise<number> {
  const earlier = (await store.all()).filter((each) => each.server === server).map(({ since }) => since + 1)
  return Math.max(now, ...earlier)
}

function withoutSecret({ id, method }: Client): Client {
  return { id, method }
}
