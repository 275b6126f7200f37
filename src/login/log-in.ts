import { AuthError } from './auth-error.ts'
import type { Client, Credential, LoginKey } from './credential.ts'
import { discoverAuthorizationServer, isSameIssuer, toDisplayOrigin } from './discovery.ts'
import type { AuthorizationServer } from './discovery.ts'
import { createProofKey } from './jwt.ts'
import type { LoginRequest } from './login-options.ts'
import { obtainTokens } from './obtain-tokens.ts'
import type { Requester, TokenGrant } from './token-request.ts'
import { toLoginServer } from './credential.ts'
import type { LoginStore } from './login-store.ts'

/** Logs in and stores the credential. */
export async function logIn(request: LoginRequest): Promise<Credential> {
  const { provider } = request
  const { authServer, scopes, requesterOf, keep } = await prepareLogin(request)
  const { client, granted } = provider
    ? await (await import('./enterprise-login.ts')).obtainByProvider(authServer, scopes, provider, request)
    : await obtainTokens(authServer, scopes, request, requesterOf)
  return keep(client, granted)
}

/** A login to a server up to its tokens. */
export interface PreparedLogin {
  readonly authServer: AuthorizationServer
  readonly scopes: readonly string[]
  readonly requesterOf: (client: Client) => Requester
  /** Stores the tokens that were obtained. */
  readonly keep: (client: Client, granted: TokenGrant) => Promise<Credential>
}

/** Finds out where to log in, and what to ask for. */
export async function prepareLogin(request: LoginRequest): Promise<PreparedLogin> {
  const { declared, server, store, account, platform, provider } = request
  if (declared.isOff) throw new AuthError('off', 'Its entry turns logging in off.')
  // A token is only sent over an encrypted connection or loopback (T39).
  request.guard.check(server)
  const discovered = await discoverAuthorizationServer({ ...request, issuer: declared.issuer }, request.send)
  const authServer =
    declared.resource === undefined ? discovered : { ...discovered, resource: declared.resource }
  const { caller } = declared
  const key: LoginKey = {
    server: toLoginServer(server),
    issuer: authServer.issuer,
    account,
    ...(caller !== undefined && { caller }),
  }
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
  const keep = async (client: Client, granted: TokenGrant): Promise<Credential> => {
    const { revocationEndpoint, resource } = authServer
    const credential: Credential = {
      ...key,
      tokens: granted.tokens,
      // A secret from the entry or the settings is not copied into the store.
      client: declared.clientSecret === undefined && !provider ? client : withoutSecret(client),
      grant: provider ? 'id_jag' : declared.grant,
      ...(provider && { provider: provider.name }),
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
  return { authServer, scopes, requesterOf, keep }
}

/** T28: a client secret belongs to one issuer. A server that names another issuer must not obtain it. */
async function refuseOtherIssuer(key: LoginKey, { declared, store }: LoginRequest): Promise<void> {
  if (declared.clientSecret === undefined || declared.issuer !== undefined) return
  const before = (await store.all()).find(({ server }) => server === key.server)
  if (!before || isSameIssuer(before.issuer, key.issuer)) return
  const message = `The server now asks for a login at ${toDisplayOrigin(key.issuer)}, but its client is registered at ${toDisplayOrigin(before.issuer)}. If that is intended, put "issuer" into "auth" of its entry.`
  throw new AuthError('issuer', message)
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
  const canRequestOffline = all.length > 0 && declared.grant === 'authorization_code' && !request.provider
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
