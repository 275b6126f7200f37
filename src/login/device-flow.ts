import { objectIn } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import type { Agreed } from './code-flow.ts'
import { untilOver } from './code-flow.ts'
import type { Authority } from './discovery.ts'
import type { LoginRequest } from './login-options.ts'
import { becomeClient } from './registration.ts'
import { endpointUrl, post, proveClient, readTokens, refusalOf } from './token-request.ts'
import type { Granted, Requester } from './token-request.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const defaults = { intervalSeconds: 5, lifeSeconds: 600 } as const

interface Device {
  readonly code: string
  readonly intervalMs: number
  readonly expiresAt: number
}

/** A login on another machine's browser (RFC 8628): a person types a short code there, and we ask until they did. */
export async function agreeByDevice(
  authority: Authority,
  scopes: readonly string[],
  request: LoginRequest,
  requesterOf: (client: Agreed['client']) => Requester,
): Promise<{ readonly client: Agreed['client']; readonly granted: Granted }> {
  if (authority.deviceEndpoint === undefined) {
    throw new AuthError(
      'unusable',
      'The issuer has no login with a code for another device: log in with --paste.',
    )
  }
  const grants = [deviceGrant, 'refresh_token']
  const client = await becomeClient(
    authority,
    request.declared,
    { redirectUri: undefined, grants, scopes },
    request.ask,
  )
  const requester = requesterOf(client)
  const device = await begin(authority.deviceEndpoint, scopes, requester, request)
  return { client, granted: await poll(device, scopes, requester, request) }
}

async function begin(
  endpoint: string,
  scopes: readonly string[],
  requester: Requester,
  { ask, guard, platform, tell }: LoginRequest,
): Promise<Device> {
  const { headers, fields } = proveClient(requester, platform.clock.now())
  const { resource } = requester
  const body = new URLSearchParams({
    client_id: requester.client.id,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resource !== undefined && { resource }),
    ...fields,
  })
  const answer = await ask({
    what: 'the device endpoint',
    method: 'POST',
    url: endpointUrl(endpoint),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: body.toString(),
  })
  if (answer.status >= 300) throw refusalOf(answer)
  const found = objectIn(answer)
  const {
    device_code: code,
    user_code: shown,
    verification_uri: page,
    verification_uri_complete: complete,
  } = found ?? {}
  const isUsable = typeof code === 'string' && typeof page === 'string' && typeof shown === 'string'
  if (!isUsable || !/^[\x21-\x7e]{1,40}$/.test(shown)) {
    throw new AuthError('unusable', 'The device endpoint did not answer with a code.')
  }
  const url = endpointUrl(page)
  guard.check(url)
  const completeUrl = typeof complete === 'string' ? endpointUrl(complete) : undefined
  if (completeUrl) guard.check(completeUrl)
  const expiresAt = platform.clock.now() + seconds(found?.['expires_in'], defaults.lifeSeconds) * 1000
  tell?.({
    type: 'device',
    url: url.href,
    code: shown,
    ...(completeUrl && { completeUrl: completeUrl.href }),
    expiresAt,
  })
  return { code, expiresAt, intervalMs: seconds(found?.['interval'], defaults.intervalSeconds) * 1000 }
}

async function poll(
  device: Device,
  scopes: readonly string[],
  requester: Requester,
  { ask, platform, signal, tell }: LoginRequest,
): Promise<Granted> {
  const { clock } = platform
  const now = () => clock.now()
  let { intervalMs } = device
  for (;;) {
    await untilOver(clock.sleep(intervalMs, signal), signal)
    if (now() >= device.expiresAt) throw new AuthError('timeout', 'The code was not used in time.')
    const params = { grant_type: deviceGrant, device_code: device.code }
    const answer = await post(params, requester, { ask, now }).catch(unlessPassing)
    const error = answer && objectIn(answer)?.['error']
    if (!answer || answer.status >= 500 || error === 'slow_down') intervalMs += 5000
    else if (error !== 'authorization_pending') {
      tell?.({ type: 'exchanging' })
      return readTokens(answer, { now, asked: scopes })
    }
  }
}

/** A person who is typing a code elsewhere does not have to begin again because a request was lost (RFC 8628 3.5). */
function unlessPassing(error: unknown): undefined {
  if (error instanceof AuthError && (error.reason === 'unreachable' || error.reason === 'timeout')) return
  throw error
}

function seconds(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 && value < 86_400 ? Math.max(1, value) : otherwise
}
