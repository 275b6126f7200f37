import { isHostError } from '../../index.ts'
import type { Host, JsonObject } from '../../index.ts'
import { isObject } from '../../internal.ts'
import type { ServedRequest } from './served-request.ts'

/** Starts the login to a server; `open` gets the address of its page. */
export type LogIn = (
  server: string,
  options: { readonly open: (url: string) => Promise<boolean>; readonly signal: AbortSignal },
) => Promise<unknown>

interface PendingLogin {
  /** The page where the person logs in. */
  readonly url: Promise<string>
  /** Settles when the login has ended, however it did. */
  readonly ended: Promise<void>
}

const questionKey = 'plugboard_login'
/** How long a request waits for the person at the page. */
const waitMs = 2 * 60_000

/**
 * Logins that servers need, for clients on this machine that show addresses to a person: the gateway starts the login, and the
 * client gets the address of its page. The page comes back to this machine, and the login is that of all clients; so
 * callers with keys or tokens do not get one.
 */
export class ServerLogins {
  readonly #pending = new Map<string, PendingLogin>()
  readonly #closing = new AbortController()
  readonly #host: Pick<Host, 'connect'>
  readonly #logIn: LogIn

  constructor(host: Pick<Host, 'connect'>, logIn: LogIn) {
    this.#host = host
    this.#logIn = logIn
  }

  /** The request without an answer for us, once the login that it is about has ended. */
  async begin(request: ServedRequest): Promise<ServedRequest> {
    const { inputResponses, ...params } = request.params
    if (!isObject(inputResponses) || inputResponses[questionKey] === undefined) return request
    const { [questionKey]: answer, ...others } = inputResponses
    const own = Object.keys(others).length === 0 ? params : { ...params, inputResponses: others }
    if (isObject(answer) && answer['action'] === 'accept')
      await Promise.all([...this.#pending.values()].map((login) => untilEnded(login, request.signal)))
    else return { ...request, params: own, refusesLogin: true }
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
    const login = this.#start(server)
    const url = await Promise.race([login.url, login.ended])
    if (url === undefined) return undefined
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
    const asked = { ...params, elicitationId: `plugboard-login-${server}` }
    const answer = await request.client.ask?.('elicitation/create', asked, { signal, during: request })
    if (!isObject(answer) || answer['action'] !== 'accept') return undefined
    await untilEnded(login, signal)
    return 'again'
  }

  close(): void {
    this.#closing.abort()
  }

  /** One login at a time to a server, for all that need it. */
  #start(server: string): PendingLogin {
    const known = this.#pending.get(server)
    if (known) return known
    let onUrl: (url: string) => void = () => undefined
    const url = new Promise<string>((resolve) => (onUrl = resolve))
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
    const login = { url, ended }
    this.#pending.set(server, login)
    return login
  }
}

function untilEnded({ ended }: PendingLogin, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    if (over.aborted) return resolve()
    over.addEventListener('abort', () => resolve(), { once: true })
    void ended.then(resolve)
  })
}

/** Whether a person on this machine can be shown an address. */
function canOpen({ caller, client }: ServedRequest): boolean {
  const { elicitation } = client.capabilities
  const isHere = caller === undefined || caller.kind === 'owner'
  const hasWay = client.era === 'modern' || client.ask !== undefined
  return isHere && hasWay && isObject(elicitation) && elicitation['url'] !== undefined
}
