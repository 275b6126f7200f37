import type { JsonObject } from '../model/json.ts'
import { AuthError, codeIn } from './auth-error.ts'
import { toScopes } from './challenge.ts'
import type { Client, Credential, Tokens } from './credential.ts'
import type { Declared } from './declared-login.ts'
import { createAsk, guardFor, objectIn } from './guarded-http.ts'
import type { Answer, Ask, AskOptions } from './guarded-http.ts'
import { clientAssertion, proofFor, whoIn } from './jwt.ts'

/** Who asks for a token, and how they prove it. */
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
  readonly ask: Ask
  readonly now: () => number
  readonly timeoutMs?: number
}

export interface Granted {
  readonly tokens: Tokens
  readonly who?: string
}

/** A stored login as its issuer knows it, with the secret or the key that only its entry holds. */
export function requesterOf(credential: Credential, declared: Declared): Requester {
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

/** Asks for a token by any grant. What comes back is believed only as far as it is one. */
export async function requestTokens(
  params: Readonly<Record<string, string>>,
  requester: Requester,
  context: TokenContext,
): Promise<Granted> {
  const answer = await post(params, requester, context)
  return readTokens(answer, { ...context, asked: toScopes(params['scope'] ?? '') })
}

/** The same, with the issuer's word for a no instead of an error. */
export async function post(
  params: Readonly<Record<string, string>>,
  requester: Requester,
  context: TokenContext,
): Promise<Answer> {
  const first = await postOnce(params, requester, context, undefined)
  const nonce = first.headers['dpop-nonce']
  const wantsNonce =
    requester.proofKey && nonce !== undefined && objectIn(first)?.['error'] === 'use_dpop_nonce'
  return wantsNonce ? postOnce(params, requester, context, nonce) : first
}

function postOnce(
  params: Readonly<Record<string, string>>,
  requester: Requester,
  { ask, now, timeoutMs }: TokenContext,
  nonce: string | undefined,
): Promise<Answer> {
  const { resource, proofKey } = requester
  const url = endpointUrl(requester.tokenEndpoint)
  const { headers, fields } = proveClient(requester, now())
  const body = new URLSearchParams({ ...params, ...(resource !== undefined && { resource }), ...fields })
  return ask({
    what: 'the token endpoint',
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
      ...(proofKey && { dpop: proofFor(proofKey, { method: 'POST', url, now: now(), nonce }) }),
    },
    body: body.toString(),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

const revokeMs = 5000

/** Tells the issuer that a login is over (RFC 7009). */
export async function revokeTokens(
  credential: Credential,
  endpoint: string,
  declared: Declared,
  platform: AskOptions['platform'],
): Promise<void> {
  const { refresh, access } = credential.tokens
  const ask = createAsk({ platform, guard: guardFor(new URL(credential.server), declared) })
  const { headers, fields } = proveClient(requesterOf(credential, declared), platform.clock.now())
  await ask({
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
  throw new AuthError('unusable', 'The issuer names an endpoint that is no address.')
}

/** RFC 6749 2.3, RFC 7523 2.2. */
export function proveClient(
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
      return { headers: {}, fields: { client_id: id } }
  }
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** Ten years: who says more means for ever. */
const longestSeconds = 315_360_000

interface Reading {
  readonly now: () => number
  readonly asked: readonly string[]
}

export function readTokens(answer: Answer, { now, asked }: Reading): Granted {
  const found = objectIn(answer)
  const access = found?.['access_token']
  // Some issuers say no with a status of 200.
  if (answer.status >= 400 || found?.['error'] !== undefined) throw refusalOf(answer)
  if (!found || typeof access !== 'string' || !isHeaderValue(access)) {
    throw new AuthError('unusable', 'The token endpoint did not answer with a token.')
  }
  const { refresh_token: refresh, expires_in: seconds, scope, token_type: type, id_token: id } = found
  const issuedAt = now()
  const lifeSeconds = Math.min(Number(seconds), longestSeconds)
  const who = whoIn(typeof id === 'string' ? id : access)
  return {
    tokens: {
      access,
      type: typeof type === 'string' && type.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer',
      ...(typeof refresh === 'string' && { refresh }),
      issuedAt,
      ...(seconds !== undefined && lifeSeconds > 0 && { expiresAt: issuedAt + lifeSeconds * 1000 }),
      // What is not said was granted as asked for (RFC 6749 5.1).
      scopes: typeof scope === 'string' ? toScopes(scope) : asked,
    },
    ...(who !== undefined && { who }),
  }
}

export function refusalOf(answer: Answer): AuthError {
  const oauth = codeIn(objectIn(answer)?.['error'])
  if (oauth !== undefined) {
    return new AuthError('refused', `The issuer refused: ${oauth}.`, { oauth })
  }
  const reason = answer.status >= 500 ? 'unreachable' : 'unusable'
  return new AuthError(reason, `The token endpoint answered with HTTP ${answer.status}, and no reason.`)
}

/** Whatever else it holds would break the header it is put into. */
function isHeaderValue(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}
