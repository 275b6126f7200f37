import type { Platform } from '../platform/platform.ts'
import { AuthError } from './auth-error.ts'
import type { Client, Credential } from './credential.ts'
import { jwtBearer, readDeclaredLogin } from './declared-login.ts'
import type { DeclaredLogin } from './declared-login.ts'
import { discoverIssuer, isSameIssuer } from './discovery.ts'
import type { AuthorizationServer } from './discovery.ts'
import { createGuardedHttp, guardFor, parseJsonObject } from './guarded-http.ts'
import type { GuardedResponse, SendGuardedRequest } from './guarded-http.ts'
import { providerKey } from './identity-provider.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { readClaims, readDisplayName } from './jwt.ts'
import type { LoginRequest } from './login-options.ts'
import type { LoginStore } from './login-store.ts'
import { obtainTokens } from './obtain-tokens.ts'
import type { ObtainedTokens } from './obtain-tokens.ts'
import { methodFor } from './registration.ts'
import { postTokenRequest, requestTokens, toRefusal } from './token-request.ts'
import type { Requester, TokenContext, TokenGrant } from './token-request.ts'

const idJag = 'urn:ietf:params:oauth:token-type:id-jag'

/** What the steps at an identity provider need. */
interface ProviderContext {
  readonly store: LoginStore
  readonly platform: Pick<Platform, 'clock' | 'http' | 'env'>
  readonly signal?: AbortSignal | undefined
}

/** What is asked of the provider: access to one server, at its authorization server. */
interface WantedAccess {
  readonly issuer: string
  readonly resource: string
  readonly scopes: readonly string[]
}

/**
 * Obtains tokens for a server through an identity provider (SEP-990): the identity of the person is exchanged for a
 * grant, and the grant for a token. The person signs in only if there is no sign-in at the provider yet. A refusal of
 * the provider is final: the person is never sent to the server's own login page instead.
 */
export async function obtainByProvider(
  authServer: AuthorizationServer,
  scopes: readonly string[],
  provider: IdentityProvider,
  request: LoginRequest,
): Promise<ObtainedTokens> {
  const client = clientAt(authServer, provider, request.declared)
  const subject = (await readSubject(provider, request)) ?? (await signIn(provider, request))
  const { issuer, tokenEndpoint, resource } = authServer
  const access = { issuer, resource: resource ?? request.server.href, scopes }
  const requester = { client, issuer, tokenEndpoint, resource }
  const tokens: TokenContext = { send: request.send, now: () => request.platform.clock.now() }
  return { client, granted: await exchange(provider, subject, access, requester, { ...request, tokens }) }
}

/** Repeats the exchange for a stored login. Never asks a person. */
export async function renewByProvider(
  credential: Credential,
  provider: IdentityProvider,
  declared: DeclaredLogin,
  context: ProviderContext & { readonly tokens: TokenContext },
): Promise<TokenGrant> {
  const { issuer, tokenEndpoint, resource, server, asked: scopes } = credential
  const subject = await readSubject(provider, context)
  if (subject === undefined) throw signInNeeded(provider)
  const secret = declared.clientId === undefined ? clientFor(provider, issuer)?.secret : declared.clientSecret
  const client = { ...credential.client, ...(secret !== undefined && { secret }) }
  const access = { issuer, resource: resource ?? server, scopes }
  return exchange(provider, subject, access, { client, issuer, tokenEndpoint, resource }, context)
}

/** Whether the provider can be asked without a person. */
export async function hasSubject(provider: IdentityProvider, store: LoginStore): Promise<boolean> {
  return provider.idToken !== undefined || (await store.read(providerKey(provider))) !== undefined
}

async function exchange(
  provider: IdentityProvider,
  subject: string,
  access: WantedAccess,
  requester: Requester,
  context: ProviderContext & { readonly tokens: TokenContext },
): Promise<TokenGrant> {
  const assertion = await requestGrant(provider, subject, access, context)
  const scope = access.scopes.length > 0 ? { scope: access.scopes.join(' ') } : {}
  const granted = await requestTokens(
    { grant_type: jwtBearer, assertion, ...scope },
    requester,
    context.tokens,
  )
  const who = readDisplayName(subject)
  // The token of the server cannot be renewed by itself: the provider is asked each time.
  const { refresh: _refresh, ...tokens } = granted.tokens
  return { tokens, ...(who !== undefined && { who }) }
}

