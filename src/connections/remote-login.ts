import { AuthError } from '../login/auth-error.ts'
import { createTokenHeaders, hasAuthorization, canUseLogin } from '../login/token-headers.ts'
import type { TokenHeaders } from '../login/token-headers.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { HttpHeaders, HttpOptions } from '../platform/platform.ts'
import type { OpenChannel } from '../wire/channel.ts'
import type { HeaderUse } from '../wire/http/endpoint.ts'
import { WireError } from '../wire/wire-error.ts'
import type { LinkContext } from './link.ts'
import { createHeaders } from './remote-headers.ts'
import type { Headers } from './remote-headers.ts'

type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

const entryRefused = 'The credentials of its entry were refused (HTTP 401).'
const ruledOut = 'The server asks for a login (HTTP 401), which its entry rules out.'

export interface LoggedIn extends Headers {
  /** Tells of a refusal what a login could do about it. */
  over(open: OpenChannel): OpenChannel
}

/** The headers of an entry with those of its login, and what their refusal means as an error of the connection. */
export async function createLoggedIn(
  transport: Remote,
  url: URL,
  context: LinkContext,
  tls?: HttpOptions['tls'],
): Promise<LoggedIn> {
  const { entry, isUsed } = watchEntry(createHeaders(transport, context))
  const { on, server } = context
  const isPlace = canUseLogin(transport)
  const logins = isPlace ? await context.logins?.() : undefined
  if (!logins) {
    const why = () => (isUsed() ? entryRefused : isPlace ? undefined : ruledOut)
    return { ...entry, over: (open) => tellRefusals(open, (error) => ofEntry(error, why())) }
  }
  const tokens = createTokenHeaders(entry.source, logins, {
    url,
    auth: transport.auth,
    tls,
    warn: (message) => on.warned(message),
    onAccountChange: () => on.loggedIn?.('other'),
    waiter: on.loggedIn && { owner: server.id, onLogin: on.loggedIn },
  })
  return {
    source: (why, refused = {}, about = { method: 'POST', url }) =>
      why === 'unauthorized' ? renewed(tokens, refused, about) : tokens.headers(about),
    over: (open) =>
      tellRefusals(open, (error) => {
        const why = isUsed() && !tokens.isNamed ? entryRefused : undefined
        return withLacking(ofEntry(error, why), tokens)
      }),
    async close() {
      tokens.close()
      await entry.close()
    },
  }
}

async function renewed(tokens: TokenHeaders, refused: HttpHeaders, about: HeaderUse): Promise<HttpHeaders> {
  const headers = await tokens.renewHeaders(refused, about).catch((error: unknown) => {
    throw toWireError(error, about)
  })
  if (!headers) throw refusal(about, { isOfEntry: true })
  return headers
}

/** A login that cannot be renewed for now is not a login that is missing. */
function toWireError(error: unknown, about: HeaderUse): unknown {
  if (!(error instanceof AuthError)) return error
  if (error.needsPerson) return refusal(about, {}, error)
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
  return new WireError('auth', facts.isOfEntry ? entryRefused : `The login has run out.${why}`, {
    facts: { status: 401, ...(challenge !== undefined && { challenge }), ...facts },
    ...(cause && { cause }),
  })
}

/** Whether the headers that an entry itself gives log in. */
function watchEntry(headers: Headers): { readonly entry: Headers; readonly isUsed: () => boolean } {
  let isUsed = false
  const see = (given: HttpHeaders) => {
    isUsed = hasAuthorization(given)
    return given
  }
  const source: Headers['source'] = (why, refused, about) => {
    const given = headers.source(why, refused, about)
    return given instanceof Promise ? given.then(see) : see(given)
  }
  return { entry: { ...headers, source }, isUsed: () => isUsed }
}

function tellRefusals(open: OpenChannel, toTold: (error: WireError) => WireError): OpenChannel {
  return (receiver) =>
    open({
      message: (value, status) => receiver.message(value, status),
      dropped: (what, sample) => receiver.dropped(what, sample),
      closed: (error) => receiver.closed(error),
      failed: (id, error) => receiver.failed(id, toTold(error)),
    })
}

/** No login helps where the entry's own credentials count, or nobody is to log in. */
function ofEntry(error: WireError, why: string | undefined): WireError {
  const { code, sent, facts } = error
  if (code !== 'auth' || facts.status !== 401 || facts.isOfEntry || why === undefined) return error
  return new WireError(code, why, { sent, facts: { ...facts, isOfEntry: true }, cause: error })
}

/** FI-42: a token that may not do this, and what one that may would have to be asked for. */
function withLacking(error: WireError, tokens: TokenHeaders): WireError {
  if (error.code !== 'forbidden') return error
  const lacking = tokens.missingScopes(error.facts.challenge)
  if (!lacking) return error
  const { code, message, sent, facts } = error
  return new WireError(code, message, { sent, facts: { ...facts, lacking }, cause: error })
}
