import { AuthError } from './auth-error.ts'
import { agreeByCode } from './code-flow.ts'
import type { Client, Credential, LoginKey } from './credential.ts'
import { agreeByDevice } from './device-flow.ts'
import { discoverAuthority, isSameIssuer, shown } from './discovery.ts'
import type { Authority } from './discovery.ts'
import { createProofKey } from './jwt.ts'
import type { LoginRequest } from './login-options.ts'
import { becomeClient } from './registration.ts'
import { requestTokens } from './token-request.ts'
import type { Granted, Requester, TokenContext } from './token-request.ts'
import { toLoginServer } from './credential.ts'
import type { LoginStore } from './login-store.ts'

/** Logs in and keeps what came of it. */
export async function logIn(request: LoginRequest): Promise<Credential> {
  const { declared, server, store, account, platform } = request
  if (declared.isOff) throw new AuthError('off', 'Its entry says that nobody logs in to it.')
  // A token is only ever sent where nobody can read along (T39).
  request.guard.check(server)
  const found = await discoverAuthority({ ...request, issuer: declared.issuer }, request.ask)
  const authority = declared.resource === undefined ? found : { ...found, resource: declared.resource }
  const key = { server: toLoginServer(server), issuer: authority.issuer, account }
  await refuseOtherIssuer(key, request)
  const before = await store.read(key)
  const scopes = scopesFor(authority, request, before)
  const proofKey = authority.wantsProof ? createProofKey() : undefined
  const requesterOf = (client: Client): Requester => {
    const { privateKey, algorithm = 'RS256' } = declared
    const { issuer, tokenEndpoint, resource } = authority
    const proof = privateKey === undefined ? undefined : { privateKey, algorithm }
    return { client, issuer, tokenEndpoint, resource, proofKey, key: proof }
  }
  const { client, granted } = await grant(authority, scopes, request, requesterOf)
  const { revocationEndpoint, resource } = authority
  const credential: Credential = {
    ...key,
    tokens: granted.tokens,
    // A secret that its entry knows stays there alone.
    client: declared.clientSecret === undefined ? client : withoutSecret(client),
    grant: declared.grant,
    tokenEndpoint: authority.tokenEndpoint,
    ...(revocationEndpoint !== undefined && { revocationEndpoint }),
    ...(resource !== undefined && { resource }),
    asked: scopes,
    since: await nowAfter(key, store, platform.clock.now()),
    ...(granted.who !== undefined && { who: granted.who }),
    ...(proofKey && { proofKey }),
  }
  await store.locked(key, () => store.write(credential))
  return credential
}

/** T28: a client that one issuer knows is nobody's at another, and its secret for no other's eyes: a server may not say so. */
async function refuseOtherIssuer(key: LoginKey, { declared, store }: LoginRequest): Promise<void> {
  if (declared.clientSecret === undefined || declared.issuer !== undefined) return
  const before = (await store.all()).find(({ server }) => server === key.server)
  if (!before || isSameIssuer(before.issuer, key.issuer)) return
  const message = `The server wants a login at ${shown(key.issuer)} now, and its client is known at ${shown(before.issuer)}. If that is right, put "issuer" into "auth" of its entry.`
  throw new AuthError('issuer', message)
}

async function grant(
  authority: Authority,
  scopes: readonly string[],
  request: LoginRequest,
  requesterOf: (client: Client) => Requester,
): Promise<{ readonly client: Client; readonly granted: Granted }> {
  const { declared, ask, platform } = request
  const context: TokenContext = { ask, now: () => platform.clock.now() }
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {}
  if (declared.grant === 'client_credentials') {
    const wanted = { redirectUri: undefined, grants: ['client_credentials'], scopes }
    const client = await becomeClient(authority, declared, wanted, ask)
    const params = { grant_type: 'client_credentials', ...scope }
    return { client, granted: await requestTokens(params, requesterOf(client), context) }
  }
  if (request.flow === 'device') return agreeByDevice(authority, scopes, request, requesterOf)
  const { client, params } = await agreeByCode(authority, scopes, request)
  const granted = await requestTokens(params, requesterOf(client), context)
  const isSilent = granted.tokens.scopes.length === 0
  return { client, granted: isSilent ? { ...granted, tokens: { ...granted.tokens, scopes } } : granted }
}

/**
 * What the person or the entry wants, else what the server asks for; with what was asked for before, so that more of
 * one never means less of another. Tokens for later are asked for where the issuer has them.
 */
function scopesFor(
  authority: Authority,
  request: LoginRequest,
  before: Credential | undefined,
): readonly string[] {
  const { scopes, declared, challenge } = request
  const wanted = scopes ?? declared.scopes ?? authority.scopes ?? []
  const earlier = scopes || challenge?.error === 'insufficient_scope' ? (before?.asked ?? []) : []
  const all = [...new Set([...earlier, ...wanted])]
  const isLater = all.length > 0 && declared.grant === 'authorization_code'
  const later = isLater && authority.scopesSupported.includes('offline_access') ? ['offline_access'] : []
  return [...new Set([...all, ...later])]
}

/** The last login counts, also where a clock was wrong at an earlier one. */
async function nowAfter({ server }: LoginKey, store: LoginStore, now: number): Promise<number> {
  const earlier = (await store.all()).filter((each) => each.server === server).map(({ since }) => since + 1)
  return Math.max(now, ...earlier)
}

function withoutSecret({ id, method }: Client): Client {
  return { id, method }
}
