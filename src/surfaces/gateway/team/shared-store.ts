import { openOwnStore } from '../../../store.ts'
import type { OwnStoreOptions, Store, StorePart } from '../../../store.ts'

export interface SharedStoreOptions extends Pick<OwnStoreOptions, 'platform' | 'cwd'> {
  /** How often changes are looked for, and a store that is away is tried again. */
  readonly everyMs?: number
  /** Says once that the store is away, and once that it is back. */
  readonly warn: (message: string) => void
}

const usualMs = 5000
/** What runs behind the calls is repeated soon anyway. */
const retryMs = 2000

/**
 * The store that several gateways share, as one of them sees it. It is opened behind the requests and tried again while it is
 * away: nothing waits for it. Listeners are called after each change of another program, and after each opening.
 */
export class SharedStore {
  readonly #options: SharedStoreOptions
  readonly #listeners = new Map<StorePart, Set<() => void>>()
  readonly #timer: NodeJS.Timeout
  #store: Store | undefined
  #takeAudit: (() => Promise<number>) | undefined
  #watch: AsyncDisposable | undefined
  #working: Promise<void> | undefined
  #isAway = false
  #isClosed = false

  constructor(options: SharedStoreOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.#work(), options.everyMs ?? usualMs)
    this.#timer.unref()
  }

  /** Opens it if it is there; otherwise it is tried again later. */
  async open(): Promise<Store | undefined> {
    await this.#work()
    return this.#store
  }

  /** Absent as long as it was not opened. It may be away. */
  get current(): Store | undefined {
    return this.#store
  }

  onChange(part: StorePart, listener: () => void): void {
    const listeners = this.#listeners.get(part) ?? new Set()
    this.#listeners.set(part, listeners.add(listener))
  }

  /** Takes the rows of the audit trail that are still in files. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#working
    await this.#watch?.[Symbol.asyncDispose]()
    await this.#takeAudit?.().catch(() => undefined)
    await this.#store?.close().catch(() => undefined)
  }

  #work(): Promise<void> {
    return (this.#working ??= this.#step().finally(() => (this.#working = undefined)))
  }

  async #step(): Promise<void> {
    if (this.#isClosed) return
    try {
      if (!this.#store) await this.#openStore()
      await this.#takeAudit?.()
      this.#report(undefined)
    } catch (error) {
      this.#report(error)
    }
  }

  async #openStore(): Promise<void> {
    const { everyMs = usualMs, warn: _warn, ...own } = this.#options
    const { store, takeAudit } = await openOwnStore({ ...own, retryMs })
    if (!store) throw new Error('There is no store: no driver for SQLite is installed.')
    this.#store = store
    this.#takeAudit = takeAudit
    this.#watch = store.watch({
      everyMs,
      onChange: (parts) => {
        for (const part of parts) for (const listener of this.#listeners.get(part) ?? []) listener()
      },
      onProblem: (problem) => this.#report(problem),
    })
  }

  #report(problem: unknown): void {
    if ((problem !== undefined) === this.#isAway) return
    this.#isAway = problem !== undefined
    const message = problem instanceof Error ? problem.message : String(problem)
    if (problem === undefined) {
      this.#options.warn('The store is back.')
      void this.#work()
    } else this.#options.warn(`${message} Calls go on with what is known.`)
  }
}