/** Exchanges an identity token for a grant that only one authorization server accepts (RFC 8693). */
async function requestGrant(
  provider: IdentityProvider,
  subject: string,
  { issuer, resource, scopes }: WantedAccess,
  { store, platform, signal, tokens }: ProviderContext & { readonly tokens: TokenContext },
): Promise<string> {
  const send = sendTo(provider, { store, platform, signal })
  const { tokenEndpoint, client } = await endpointOf(provider, send)
  const params = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: idJag,
    subject_token: subject,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: issuer,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  }
  const requester = { client, issuer: provider.issuer, tokenEndpoint, resource }
  const response = await postTokenRequest(params, requester, { ...tokens, send })
  const grant = readGrant(response, provider)
  store.keepSecret(grant)
  return grant
}

function readGrant(response: GuardedResponse, { name }: IdentityProvider): string {
  const found = parseJsonObject(response)
  if (response.status >= 400 || found?.['error'] !== undefined) {
    const { reason, oauth, message } = toRefusal(response)
    if (oauth === undefined) throw new AuthError(reason, `Identity provider "${name}": ${message}`)
    throw new AuthError('refused', `The identity provider "${name}" refused access to it: ${oauth}.`, {
      oauth,
    })
  }
  const grant = found?.['access_token']
  if (typeof grant === 'string' && found?.['issued_token_type'] === idJag) return grant
  throw new AuthError('unusable', `The identity provider "${name}" does not issue grants for other servers.`)
}

/** Less than this is left of an identity token: it would expire on its way. */
const marginMs = 30_000

/** The identity token of the program or of the stored sign-in, renewed if it is due. */
async function readSubject(
  provider: IdentityProvider,
  context: ProviderContext,
): Promise<string | undefined> {
  if (provider.idToken !== undefined) return provider.idToken
  const { store } = context
  const key = providerKey(provider)
  const stored = await store.read(key)
  if (!stored || isFresh(stored, context)) return stored?.tokens.idToken
  const renewed = await store
    .lockedOnce(key, () => renewSignIn(provider, stored, context))
    .catch((error: unknown) => {
      if (error instanceof AuthError && error.needsPerson) return undefined
      throw error
    })
  return renewed?.tokens.idToken
}

function isFresh({ tokens }: Credential, { platform }: ProviderContext): boolean {
  const exp = tokens.idToken === undefined ? undefined : readClaims(tokens.idToken)?.['exp']
  return tokens.idToken !== undefined && !(Number(exp) * 1000 < platform.clock.now() + marginMs)
}

async function renewSignIn(
  provider: IdentityProvider,
  known: Credential,
  context: ProviderContext,
): Promise<Credential> {
  const { store, platform } = context
  const stored = (await store.read(known)) ?? known
  if (isFresh(stored, context)) return stored
  const { refresh } = stored.tokens
  if (refresh === undefined) throw signInNeeded(provider)
  const send = sendTo(provider, context)
  const { tokenEndpoint, client } = await endpointOf(provider, send)
  const requester = { client, issuer: provider.issuer, tokenEndpoint }
  const { tokens, idToken } = await requestTokens(
    { grant_type: 'refresh_token', refresh_token: refresh },
    requester,
    { send, now: () => platform.clock.now() },
  ).catch(async (error: unknown) => {
    if (error instanceof AuthError && error.oauth === 'invalid_grant') await store.remove(stored)
    throw error
  })
  if (idToken === undefined) throw signInNeeded(provider)
  const renewed = { ...stored, tokens: { refresh, ...tokens, idToken } }
  await store.write(renewed)
  return renewed
}

