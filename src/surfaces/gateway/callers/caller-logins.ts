import { HostError } from '../../../index.ts'
import type { Server } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { Caller } from '../../../internal.ts'
import type { BegunLogin, CallerAccounts } from '../../../tokens.ts'
import type { Seals } from './seals.ts'

/** What a link to a login is for. */
export interface LoginTicket {
  readonly server: string
  readonly caller: Pick<Caller, 'id' | 'name'>
  /** Rights that the login lacks which the caller has. */
  readonly scopes?: readonly string[]
  readonly until: number
}

interface CallerLoginsParts {
  readonly seals: Seals
  readonly openAccounts: () => Promise<CallerAccounts>
  /** The server in force that has this name. */
  readonly serverOf: (name: string) => Server | undefined
  readonly now: () => number
}

/** How long a link, and the page of the issuer that it leads to, can be used. */
const linkMs = 10 * 60_000

/** Without the mark of an earlier login, a request goes on with any login that there is. */
const maxRemembered = 10_000

const forLink = 'plugboard login of a caller'
const forResponse = 'plugboard response to a login of a caller'

/**
 * Logins of callers with accounts of their own. A link leads to a page of the gateway, which sends the browser to the issuer;
 * the response comes back to the gateway. What is needed in between is sealed in the link and in a cookie, so every process
 * with the same secret can serve each step.
 */
export class CallerLogins {
  readonly #parts: CallerLoginsParts
  #accounts: Promise<CallerAccounts> | undefined
  /** The logins that were not enough, by server and caller. */
  readonly #before = new Map<string, string>()
  /** The address that callers use; absent where there is none. */
  url: string | undefined

  constructor(parts: CallerLoginsParts) {
    this.#parts = parts
  }

  /** The address where a caller logs in to a server; `undefined` if the gateway has no address. */
  async link(server: string, { id, name }: Caller, scopes?: readonly string[]): Promise<string | undefined> {
    const declared = this.#parts.serverOf(server)
    if (this.url === undefined || !declared) return undefined
    const { seals, now } = this.#parts
    const ticket: LoginTicket = {
      server,
      caller: { id, name },
      ...(scopes && { scopes }),
      until: now() + linkMs,
    }
    if (this.#before.size >= maxRemembered) this.#before.clear()
    this.#before.set(`${server} ${id}`, await (await this.#open()).markOf(declared, id))
    return `${this.#base}/${seals.seal(ticket, forLink)}`
  }

  /** Resolves when the caller has logged in since it was given a link here, or when the signal aborts. */
  async until(server: string, { id }: Caller, signal: AbortSignal): Promise<void> {
    const declared = this.#parts.serverOf(server)
    if (!declared) return
    await (await this.#open()).until(declared, id, this.#before.get(`${server} ${id}`) ?? '', signal)
  }

  /** What a link is for; `undefined` if it is none of ours, or too old. */
  readLink(sealed: string): LoginTicket | undefined {
    const value = this.#parts.seals.open(sealed, forLink)
    if (!isObject(value) || !this.#isCurrent(value['until'])) return undefined
    return value as unknown as LoginTicket // sealed by `link`
  }

  /** The page of the issuer, and what the browser has to bring back with the response. */
  async begin(
    ticket: LoginTicket,
  ): Promise<{ readonly url: string; readonly state: string; readonly kept: string }> {
    const { server, caller, scopes } = ticket
    const redirectUri = `${this.#base}/callback`
    const accounts = await this.#open()
    const { url, ...begun } = await accounts.begin(this.#serverOf(server), caller.id, { redirectUri, scopes })
    const kept = this.#parts.seals.seal({ begun, ticket }, forResponse)
    return { url, state: begun.expected.state, kept }
  }

  /** Stores the login; returns what it was for. Throws if the response belongs to no login of this browser. */
  async finish(kept: string, params: URLSearchParams): Promise<LoginTicket> {
    const value = this.#parts.seals.open(kept, forResponse)
    if (!isObject(value) || !isObject(value['begun']) || !isObject(value['ticket'])) throw notOurs()
    const { begun, ticket } = value as unknown as { begun: Omit<BegunLogin, 'url'>; ticket: LoginTicket } // sealed by `begin`
    if (!this.#isCurrent(ticket.until)) throw notOurs()
    await (await this.#open()).finish(this.#serverOf(ticket.server), ticket.caller.id, begun, params)
    return ticket
  }

  async close(): Promise<void> {
    await (await this.#accounts?.catch(() => undefined))?.close()
  }

  get #base(): string {
    return `${(this.url ?? '').replace(/\/+$/, '')}/login`
  }

  #open(): Promise<CallerAccounts> {
    return (this.#accounts ??= this.#parts.openAccounts())
  }

  #serverOf(name: string): Server {
    const server = this.#parts.serverOf(name)
    if (server) return server
    throw new HostError(
      'server.unknown',
      { server: name, near: [] },
      `There is no server "${name}" any more.`,
    )
  }

  #isCurrent(until: unknown): boolean {
    return typeof until === 'number' && this.#parts.now() < until
  }
}

function notOurs(): HostError {
  return new HostError('usage', {}, 'This address belongs to no login that was begun in this browser.')
}
