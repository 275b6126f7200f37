import type { JsonObject } from '../model/json.ts'
import { AuthError, readOAuthCode } from './auth-error.ts'
import { toScopes } from './challenge.ts'
import type { Client, Credential, Tokens } from './credential.ts'
import type { DeclaredLogin } from './declared-login.ts'
import { createGuardedHttp, guardFor, parseJsonObject } from './guarded-http.ts'
import type { GuardedResponse, SendGuardedRequest, GuardedHttpOptions } from './guarded-http.ts'
import { clientAssertion, createProof, readDisplayName } from './jwt.ts'

/** The client that requests a token, and the keys that it authenticates with. */
export interface Requester {
  readonly client: Client
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly resource?: string | undefined
  /** For `private_key_jwt`. */
  readonly key?: { readonly privateKey: string; readonly algorithm: string } | undefined
  readonly proofKey?: JsonObject | undefined
}

export interface TokenContext {
  readonly send: SendGuardedRequest
  readonly now: () => number
  readonly timeoutMs?: number
}

export interface TokenGrant {
  readonly tokens: Tokens
  readonly who?: string
  readonly idToken?: string
}

/** The requester of a stored login, with the secret or key that only its entry has. */
export function requesterOf(credential: Credential, declared: DeclaredLogin): Requester {
  const { client, issuer, tokenEndpoint, resource, proofKey } = credential
  const isDeclared = declared.clientId === client.id
  const { clientSecret, privateKey, algorithm = 'RS256' } = declared
  return {
    client: isDeclared && clientSecret !== undefined ? { ...client, secret: clientSecret } : client,
    issuer,
    tokenEndpoint,
    resource,
    proofKey,
    ...(privateKey !== undefined && { key: { privateKey, algorithm } }),
  }
}

/** Requests tokens with any grant and validates the response. */
export async function requestTokens(
  params: Readonly<Record<string, string>>,
  requester: Requester,
  context: TokenContext,
): Promise<TokenGrant> {
  const response = await postTokenRequest(params, requester, context)
  return readTokens(response, { ...context, asked: toScopes(params['scope'] ?? '') })
}

/** Sends a token request, repeated once with the issuer's DPoP nonce. Returns a refusal as a response, not an error. */
export async function postTokenRequest(
  params: Readonly<Record<string, string>>,
  requester: Requester,
  context: TokenContext,
): Promise<GuardedResponse> {
  const first = await postOnce(params, requester, context, undefined)
  const nonce = first.headers['dpop-nonce']
  const wantsNonce =
    requester.proofKey && nonce !== undefined && parseJsonObject(first)?.['error'] === 'use_dpop_nonce'
  return wantsNonce ? postOnce(params, requester, context, nonce) : first
}

function postOnce(
  params: Readonly<Record<string, string>>,
  requester: Requester,
  { send, now, timeoutMs }: TokenContext,
  nonce: string | undefined,
): Promise<GuardedResponse> {
  const { resource, proofKey } = requester
  const url = endpointUrl(requester.tokenEndpoint)
  const { headers, fields } = authenticateClient(requester, now())
  const body = new URLSearchParams({ ...params, ...(resource !== undefined && { resource }), ...fields })
  return send({
    what: 'the token endpoint',
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
      ...(proofKey && { dpop: createProof(proofKey, { method: 'POST', url, now: now(), nonce }) }),
    },
    body: body.toString(),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

const revokeMs = 5000

/** Revokes the tokens of a login at the issuer (RFC 7009). */
export async function revokeTokens(
  credential: Credential,
  endpoint: string,
  declared: DeclaredLogin,
  platform: GuardedHttpOptions['platform'],
): Promise<void> {
  const { refresh, access } = credential.tokens
  const send = createGuardedHttp({ platform, guard: guardFor(new URL(credential.server), declared) })
  const { headers, fields } = authenticateClient(requesterOf(credential, declared), platform.clock.now())
  await send({
    what: 'the revocation endpoint',
    method: 'POST',
    url: endpointUrl(endpoint),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ token: refresh ?? access, ...fields }).toString(),
    timeoutMs: revokeMs,
  })
}

export function endpointUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw new AuthError('unusable', 'The issuer names an endpoint that is not a valid address.')
}

/** The headers and form fields that authenticate the client (RFC 6749 2.3, RFC 7523 2.2). */
export function authenticateClient(
  { client, issuer, key }: Pick<Requester, 'client' | 'issuer' | 'key'>,
  now: number,
): { readonly headers: Readonly<Record<string, string>>; readonly fields: Readonly<Record<string, string>> } {
  const { id, secret = '', method } = client
  switch (method) {
    case 'client_secret_basic': {
      const pair = `${formEncode(id)}:${formEncode(secret)}`
      return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, fields: {} }
    }
    case 'client_secret_post':
      return { headers: {}, fields: { client_id: id, client_secret: secret } }
    case 'private_key_jwt': {
      if (!key) throw new AuthError('unusable', 'Its entry has no privateKey.')
      const assertion = clientAssertion({ clientId: id, audience: issuer, now, ...key })
      return {
        headers: {},
        fields: {
          client_id: id,
          client_assertion: assertion,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        },
      }
    }
    default:
      // A workload needs no client of its own: its assertion says what it is.
      return { headers: {}, fields: id === '' ? {} : { client_id: id } }
  }
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** Ten years; longer lifetimes are capped. */
const maxLifeSeconds = 315_360_000

interface TokenReadOptions {
  readonly now: () => number
  readonly asked: readonly string[]
}

export function readTokens(response: GuardedResponse, { now, asked }: TokenReadOptions): TokenGrant {
  const found = parseJsonObject(response)
  const access = found?.['access_token']
  // Some issuers send an error with status 200.
  if (response.status >= 400 || found?.['error'] !== undefined) throw toRefusal(response)
  if (!found || typeof access !== 'string' || !isHeaderValue(access)) {
    throw new AuthError('unusable', 'The token endpoint returned no usable token.')
  }
  const { refresh_token: refresh, expires_in: seconds, scope, token_type: type, id_token: id } = found
  const issuedAt = now()
  const lifeSeconds = Math.min(Number(seconds), maxLifeSeconds)
  const who = readDisplayName(typeof id === 'string' ? id : access)
  return {
    tokens: {
      access,
      type: typeof type === 'string' && type.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer',
      ...(typeof refresh === 'string' && { refresh }),
      issuedAt,
      ...(seconds !== undefined && lifeSeconds > 0 && { expiresAt: issuedAt + lifeSeconds * 1000 }),
      // An absent scope means that all requested scopes were granted (RFC 6749 5.1).
      scopes: typeof scope === 'string' ? toScopes(scope) : asked,
    },
    ...(who !== undefined && { who }),
    ...(typeof id === 'string' && { idToken: id }),
  }
}

export function toRefusal(response: GuardedResponse): AuthError {
  const oauth = readOAuthCode(parseJsonObject(response)?.['error'])
  if (oauth !== undefined) {
    return new AuthError('refused', `The issuer refused: ${oauth}.`, { oauth })
  }
  const reason = response.status >= 500 ? 'unreachable' : 'unusable'
  return new AuthError(reason, `The token endpoint answered with HTTP ${response.status} and gave no reason.`)
}

/** Other characters would break the Authorization header. */
function isHeaderValue(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}