/** Signs the person in at the provider; the sign-in serves every server that uses the provider. */
async function signIn(provider: IdentityProvider, request: LoginRequest): Promise<string> {
  if (!request.isAttended) throw signInNeeded(provider)
  const send = sendTo(provider, request)
  const found = await discoverIssuer(provider.issuer, send)
  // Providers that a person chose support PKCE even where their metadata does not say so.
  const authServer = { ...found, hasPkce: true, ...onlyEndpoint(provider) }
  const { scopes: wanted = ['openid', 'profile', 'email'], redirectUri, callbackPort } = provider
  const offline = authServer.scopesSupported.includes('offline_access') ? ['offline_access'] : []
  const declared: DeclaredLogin = {
    ...readDeclaredLogin(),
    clientId: provider.clientId,
    ...(provider.clientSecret !== undefined && { clientSecret: provider.clientSecret }),
    ...(redirectUri !== undefined && { redirectUri }),
    ...(callbackPort !== undefined && { callbackPort }),
  }
  const scopes = [...new Set(['openid', ...wanted, ...offline])]
  const guard = guardFor(new URL(provider.issuer), {})
  const { tokenEndpoint } = authServer
  const { client, granted } = await obtainTokens(
    authServer,
    scopes,
    { ...request, declared, send, guard, provider: undefined },
    (each) => ({ client: each, issuer: provider.issuer, tokenEndpoint }),
  )
  const { tokens, idToken } = granted
  if (idToken === undefined)
    throw new AuthError('unusable', `The identity provider "${provider.name}" returned no identity token.`)
  const { id, method } = client
  const { store, platform } = request
  const who = readDisplayName(idToken)
  const { revocationEndpoint } = authServer
  await store.locked(providerKey(provider), () =>
    store.write({
      ...providerKey(provider),
      tokens: { ...tokens, idToken },
      client: { id, method },
      grant: 'authorization_code',
      provider: provider.name,
      tokenEndpoint,
      ...(revocationEndpoint !== undefined && { revocationEndpoint }),
      asked: scopes,
      since: platform.clock.now(),
      ...(who !== undefined && { who }),
    }),
  )
  return idToken
}

function signInNeeded({ name }: IdentityProvider): AuthError {
  return new AuthError('expired', `The sign-in at the identity provider "${name}" is missing or has expired.`)
}

async function endpointOf(provider: IdentityProvider, send: SendGuardedRequest) {
  const { tokenEndpoint, clientId: id, clientSecret: secret } = provider
  const found = tokenEndpoint === undefined ? await discoverIssuer(provider.issuer, send) : undefined
  const client: Client = {
    id,
    ...(secret !== undefined && { secret }),
    method: methodFor(found ?? { methods: undefined }, secret),
  }
  return { tokenEndpoint: found?.tokenEndpoint ?? tokenEndpoint ?? '', client }
}

function onlyEndpoint({ tokenEndpoint }: IdentityProvider) {
  return tokenEndpoint === undefined ? {} : { tokenEndpoint }
}

/** T29: the addresses that the settings name may be in a private network; other addresses of the provider may not. */
function sendTo({ issuer, tokenEndpoint }: IdentityProvider, { platform, signal }: ProviderContext) {
  const guard = guardFor(new URL(issuer), {}, tokenEndpoint === undefined ? [] : [tokenEndpoint])
  return createGuardedHttp({ platform, guard, signal })
}

function clientFor({ clients }: IdentityProvider, issuer: string) {
  return Object.entries(clients).find(([each]) => isSameIssuer(each, issuer))?.[1]
}

/** Our client at the authorization server of a server: the provider names it in the grant, so none is registered. */
function clientAt(
  authServer: AuthorizationServer,
  provider: IdentityProvider,
  { clientId, clientSecret, clientMetadataUrl, privateKey }: DeclaredLogin,
): Client {
  const known =
    clientId === undefined
      ? clientFor(provider, authServer.issuer)
      : { id: clientId, ...(clientSecret !== undefined && { secret: clientSecret }) }
  if (known) {
    if (privateKey !== undefined)
      throw new AuthError('unusable', 'A privateKey cannot be used together with an identity provider.')
    return { ...known, method: methodFor(authServer, known.secret) }
  }
  if (clientMetadataUrl !== undefined && authServer.acceptsMetadataUrls)
    return { id: clientMetadataUrl, method: 'none' }
  const message = `There is no client for its issuer. Put "clientId" into "auth" of the entry, or into "clients" of the identity provider "${provider.name}".`
  throw new AuthError('unregistered', message)
}
