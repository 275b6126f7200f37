import { readResponse } from './callback.ts'
import { AuthError } from './auth-error.ts'
import { beginAuthorization, codeParams } from './code-flow.ts'
import type { BegunAuthorization } from './code-flow.ts'
import type { Credential } from './credential.ts'
import { isSameIssuer } from './discovery.ts'
import { prepareLogin } from './log-in.ts'
import type { LoginRequest } from './login-options.ts'
import { withScopes } from './obtain-tokens.ts'
import { requestTokens } from './token-request.ts'

/** A login that another process may finish. It holds secrets, so it has to be sealed where it is kept. */
export interface BegunLogin extends Omit<BegunAuthorization, 'url'> {
  /** The page of the issuer where the person logs in. */
  readonly url: string
}

/** The first half of a login whose response comes to an address of ours, in this process or in another one. */
export async function beginCallerLogin(request: LoginRequest, redirectUri: string): Promise<BegunLogin> {
  const { authServer, scopes } = await prepareLogin(request)
  const { url, ...begun } = await beginAuthorization(authServer, scopes, request, redirectUri)
  return { ...begun, url: url.href }
}

/** The second half: checks the response, obtains the tokens and stores them. */
export async function finishCallerLogin(
  request: LoginRequest,
  begun: Omit<BegunLogin, 'url'>,
  params: URLSearchParams,
): Promise<Credential> {
  const response = readResponse(params, begun.expected)
  if (!response) throw new AuthError('unusable', 'The response does not belong to this login.')
  const { authServer, scopes, requesterOf, keep } = await prepareLogin(request)
  // T28: the server may name another issuer by now, which must not get the code.
  if (!isSameIssuer(authServer.issuer, begun.expected.issuer))
    throw new AuthError('issuer', 'The server asks for a login at another issuer than before.')
  const { client } = begun
  const { send, platform } = request
  const context = { send, now: () => platform.clock.now() }
  const granted = await requestTokens(codeParams(response.code, begun), requesterOf(client), context)
  return keep(client, withScopes(granted, scopes))
}
