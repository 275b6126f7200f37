import type { Clock } from '../platform/platform.ts'

interface Expiry {
  readonly ttlMs: number
  readonly until: number
}

/** Lower limit of `ttlMs`: a server is not listed more often than this. */
const leastMs = 1000
/** Delay after a failed listing; the old list is used meanwhile. */
const afterFailureMs = 30_000

/** When the lists of servers expire, if the servers say so (`ttlMs`). */
export class Freshness {
  readonly #clock: Pick<Clock, 'now'>
  readonly #byServer = new Map<string, Expiry>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Records a listing at `at`, by default now. Without a `ttlMs` the list is valid until the server reports a change. */
  listed(server: string, ttlMs: number, at = this.#clock.now()): void {
    if (ttlMs > 0) this.#byServer.set(server, { ttlMs, until: at + Math.max(ttlMs, leastMs) })
    else this.#byServer.delete(server)
  }

  failed(server: string): void {
    const expiry = this.#byServer.get(server)
    if (expiry) this.listed(server, Math.max(expiry.ttlMs, afterFailureMs))
  }

  forget(server: string): void {
    this.#byServer.delete(server)
  }

  isExpired(server: string): boolean {
    const expiry = this.#byServer.get(server)
    return expiry !== undefined && expiry.until <= this.#clock.now()
  }

  /** The servers whose lists have expired. */
  expired(): readonly string[] {
    return [...this.#byServer.keys()].filter((server) => this.isExpired(server))
  }
}
