import { onAbort, raceAbort } from '../model/abort.ts'
import type { Server } from '../model/server.ts'
import type { Clock } from '../platform/platform.ts'
import type { WaitTimes } from './start-times.ts'
import type { CatalogWaitOptions } from '../calls/view/view-context.ts'

/** How long other servers are waited for once there is enough: another one may offer the same. */
const moreMs = 1000

interface Listing {
  readonly server: Server
  readonly done: Promise<void>
  /** When it began, on the monotonic clock, and how long it is waited for from then on. */
  readonly since: number
  readonly times: WaitTimes
}

interface ListingOptions {
  readonly clock: Clock
  /** Lists a server once; it never rejects. */
  readonly listOnce: (server: Server) => Promise<void>
  /** When the attempt to connect that is under way began, on the monotonic clock. */
  readonly openingSince: (server: string) => number | undefined
  /** How long a server may take to start. Callers that need it wait no longer for the lists of a connected one. */
  readonly startupMsOf: (server: Server) => number
  readonly isConnecting: (server: string) => boolean
}

/** The servers that are being listed, one listing of a server at a time, and who waits for them. */
export class Listings {
  readonly #options: ListingOptions
  readonly #byName = new Map<string, Listing>()
  /** Servers whose lists changed while they were being listed. */
  readonly #stale = new Set<string>()
  readonly #onChange = new Set<() => void>()
  #isClosed = false

  constructor(options: ListingOptions) {
    this.#options = options
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** The listing of a server that is under way, or a new one, for which `ready` waits as long as `times` says. */
  start(server: Server, times: WaitTimes): Promise<void> {
    return this.#byName.get(server.name)?.done ?? this.#list(server, times, false)
  }

  /** Lists the server, again if it is being listed: its lists may have changed meanwhile. */
  restart(server: Server, times: WaitTimes): void {
    if (this.has(server.name)) this.#stale.add(server.name)
    else void this.#list(server, times, false)
  }

  /** The name belongs to another server from now on. */
  forget(name: string): void {
    this.#byName.delete(name)
    this.#stale.delete(name)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#byName.values()].map(({ done }) => done))
  }

  /** Tells those who wait for enough that something arrived. */
  changed(): void {
    for (const check of this.#onChange) check()
  }

  /**
   * Waits for `learned`, but not longer than the timeout or, without one, than the deadlines of the listings of these
   * servers, and a second more once there is enough. With `skipsSlow`, servers that were slow in an earlier run are hardly
   * waited for once that holds. What is being listed goes on.
   *
   * @param begun Resolves when the listings of these servers have begun.
   */
  async until(
    learned: Promise<void>,
    {
      timeoutMs,
      signal,
      isEnough,
      skipsSlow,
      servers,
      begun,
    }: CatalogWaitOptions & {
      readonly servers?: readonly string[] | undefined
      readonly begun: () => Promise<unknown>
    },
  ): Promise<void> {
    // The cache is read within one turn of the event loop; a timer is needed only for servers.
    const isLearned = await Promise.race([learned.then(() => true), nextTurn().then(() => false)])
    if (!isLearned) {
      const ended = new AbortController()
      const sleep = (ms: number) => this.#options.clock.sleep(ms, ended.signal).catch(() => undefined)
      const ends = [learned]
      const waitForEach = (msOf: (listing: Listing) => number) =>
        begun().then(() => this.#waitForEach(servers, msOf, ended.signal))
      if (timeoutMs === undefined) ends.push(waitForEach(({ times }) => times.ms))
      if (timeoutMs === 'settled') ends.push(begun().then(() => this.#settle(servers, ended.signal)))
      if (timeoutMs === undefined && skipsSlow)
        ends.push(
          this.#whenChanged(skipsSlow, ended.signal).then(() => waitForEach(({ times }) => times.skipMs)),
        )
      if (typeof timeoutMs === 'number') ends.push(sleep(timeoutMs))
      if (isEnough) ends.push(this.#whenChanged(isEnough, ended.signal).then(() => sleep(moreMs)))
      await raceAbort(Promise.race(ends), signal).finally(() => ended.abort())
    }
    signal?.throwIfAborted()
  }

  /** The server with the latest deadline first: when that has passed, all others have. */
  async #waitForEach(
    servers: readonly string[] | undefined,
    msOf: (listing: Listing) => number,
    signal: AbortSignal,
  ): Promise<void> {
    const untilOf = (listing: Listing) => listing.since + msOf(listing)
    for (const listing of this.#awaited(servers).sort((a, b) => untilOf(b) - untilOf(a)))
      await this.#waitFor(listing, untilOf(listing) - this.#options.clock.monotonic(), signal)
  }

  /** A start ends by its own limit; a connected server that does not list its tools is given up after the same time. */
  async #settle(servers: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
    const { startupMsOf, isConnecting } = this.#options
    for (const listing of this.#awaited(servers)) {
      const { server } = listing
      do await this.#waitFor(listing, startupMsOf(server), signal)
      while (this.#byName.get(server.name) === listing && isConnecting(server.name) && !signal.aborted)
    }
  }

  #awaited(servers: readonly string[] | undefined): Listing[] {
    return [...this.#byName.values()].filter(({ server }) => servers?.includes(server.name) ?? true)
  }

  /** One timer and one listener at a time: there may be a hundred servers. */
  async #waitFor({ done }: Listing, ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return
    const passed = new AbortController()
    const stopping = onAbort(signal, () => passed.abort())
    const { clock } = this.#options
    await Promise.race([done, clock.sleep(ms, passed.signal).catch(() => undefined)])
    passed.abort()
    stopping[Symbol.dispose]()
  }

  #whenChanged(isEnough: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (isEnough()) resolve()
      }
      this.#onChange.add(check)
      check()
      onAbort(signal, () => this.#onChange.delete(check))
    })
  }

  /** If the list changes meanwhile, the caller waits for one more listing, but not longer: some lists never stop changing. */
  #list(server: Server, times: WaitTimes, isAgain: boolean): Promise<void> {
    const { name } = server
    const { clock, listOnce, openingSince } = this.#options
    // A server that was started earlier has had that time already.
    const since = openingSince(name) ?? clock.monotonic()
    const done: Promise<void> = listOnce(server).then(() => {
      if (this.#byName.get(name)?.done !== done) return undefined
      this.#byName.delete(name)
      if (!this.#stale.delete(name) || this.#isClosed) return undefined
      const next = this.#list(server, times, true)
      return isAgain ? undefined : next
    })
    this.#byName.set(name, { server, done, since, times })
    return done
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
