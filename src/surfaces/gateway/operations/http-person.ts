import { HostError } from '../../../index.ts'
import type { DiscoverOptions } from '../../../index.ts'
import { redactText } from '../../../internal.ts'
import { DeskPerson } from '../desk/desk-person.ts'
import type { Gateway } from '../gateway.ts'
import type { GatewayPerson } from '../gateway-person.ts'
import type { ServedRequest } from '../served-request.ts'
import type { HttpClients } from './http-clients.ts'

/** How long a call of a client that cannot be asked waits. */
const waitMs = 10 * 60_000
/** More calls of one caller, or of all, do not wait: one caller must not bury the questions of others. */
const maxOfCaller = 5
const maxOfAll = 50

/**
 * The person who runs a gateway over HTTP. They approve calls of all callers while they watch it, because the rules that ask
 * are theirs. What servers ask is theirs to answer only for their own clients: other callers are other people.
 */
export class HttpPerson implements GatewayPerson {
  /** Keeps the questions where `plugboard answer` and the page find them. */
  readonly #desk: DeskPerson
  readonly #clients: HttpClients
  #gateway: Gateway | undefined
  readonly #waiting = new Map<string, number>()
  readonly #closing = new AbortController()

  constructor(discover: DiscoverOptions, clients: HttpClients) {
    this.#clients = clients
    this.#desk = new DeskPerson({
      discover,
      nameOf: (id) => clients.nameOf(id),
      placeOf: (server) => this.#placeOf(server),
      redact: (text) => this.#gateway?.host.redact(text) ?? redactText(text),
    })
  }

  /** The gateway is open. */
  use(gateway: Gateway): void {
    this.#gateway = gateway
  }

  answersFor(request: ServedRequest | undefined): boolean {
    return request?.caller?.kind === 'owner' && this.mayApprove()
  }

  /** While a program of this account watches the gateway: without one a call would wait in vain. */
  mayApprove(): boolean {
    return this.#clients.isWatched
  }

  async approve(
    question: Parameters<GatewayPerson['approve']>[0],
    options: Parameters<GatewayPerson['approve']>[1],
  ) {
    const { request, client, signal } = options
    const caller = request?.caller?.id ?? ''
    const count = this.#waiting.get(caller) ?? 0
    const all = [...this.#waiting.values()].reduce((sum, each) => sum + each, 0)
    if (count >= maxOfCaller || all >= maxOfAll) {
      if (client) return client(signal ?? this.#closing.signal)
      throw new HostError('usage', {}, 'Too many calls wait for the person who runs the gateway.')
    }
    this.#waiting.set(caller, count + 1)
    const late = AbortSignal.timeout(waitMs)
    const over = AbortSignal.any([late, this.#closing.signal, ...(signal ? [signal] : [])])
    try {
      const answer = await this.#desk.approve(question, { ...options, signal: over })
      if (late.aborted || this.#closing.signal.aborted)
        throw new HostError('usage', {}, 'No person has answered.')
      return answer
    } finally {
      this.#leave(caller)
    }
  }

  elicit(...asked: Parameters<GatewayPerson['elicit']>): ReturnType<GatewayPerson['elicit']> {
    return this.#desk.elicit(...asked)
  }

  /** Withdraws what waits, so that no call holds up the end of the gateway. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#desk.close()
  }

  #placeOf(server: string): string | undefined {
    const { servers = [] } = this.#gateway?.host.discovery ?? {}
    return servers.find(({ name }) => name === server)?.origin.file
  }

  #leave(caller: string): void {
    const left = (this.#waiting.get(caller) ?? 1) - 1
    if (left > 0) this.#waiting.set(caller, left)
    else this.#waiting.delete(caller)
  }
}
