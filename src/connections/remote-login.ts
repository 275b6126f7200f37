import { AuthError } from '../login/auth-error.ts'
import { createTokenHeaders, hasAuthorization, canUseLogin } from '../login/token-headers.ts'
import type { TokenHeaders } from '../login/token-headers.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { HttpHeaders, HttpOptions } from '../platform/platform.ts'
import type { OpenChannel } from '../wire/channel.ts'
import type { HeaderUse } from '../wire/http/endpoint.ts'
import { WireError } from '../wire/wire-error.ts'
import type { LinkContext } from './link.ts'
import { createEntryHeaders } from './remote-headers.ts'
import type { EntryHeaders } from './remote-headers.ts'

type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

const entryRefused = 'The server refused the credentials in its entry (HTTP 401).'
const loginRuledOut = 'The server requires a login (HTTP 401), which its entry rules out.'

export interface LoginHeaders extends EntryHeaders {
  /** Adds to the errors of a channel what a login could do about them. */
  wrapChannel(open: OpenChannel): OpenChannel
}

/** The headers of an entry plus those of its login, and the meaning of a refusal as a connection error. */
export async function createLoginHeaders(
  transport: Remote,
  url: URL,
  context: LinkContext,
  tls?: HttpOptions['tls'],
): Promise<LoginHeaders> {
  const { entry, isUsed } = watchEntry(createEntryHeaders(transport, context))
  const { on, server, resolveAgain } = context
  const mayUseLogin = canUseLogin(transport)
  const logins = mayUseLogin ? await context.logins?.() : undefined
  if (!logins) {
    const why = () => (isUsed() ? entryRefused : mayUseLogin ? undefined : loginRuledOut)
    return { ...entry, wrapChannel: (open) => mapFailures(open, (error) => asEntryRefusal(error, why())) }
  }
  const tokens = createTokenHeaders(entry.source, logins, {
    url,
    auth: transport.auth,
    caller: context.caller,
    resolveAuth: resolveAgain && (async () => (await resolveAgain()).auth),
    tls,
    warn: (message) => on.warned(message),
    onAccountChange: () => on.loggedIn?.('other'),
    waiter: on.loggedIn && { owner: `${server.id} ${context.own ?? ''}`, onLogin: on.loggedIn },
  })
  return {
    source: (why, refused = {}, use = { method: 'POST', url }) =>
      why === 'unauthorized' ? renewHeaders(tokens, refused, use) : tokens.headers(use),
    wrapChannel: (open) =>
      mapFailures(open, (error) => {
        const why = isUsed() && !tokens.isNamed ? entryRefused : undefined
        return withMissingScopes(asEntryRefusal(error, why), tokens)
      }),
    async close() {
      tokens.close()
      await entry.close()
    },
  }
}

async function renewHeaders(
  tokens: TokenHeaders,
  refused: HttpHeaders,
  use: HeaderUse,
): Promise<HttpHeaders> {
  const headers = await tokens.renewHeaders(refused, use).catch((error: unknown) => {
    throw toWireError(error, use)
  })
  if (!headers) throw refusal(use, { isOfEntry: true })
  return headers
}

/** A login that cannot be renewed now is not a missing login. */
function toWireError(error: unknown, use: HeaderUse): unknown {
  if (!(error instanceof AuthError)) return error
  if (error.needsPerson) return refusal(use, {}, error)
  const code = error.reason === 'cancelled' ? 'cancelled' : 'upstream'
  return new WireError(code, `The login could not be renewed: ${error.message}`, { cause: error })
}

function refusal(
  { answer }: HeaderUse,
  facts: { readonly isOfEntry?: boolean },
  cause?: AuthError,
): WireError {
  const challenge = answer?.['www-authenticate']
  const why = cause ? ` ${cause.message}` : ''
  return new WireError('auth', facts.isOfEntry ? entryRefused : `The login has expired.${why}`, {
    facts: { status: 401, ...(challenge !== undefined && { challenge }), ...facts },
    ...(cause && { cause }),
  })
}

/** Tracks whether the entry's own headers contain credentials. */
function watchEntry(headers: EntryHeaders): { readonly entry: EntryHeaders; readonly isUsed: () => boolean } {
  let isUsed = false
  const checkCredentials = (given: HttpHeaders) => {
    isUsed = hasAuthorization(given)
    return given
  }
  const source: EntryHeaders['source'] = (why, refused, use) => {
    const given = headers.source(why, refused, use)
    return given instanceof Promise ? given.then(checkCredentials) : checkCredentials(given)
  }
  return { entry: { ...headers, source }, isUsed: () => isUsed }
}

function mapFailures(open: OpenChannel, convert: (error: WireError) => WireError): OpenChannel {
  return (receiver) =>
    open({
      message: (value, status, of) => receiver.message(value, status, of),
      readText: (text) => receiver.readText?.(text),
      dropped: (what, sample) => receiver.dropped(what, sample),
      closed: (error) => receiver.closed(error),
      failed: (id, error) => receiver.failed(id, convert(error)),
    })
}

/** Marks refusals that no login can fix: the entry has its own credentials or rules out a login. */
function asEntryRefusal(error: WireError, why: string | undefined): WireError {
  const { code, sent, facts } = error
  if (code !== 'auth' || facts.status !== 401 || facts.isOfEntry || why === undefined) return error
  return new WireError(code, why, { sent, facts: { ...facts, isOfEntry: true }, cause: error })
}

/** FI-42: adds the scopes that the token lacks. */
function withMissingScopes(error: WireError, tokens: TokenHeaders): WireError {
  if (error.code !== 'forbidden') return error
  const lacking = tokens.missingScopes(error.facts.challenge)
  if (!lacking) return error
  const { code, message, sent, facts } = error
  return new WireError(code, message, { sent, facts: { ...facts, lacking }, cause: error })
}
