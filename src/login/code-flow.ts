import { createHash } from 'node:crypto'
import { raceAbort } from '../model/abort.ts'
import { isLoopbackHost } from '../platform/ip-address.ts'
import { reasonOf } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import { listenForReturn, randomText, readReturn } from './callback.ts'
import type { Callback, Expected, Returned } from './callback.ts'
import type { Client } from './credential.ts'
import type { Authority } from './discovery.ts'
import type { LoginRequest } from './login-options.ts'
import { becomeClient, isKnownBefore } from './registration.ts'
import { endpointUrl } from './token-request.ts'

/** What a person's yes came to: a code, and who may turn it into tokens. */
export interface Agreed {
  readonly client: Client
  readonly params: Readonly<Record<string, string>>
}

/** Where nothing listens: a page that does not open, whose address holds the answer. */
const pastePort = 53_682

/** The authorization code with PKCE, through a browser that comes back to us or whose last address is pasted. */
export async function agreeByCode(
  authority: Authority,
  scopes: readonly string[],
  request: LoginRequest,
): Promise<Agreed> {
  const endpoint = endpointOf(authority, request)
  const { flow = 'browser' } = request
  const callback = flow === 'browser' ? await listen(authority, request) : undefined
  try {
    const redirectUri = callback?.redirectUri ?? pasteAddress(request)
    const grants = ['authorization_code', 'refresh_token']
    const client = await becomeClient(
      authority,
      request.declared,
      { redirectUri, grants, scopes },
      request.ask,
    )
    const verifier = randomText()
    const expected = { state: randomText(), issuer: authority.issuer, sendsIssuer: authority.sendsIssuer }
    const url = addressOf(endpoint, { client, scopes, redirectUri, verifier, expected, authority })
    callback?.expect(expected)
    const { code } = callback
      ? await showAndWait(url, callback, request)
      : await paste(url, expected, request)
    request.tell?.({ type: 'exchanging' })
    return {
      client,
      params: { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri },
    }
  } finally {
    await callback?.[Symbol.asyncDispose]()
  }
}

/** T27: a page of the web, or nothing. */
function endpointOf({ authorizationEndpoint, hasPkce }: Authority, { guard }: LoginRequest): URL {
  if (authorizationEndpoint === undefined) {
    throw new AuthError('unusable', 'The issuer has no page to log in at.')
  }
  if (!hasPkce)
    throw new AuthError(
      'unusable',
      'The issuer does not support PKCE with S256, so that a code could be stolen.',
    )
  const url = endpointUrl(authorizationEndpoint)
  guard.check(url)
  return url
}

interface Parts {
  readonly client: Client
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly verifier: string
  readonly expected: Expected
  readonly authority: Authority
}

function addressOf(
  endpoint: URL,
  { client, scopes, redirectUri, verifier, expected, authority }: Parts,
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
    ...(authority.resource !== undefined && { resource: authority.resource }),
    // Issuers give tokens for later only to who was asked for it.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url
}

async function listen(authority: Authority, request: LoginRequest): Promise<Callback> {
  const { declared, port, platform } = request
  const given = declared.redirectUri === undefined ? undefined : endpointUrl(declared.redirectUri)
  if (given && !isLoopbackHost(given.hostname)) {
    throw new AuthError(
      'unusable',
      'The redirectUri of its entry is not on this machine: log in with --paste.',
    )
  }
  // A client that was known before is known with its path; for one that is made now, nobody can guess it (T30).
  const path =
    given?.pathname ?? (isKnownBefore(authority, declared) ? '/callback' : `/callback/${randomText(16)}`)
  return listenForReturn({
    port: port ?? (Number(given?.port ?? '') || declared.callbackPort || 0),
    host: given?.hostname ?? '127.0.0.1',
    path,
    listen: platform.listen,
  })
}

function pasteAddress({ declared, port }: LoginRequest): string {
  return declared.redirectUri ?? `http://127.0.0.1:${port ?? declared.callbackPort ?? pastePort}/callback`
}

async function showAndWait(url: URL, callback: Callback, request: LoginRequest): Promise<Returned> {
  const { tell, signal } = request
  const isOpen = await show(url, request)
  tell?.({ type: 'browser', url: url.href, isOpen })
  return untilOver(callback.returned, signal)
}

/** One who cannot be shown a page can still open it. */
async function show(url: URL, { open, platform }: LoginRequest): Promise<boolean> {
  try {
    return (await (open ? open(url.href) : platform.browser(url))) !== false
  } catch {
    return false
  }
}

const pasteQuestion = 'Paste the whole address that your browser ended at'
const foreign =
  'That address does not belong to this login. It begins with the one it was sent to and holds a code and a state.'
/** Who copied the wrong line does not have to log in again. */
const pasteTries = 3

async function paste(
  url: URL,
  expected: Expected,
  { paste: ask, tell, signal }: LoginRequest,
): Promise<Returned> {
  if (!ask) throw new AuthError('unusable', 'Nobody is there to paste an address.')
  tell?.({ type: 'paste', url: url.href })
  for (let tries = 1; ; tries++) {
    const question = tries === 1 ? pasteQuestion : `${foreign} ${pasteQuestion}`
    const text = (await untilOver(ask(question, signal), signal)).trim()
    const query = text.includes('?') ? text.slice(text.indexOf('?') + 1).replace(/#.*$/, '') : text
    const returned = readReturn(new URLSearchParams(query), expected)
    if (returned) return returned
    if (tries === pasteTries || text === '') throw new AuthError('unusable', foreign)
  }
}

/** Gives up with the login. */
export function untilOver<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return raceAbort(work, signal, () => reasonOf(signal))
}
