import { parseJsonObject } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import type { Authorization } from './code-flow.ts'
import { unlessAborted } from './code-flow.ts'
import type { AuthorizationServer } from './discovery.ts'
import type { LoginRequest } from './login-options.ts'
import { obtainClient } from './registration.ts'
import { endpointUrl, postTokenRequest, authenticateClient, readTokens, toRefusal } from './token-request.ts'
import type { TokenGrant, Requester } from './token-request.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const defaults = { intervalSeconds: 5, lifeSeconds: 600 } as const

interface DeviceCode {
  readonly code: string
  readonly intervalMs: number
  /** By the monotonic clock: the wall clock may be set while a person types the code (T49). */
  readonly deadline: number
}

/** Runs the device flow (RFC 8628): the person types a short code into a browser elsewhere while we poll for tokens. */
export async function authorizeByDevice(
  authServer: AuthorizationServer,
  scopes: readonly string[],
  request: LoginRequest,
  requesterOf: (client: Authorization['client']) => Requester,
): Promise<{ readonly client: Authorization['client']; readonly granted: TokenGrant }> {
  if (authServer.deviceEndpoint === undefined) {
    throw new AuthError('unusable', 'The issuer does not offer a device login: log in with --paste.')
  }
  const grants = [deviceGrant, 'refresh_token']
  const client = await obtainClient(
    authServer,
    request.declared,
    { redirectUri: undefined, grants, scopes },
    request.send,
  )
  const requester = requesterOf(client)
  const device = await requestDeviceCode(authServer.deviceEndpoint, scopes, requester, request)
  return { client, granted: await pollForTokens(device, scopes, requester, request) }
}

async function requestDeviceCode(
  endpoint: string,
  scopes: readonly string[],
  requester: Requester,
  { send, guard, platform, tell }: LoginRequest,
): Promise<DeviceCode> {
  const { headers, fields } = authenticateClient(requester, platform.clock.now())
  const { resource } = requester
  const body = new URLSearchParams({
    client_id: requester.client.id,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resource !== undefined && { resource }),
    ...fields,
  })
  const response = await send({
    what: 'the device endpoint',
    method: 'POST',
    url: endpointUrl(endpoint),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: body.toString(),
  })
  if (response.status >= 300) throw toRefusal(response)
  const found = parseJsonObject(response)
  const {
    device_code: code,
    user_code: shown,
    verification_uri: page,
    verification_uri_complete: complete,
  } = found ?? {}
  const isUsable = typeof code === 'string' && typeof page === 'string' && typeof shown === 'string'
  if (!isUsable || !/^[\x21-\x7e]{1,40}$/.test(shown)) {
    throw new AuthError('unusable', 'The device endpoint returned no usable code.')
  }
  const url = endpointUrl(page)
  guard.check(url)
  const completeUrl = typeof complete === 'string' ? endpointUrl(complete) : undefined
  if (completeUrl) guard.check(completeUrl)
  const lifeMs = readSeconds(found?.['expires_in'], defaults.lifeSeconds) * 1000
  tell?.({
    type: 'device',
    url: url.href,
    code: shown,
    ...(completeUrl && { completeUrl: completeUrl.href }),
    expiresAt: platform.clock.now() + lifeMs,
  })
  return {
    code,
    deadline: platform.clock.monotonic() + lifeMs,
    intervalMs: readSeconds(found?.['interval'], defaults.intervalSeconds) * 1000,
  }
}

async function pollForTokens(
  device: DeviceCode,
  scopes: readonly string[],
  requester: Requester,
  { send, platform, signal, tell }: LoginRequest,
): Promise<TokenGrant> {
  const { clock } = platform
  const now = () => clock.now()
  let { intervalMs } = device
  for (;;) {
    await unlessAborted(clock.sleep(intervalMs, signal), signal)
    if (clock.monotonic() >= device.deadline) throw new AuthError('timeout', 'The code was not used in time.')
    const params = { grant_type: deviceGrant, device_code: device.code }
    const response = await postTokenRequest(params, requester, { send, now }).catch(ignoreTransientError)
    const error = response && parseJsonObject(response)?.['error']
    if (!response || response.status >= 500 || error === 'slow_down') intervalMs += 5000
    else if (error !== 'authorization_pending') {
      tell?.({ type: 'exchanging' })
      return readTokens(response, { now, asked: scopes })
    }
  }
}

/** Keeps polling after a network error, so that the person need not start over (RFC 8628 3.5). */
function ignoreTransientError(error: unknown): undefined {
  if (error instanceof AuthError && (error.reason === 'unreachable' || error.reason === 'timeout')) return
  throw error
}

function readSeconds(value: unknown, fallback: number): number {
  return typeof value === 'number' && value > 0 && value < 86_400 ? Math.max(1, value) : fallback
}
