import type { Clock } from '../platform/platform.ts'

interface Expiry {
  readonly ttlMs: number
  /** By the wall clock, and by the monotonic one. */
  readonly until: number
  readonly untilTick: number
}

/** Lower limit of `ttlMs`: a server is not listed more often than this. */
const leastMs = 1000
/** Delay after a failed listing; the old list is used meanwhile. */
const afterFailureMs = 30_000

/**
 * When the lists of servers expire, if the servers say so (`ttlMs`). Two clocks count, and the earlier one decides: the
 * monotonic one stands still while the machine sleeps, and the wall clock may be set back (T49).
 */
export class Freshness {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  readonly #byServer = new Map<string, Expiry>()
  /** Servers that say 0: clients may not keep their lists. We do, and hear of changes. */
  readonly #unkept = new Set<string>()

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock
  }

  /** Records a listing at `at`, by default now. Without a `ttlMs` the list is valid until the server reports a change. */
  listed(server: string, ttlMs: number, at = this.#clock.now()): void {
    if (ttlMs <= 0) return void this.#byServer.delete(server)
    const validMs = Math.max(ttlMs, leastMs)
    const ageMs = Math.max(0, this.#clock.now() - at)
    const untilTick = this.#clock.monotonic() + validMs - ageMs
    this.#byServer.set(server, { ttlMs, until: at + validMs, untilTick })
  }

  failed(server: string): void {
    const expiry = this.#byServer.get(server)
    if (expiry) this.listed(server, Math.max(expiry.ttlMs, afterFailureMs))
  }

  /** Whether the server said 0 with its last list. */
  kept(server: string, isUnkept: boolean | undefined): void {
    if (isUnkept) this.#unkept.add(server)
    else this.#unkept.delete(server)
  }

  ttlOf(server: string): number | undefined {
    return this.#unkept.has(server) ? 0 : this.#byServer.get(server)?.ttlMs
  }

  forget(server: string): void {
    this.#byServer.delete(server)
    this.#unkept.delete(server)
  }

  isExpired(server: string): boolean {
    const expiry = this.#byServer.get(server)
    if (!expiry) return false
    return expiry.until <= this.#clock.now() || expiry.untilTick <= this.#clock.monotonic()
  }

  /** The servers whose lists have expired. */
  expired(): readonly string[] {
    return [...this.#byServer.keys()].filter((server) => this.isExpired(server))
  }
}
