import { randomBytes } from 'node:crypto'
import { HostError, isHostError } from '../../index.ts'
import type { Host, JsonObject } from '../../index.ts'
import { isObject } from '../../internal.ts'
import type { CallerLogins } from './callers/caller-logins.ts'
import type { ServedRequest } from './served-request.ts'

/** Starts the login to a server; `open` gets the address of its page. */
export type LogIn = (
  server: string,
  options: { readonly open: (url: string) => Promise<boolean>; readonly signal: AbortSignal },
) => Promise<unknown>

interface PendingLogin {
  /** The page where the person logs in; `undefined` if there is none. */
  readonly url: Promise<string | undefined>
  /** Resolves when the login has ended, however it did, or when the signal aborts. */
  ended(signal: AbortSignal): Promise<void>
}

const questionKey = 'plugboard_login'
/** How long a request waits for the person at the page. */
const waitMs = 2 * 60_000

/**
 * Logins that servers need, for clients that show addresses to a person. Where callers log in with accounts of their own, the
 * address is a page of the gateway. Elsewhere the login is that of all clients: the gateway starts it, its page comes back to
 * this machine, and callers with keys or tokens do not get it.
 */
export class ServerLogins {
  readonly #pending = new Map<string, PendingLogin>()
  readonly #closing = new AbortController()
  readonly #host: Pick<Host, 'connect'>
  readonly #logIn: LogIn
  readonly #callers: CallerLogins

  constructor(host: Pick<Host, 'connect'>, logIn: LogIn, callers: CallerLogins) {
    this.#host = host
    this.#logIn = logIn
    this.#callers = callers
  }

  /** The request without an answer for us, once the login that it is about has ended. */
  begin(
    request: ServedRequest,
    server: string,
    hasOwnLogin: boolean,
  ): ServedRequest | Promise<ServedRequest> {
    const { inputResponses } = request.params
    const isForUs = isObject(inputResponses) && inputResponses[questionKey] !== undefined
    return isForUs ? this.#take(request, inputResponses, server, hasOwnLogin) : request
  }

  async #take(
    request: ServedRequest,
    inputResponses: JsonObject,
    server: string,
    hasOwnLogin: boolean,
  ): Promise<ServedRequest> {
    const { inputResponses: _taken, ...params } = request.params
    const { [questionKey]: answer, ...others } = inputResponses
    const own = Object.keys(others).length === 0 ? params : { ...params, inputResponses: others }
    if (!isObject(answer) || answer['action'] !== 'accept')
      return { ...request, params: own, refusesLogin: true }
    const { caller, signal } = request
    const over = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    if (hasOwnLogin && caller) await this.#callers.until(server, caller, over)
    else await this.#pending.get(server)?.ended(over)
    return { ...request, params: own }
  }

  /**
   * What a client gets in place of an error because of a missing login: a result that asks it to open the page, or `again`
   * after it did so in the middle of the request. `undefined` if it cannot be asked.
   */
  async offer(error: unknown, request: ServedRequest): Promise<JsonObject | 'again' | undefined> {
    if (!isHostError(error, 'server.needs-auth') || !canOpen(request) || request.refusesLogin)
      return undefined
    const { server } = error.data
    const login = this.#loginFor(error.data, request)
    const url = await login?.url
    if (!login || url === undefined) return undefined
    const params = { mode: 'url', message: `Plugboard asks: log in to "${server}".`, url }
    if (request.client.era === 'modern') {
      const { requestState } = request.params
      return {
        resultType: 'input_required',
        inputRequests: { [questionKey]: { method: 'elicitation/create', params } },
        ...(requestState !== undefined && { requestState }),
      }
    }
    const { signal } = request
    const elicitationId = `plugboard-login-${randomBytes(9).toString('base64url')}`
    const asked = { ...params, elicitationId }
    const answer = await request.client.ask?.('elicitation/create', asked, { signal, during: request })
    if (!isObject(answer) || answer['action'] !== 'accept') return undefined
    await login.ended(AbortSignal.any([signal, AbortSignal.timeout(waitMs)]))
    return 'again'
  }

  /** The error for a client that was not asked: a caller that logs in by itself is told where. */
  async explain(error: unknown, { connection, caller }: ServedRequest): Promise<unknown> {
    if (!isHostError(error, 'server.needs-auth') || connection?.caller === undefined || !caller) return error
    const { data, message } = error
    const { server, failure } = data
    const url = await this.#callers.link(server, caller, failure.lacking)
    if (url === undefined) return error
    return new HostError('server.needs-auth', data, message, {
      hint: `Log in with your own account, then call again. Open in a browser, within 10 minutes: ${url}`,
    })
  }

  #loginFor(
    { server, failure }: HostError<'server.needs-auth'>['data'],
    { connection, caller }: ServedRequest,
  ): PendingLogin | undefined {
    if (connection?.caller !== undefined && caller)
      return {
        url: this.#callers.link(server, caller, failure.lacking),
        ended: (signal) => this.#callers.until(server, caller, signal),
      }
    const isHere = caller === undefined || caller.kind === 'owner'
    return isHere ? this.#start(server) : undefined
  }

  close(): void {
    this.#closing.abort()
  }

  /** One login at a time to a server, for all that need it. */
  #start(server: string): PendingLogin {
    const known = this.#pending.get(server)
    if (known) return known
    let onUrl: (url: string) => void = () => undefined
    const shown = new Promise<string>((resolve) => (onUrl = resolve))
    const open = async (address: string) => {
      onUrl(address)
      return false
    }
    const ended = this.#logIn(server, { open, signal: this.#closing.signal })
      .then(() => this.#host.connect(server))
      .then(
        () => undefined,
        // It was given up, or failed: the next request gets the error, or another address.
        () => undefined,
      )
      .finally(() => this.#pending.delete(server))
    const login: PendingLogin = {
      url: Promise.race([shown, ended]).then((address) => address ?? undefined),
      ended: (signal) => untilEnded(ended, signal),
    }
    this.#pending.set(server, login)
    return login
  }
}

function untilEnded(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    void ended.then(resolve)
  })
}

/** Whether the client shows addresses to a person. */
function canOpen({ client }: ServedRequest): boolean {
  const { elicitation } = client.capabilities
  const hasWay = client.era === 'modern' || client.ask !== undefined
  return hasWay && isObject(elicitation) && elicitation['url'] !== undefined
}
