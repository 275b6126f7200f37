import { HostError } from '../../../index.ts'
import type { GatewayPerson } from '../gateway-person.ts'
import type { ServedRequest } from '../served-request.ts'

/** How long a call of a client that cannot be asked waits. */
const waitMs = 10 * 60_000
/** More calls of one caller, or of all, do not wait: one caller must not bury the questions of others. */
const maxOfCaller = 5
const maxOfAll = 50

interface HttpPersonOptions {
  /** Keeps the questions where `plugboard answer` and the page find them. */
  readonly desk: GatewayPerson & { close(): Promise<void> }
  /** Whether a program of this account watches the gateway: without one a call would wait in vain. */
  readonly isWatched: () => boolean
}

/**
 * The person who runs a gateway over HTTP. They approve calls of all callers while they watch it, because the rules that ask
 * are theirs. What servers ask is theirs to answer only for their own clients: other callers are other people.
 */
export class HttpPerson implements GatewayPerson {
  readonly #options: HttpPersonOptions
  readonly #waiting = new Map<string, number>()
  readonly #closing = new AbortController()

  constructor(options: HttpPersonOptions) {
    this.#options = options
  }

  answersFor(request: ServedRequest | undefined): boolean {
    return request?.caller?.kind === 'owner' && this.#options.isWatched()
  }

  mayApprove(): boolean {
    return this.#options.isWatched()
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
      const answer = await this.#options.desk.approve(question, { ...options, signal: over })
      if (late.aborted || this.#closing.signal.aborted)
        throw new HostError('usage', {}, 'No person has answered.')
      return answer
    } finally {
      this.#leave(caller)
    }
  }

  elicit(...asked: Parameters<GatewayPerson['elicit']>): ReturnType<GatewayPerson['elicit']> {
    return this.#options.desk.elicit(...asked)
  }

  /** Withdraws what waits, so that no call holds up the end of the gateway. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#options.desk.close()
  }

  #leave(caller: string): void {
    const left = (this.#waiting.get(caller) ?? 1) - 1
    if (left > 0) this.#waiting.set(caller, left)
    else this.#waiting.delete(caller)
  }
}
