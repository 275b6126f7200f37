import type { Clock } from '../platform/platform.ts'

interface Kept {
  readonly ttlMs: number
  readonly until: number
}

/** However short a time a server gives its lists, it is not asked more often. */
const leastMs = 1000
/** A server that could not be asked is left alone for a while; what it listed is better than nothing. */
const afterFailureMs = 30_000

/** How long what servers listed may be used, where they say so (`ttlMs`). */
export class Freshness {
  readonly #clock: Pick<Clock, 'now'>
  readonly #byServer = new Map<string, Kept>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** It was listed, at `at` or just now. Without a time of its own it holds until the server says that it changed. */
  listed(server: string, ttlMs: number, at = this.#clock.now()): void {
    if (ttlMs > 0) this.#byServer.set(server, { ttlMs, until: at + Math.max(ttlMs, leastMs) })
    else this.#byServer.delete(server)
  }

  failed(server: string): void {
    const kept = this.#byServer.get(server)
    if (kept) this.listed(server, Math.max(kept.ttlMs, afterFailureMs))
  }

  forget(server: string): void {
    this.#byServer.delete(server)
  }

  isOver(server: string): boolean {
    const kept = this.#byServer.get(server)
    return kept !== undefined && kept.until <= this.#clock.now()
  }

  /** The servers whose time is up. */
  over(): readonly string[] {
    return [...this.#byServer.keys()].filter((server) => this.isOver(server))
  }
}
