import { generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { GrantContext, Provider } from 'oidc-provider'
import { startAuthorizationServer } from './authorization-server.ts'
import type { AuthorizationOptions, AuthorizationServer } from './authorization-server.ts'

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const idJag = 'urn:ietf:params:oauth:token-type:id-jag'

/** The secrets of the clients: no output may contain them. */
export const clientSecrets = { idp: 'secret-at-the-provider', server: 'secret-at-the-server' } as const

/** A company's identity provider: a real issuer that also exchanges identity tokens for grants (SEP-990). */
export interface Company {
  readonly idp: AuthorizationServer
  /** The key that its grants are signed with. */
  readonly publicKey: KeyObject
  /** Issuers that it refuses access to. */
  readonly refused: Set<string>
}

export async function startCompany(options: AuthorizationOptions = {}): Promise<Company> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const refused = new Set<string>()
  const idp = await startAuthorizationServer({
    ...options,
    clients: [
      {
        client_id: 'host',
        client_secret: clientSecrets.idp,
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token', exchange],
      },
    ],
    extend: (provider, issuer) =>
      provider.registerGrantType(
        exchange,
        async (context) => {
          const { subject_token: token = '', audience = '', resource, scope, ...rest } = context.oidc.params
          const { payload } = await provider.IdToken.validate(token, context.oidc.client)
          const isAsked =
            rest['requested_token_type'] === idJag &&
            rest['subject_token_type'] === 'urn:ietf:params:oauth:token-type:id_token'
          if (!isAsked || resource === undefined) return refuse(context, 'invalid_request')
          if (payload.exp * 1000 < Date.now()) return refuse(context, 'invalid_grant')
          if (refused.has(audience)) return refuse(context, 'access_denied')
          const now = Math.floor(Date.now() / 1000)
          const claims = {
            iss: issuer,
            sub: payload.sub,
            aud: audience,
            client_id: 'plugboard',
            resource,
            scope,
          }
          const grant = signed('oauth-id-jag+jwt', { ...claims, iat: now, exp: now + 300 }, privateKey)
          context.body = { access_token: grant, issued_token_type: idJag, token_type: 'N_A', expires_in: 300 }
        },
        ['requested_token_type', 'subject_token', 'subject_token_type', 'audience', 'resource', 'scope'],
      ),
  })
  return { idp, publicKey, refused }
}

/** A server whose issuer takes only assertions that are signed with this key. */
export async function startServerOf(
  publicKey: KeyObject,
  options: AuthorizationOptions & { readonly method?: 'none' } = {},
): Promise<AuthorizationServer> {
  const used = new Set<string>()
  const isPublic = options.method === 'none'
  return startAuthorizationServer({
    ...options,
    clients: [
      {
        client_id: 'plugboard',
        ...(isPublic ? { token_endpoint_auth_method: 'none' } : { client_secret: clientSecrets.server }),
        redirect_uris: [],
        response_types: [],
        grant_types: [jwtBearer],
      },
    ],
    extend: (provider, issuer) =>
      provider.registerGrantType(
        jwtBearer,
        (context) => grantByAssertion(context, { provider, issuer, publicKey, used }),
        ['assertion', 'scope', 'resource'],
      ),
  })
}

interface AssertionRules {
  readonly provider: Provider
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly used: Set<string>
}

async function grantByAssertion(
  context: GrantContext,
  { provider, issuer, publicKey, used }: AssertionRules,
): Promise<void> {
  const { client, params } = context.oidc
  const [header = '', payload = '', signature = ''] = (params['assertion'] ?? '').split('.')
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    key,
    Buffer.from(signature, 'base64url'),
  )
  const claims = isSigned ? decode(payload) : {}
  const isMeant = claims['aud'] === issuer && Number(claims['exp']) * 1000 > Date.now()
  const isGrant = decode(header)['typ'] === 'oauth-id-jag+jwt'
  if (!isMeant || (isGrant && claims['client_id'] !== client.clientId))
    return refuse(context, 'invalid_grant')
  const jti = String(claims['jti'])
  if (isGrant && used.has(jti)) return refuse(context, 'invalid_grant')
  used.add(jti)
  const token = new provider.AccessToken({
    client,
    accountId: claims['sub'],
    gty: 'jwt-bearer',
    scope: params['scope'],
  })
  context.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: token.expiration }
}

/** A JWT of the platform that a workload runs on. */
export function workloadToken(audience: string, privateKey: KeyObject, lifeSeconds = 300): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: 'https://cluster.example', sub: 'system:agent', aud: audience }
  return signed('JWT', { ...claims, iat: now, exp: now + lifeSeconds }, privateKey)
}

function signed(typ: string, claims: object, key: KeyObject): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${encode({ alg: 'ES256', typ })}.${encode({ ...claims, jti: randomUUID() })}`
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

function decode(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Readonly<Record<string, unknown>> // claims of a JWT
  } catch {
    return {}
  }
}

function refuse(context: GrantContext, error: string): void {
  context.status = 400
  context.body = { error }
}
