import { createHash } from 'node:crypto'
import { raceAbort } from '../model/abort.ts'
import { isLoopbackHost } from '../platform/ip-address.ts'
import { abortReason } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import { listenForCallback, randomText, readResponse } from './callback.ts'
import type { Callback, ExpectedResponse, AuthorizationResponse } from './callback.ts'
import type { Client } from './credential.ts'
import type { AuthorizationServer } from './discovery.ts'
import type { LoginRequest } from './login-options.ts'
import { obtainClient, isPreregistered } from './registration.ts'
import { endpointUrl } from './token-request.ts'

/** The result of the authorization request: the client and the parameters that it exchanges for tokens. */
export interface Authorization {
  readonly client: Client
  readonly params: Readonly<Record<string, string>>
}

/** Port of the redirect address in the paste flow. Nothing listens there: the person copies the address instead. */
const pastePort = 53_682

/**
 * Runs the authorization code flow with PKCE. The browser is redirected to us, or the person pastes its last address.
 */
export async function authorizeByCode(
  authServer: AuthorizationServer,
  scopes: readonly string[],
  request: LoginRequest,
): Promise<Authorization> {
  // Before a port is opened.
  checkedEndpoint(authServer, request)
  const { flow = 'browser' } = request
  const callback = flow === 'browser' ? await openCallback(authServer, request) : undefined
  try {
    const redirectUri = callback?.redirectUri ?? pasteAddress(request)
    const begun = await beginAuthorization(authServer, scopes, request, redirectUri)
    const { url, expected } = begun
    callback?.expect(expected)
    const { code } = callback
      ? await showAndWait(url, callback, request)
      : await readPastedAddress(url, expected, request)
    request.tell?.({ type: 'exchanging' })
    return { client: begun.client, params: codeParams(code, begun) }
  } finally {
    await callback?.[Symbol.asyncDispose]()
  }
}

/** An authorization request, and what is needed when its response comes. */
export interface BegunAuthorization {
  /** The page where the person logs in. */
  readonly url: URL
  readonly client: Client
  readonly verifier: string
  readonly expected: ExpectedResponse
  readonly redirectUri: string
}

/** Registers a client if needed, and makes the address of the login page. */
export async function beginAuthorization(
  authServer: AuthorizationServer,
  scopes: readonly string[],
  request: Pick<LoginRequest, 'declared' | 'send' | 'guard'>,
  redirectUri: string,
): Promise<BegunAuthorization> {
  const endpoint = checkedEndpoint(authServer, request)
  const grants = ['authorization_code', 'refresh_token']
  const client = await obtainClient(
    authServer,
    request.declared,
    { redirectUri, grants, scopes },
    request.send,
  )
  const verifier = randomText()
  const expected = { state: randomText(), issuer: authServer.issuer, sendsIssuer: authServer.sendsIssuer }
  const url = authorizationUrl(endpoint, { client, scopes, redirectUri, verifier, expected, authServer })
  return { url, client, verifier, expected, redirectUri }
}

/** What a code is exchanged for tokens with. */
export function codeParams(
  code: string,
  { verifier, redirectUri }: Pick<BegunAuthorization, 'verifier' | 'redirectUri'>,
): Authorization['params'] {
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
}

/** T27: only an address that the guard accepts is opened in a browser. */
function checkedEndpoint(
  { authorizationEndpoint, hasPkce }: AuthorizationServer,
  { guard }: Pick<LoginRequest, 'guard'>,
): URL {
  if (authorizationEndpoint === undefined) {
    throw new AuthError('unusable', 'The issuer has no login page.')
  }
  if (!hasPkce)
    throw new AuthError('unusable', 'The issuer does not support PKCE with S256, so a code could be stolen.')
  const url = endpointUrl(authorizationEndpoint)
  guard.check(url)
  return url
}

interface AuthorizationUrlParts {
  readonly client: Client
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly verifier: string
  readonly expected: ExpectedResponse
  readonly authServer: AuthorizationServer
}

function authorizationUrl(
  endpoint: URL,
  { client, scopes, redirectUri, verifier, expected, authServer }: AuthorizationUrlParts,
): URL {
  const url = new URL(endpoint)
  const params = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state: expected.state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(authServer.resource !== undefined && { resource: authServer.resource }),
    // Some issuers return a refresh token only after the person was asked for consent.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url
}

async function openCallback(authServer: AuthorizationServer, request: LoginRequest): Promise<Callback> {
  const { declared, port, platform } = request
  const declaredUrl = declared.redirectUri === undefined ? undefined : endpointUrl(declared.redirectUri)
  if (declaredUrl && !isLoopbackHost(declaredUrl.hostname)) {
    throw new AuthError(
      'unusable',
      'The redirectUri of its entry is not on this machine: log in with --paste.',
    )
  }
  // A preregistered client has a fixed path; for a client that registers now the path is random, so it cannot be
  // guessed (T30).
  const path =
    declaredUrl?.pathname ??
    (isPreregistered(authServer, declared) ? '/callback' : `/callback/${randomText(16)}`)
  return listenForCallback({
    port: port ?? (Number(declaredUrl?.port ?? '') || declared.callbackPort || 0),
    host: declaredUrl?.hostname ?? '127.0.0.1',
    path,
    listen: platform.listen,
  })
}

function pasteAddress({ declared, port }: LoginRequest): string {
  return declared.redirectUri ?? `http://127.0.0.1:${port ?? declared.callbackPort ?? pastePort}/callback`
}

async function showAndWait(
  url: URL,
  callback: Callback,
  request: LoginRequest,
): Promise<AuthorizationResponse> {
  const { tell, signal } = request
  const isOpen = await openPage(url, request)
  tell?.({ type: 'browser', url: url.href, isOpen })
  return unlessAborted(callback.response, signal)
}

/** A failure is not an error: the person can open the page by hand. */
async function openPage(url: URL, { open, platform }: LoginRequest): Promise<boolean> {
  try {
    return (await (open ? open(url.href) : platform.browser(url))) !== false
  } catch {
    return false
  }
}

const pasteQuestion = 'Paste the whole address that your browser ended up at'
const wrongAddress = 'That address does not belong to this login. The right one contains a code and a state.'
/** A wrong address can be corrected without starting the login over. */
const pasteTries = 3

async function readPastedAddress(
  url: URL,
  expected: ExpectedResponse,
  { paste: ask, tell, signal }: LoginRequest,
): Promise<AuthorizationResponse> {
  if (!ask) throw new AuthError('unusable', 'There is no prompt to paste an address into.')
  tell?.({ type: 'paste', url: url.href })
  for (let tries = 1; ; tries++) {
    const question = tries === 1 ? pasteQuestion : `${wrongAddress} ${pasteQuestion}`
    const text = (await unlessAborted(ask(question, signal), signal)).trim()
    const query = text.includes('?') ? text.slice(text.indexOf('?') + 1).replace(/#.*$/, '') : text
    const response = readResponse(new URLSearchParams(query), expected)
    if (response) return response
    if (tries === pasteTries || text === '') throw new AuthError('unusable', wrongAddress)
  }
}

/** Rejects as soon as the login is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return raceAbort(work, signal, () => abortReason(signal))
}
