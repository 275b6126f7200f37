import { hashOf } from '../../../internal.ts'
import type { LimitRule } from '../../../internal.ts'
import type { StoredQuotas } from '../../../store.ts'

export interface SharedQuotasOptions {
  /** Absent while there is no store; it may be away. */
  readonly quotas: () => StoredQuotas | undefined
  /** The part of a quota that is taken at a time, in percent. */
  readonly percent?: number | undefined
  readonly now?: () => number
}

/** What one rule leaves to one caller, as this process sees it. */
interface Allowance {
  readonly id: string
  readonly day: string
  limit: number
  /** Calls that were taken from the store and not made yet. */
  left: number
  /** Calls that were made before they were taken. */
  debt: number
  /** The store has no more of it today. */
  isSpent: boolean
  checkedAt: number
  fetching?: Promise<void> | undefined
}

const usualPercent = 5
const dayMs = 86_400_000
/** A call that outruns the fetching of its portion waits for that, and no longer than this. */
const patienceMs = 250
/** How soon a store that did not answer is asked again. */
const pauseMs = 1000
/** Other replicas give back what they did not use when they end. */
const recheckMs = 30_000

/**
 * Daily quotas that several processes share. Each takes portions from the store, the next one before the last is used up, so
 * that no call waits for it. One portion may be used before it was taken: at the start, and while the store is away. That is by
 * how much each process can exceed a quota.
 */
export class SharedQuotas {
  readonly #options: SharedQuotasOptions
  readonly #now: () => number
  readonly #allowances = new Map<string, Allowance>()

  constructor(options: SharedQuotasOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Counts the calls of a rule, as the counters of `rate-limiter-flexible` do: a refusal is an object and no Error. */
  counterOf({ callers, tools }: LimitRule, limit: number, occurrence: number) {
    const idOf = (caller: string) => hashOf([callers ?? null, tools ?? null, caller, occurrence])
    return {
      consume: (caller: string) => this.#consume(idOf(caller), limit),
      reward: async (caller: string) => {
        const allowance = this.#allowanceOf(idOf(caller), limit)
        if (allowance.debt > 0) allowance.debt--
        else allowance.left++
      },
    }
  }

  /** Gives back what was taken and not used. */
  async close(): Promise<void> {
    const all = [...this.#allowances.values()]
    this.#allowances.clear()
    for (const { fetching } of all) await fetching
    const quotas = this.#options.quotas()
    if (!quotas) return
    for (const { id, day, left, debt, limit } of all) {
      if (left > debt) await quotas.giveBack(id, day, left - debt).catch(() => undefined)
      else if (debt > 0) await quotas.take({ id, day, limit, spent: debt, wanted: 0 }).catch(() => undefined)
    }
  }

  async #consume(id: string, limit: number): Promise<void> {
    const allowance = this.#allowanceOf(id, limit)
    if (this.#spend(allowance)) return
    if (!allowance.isSpent) this.#fetch(allowance)
    if (allowance.fetching && !allowance.isSpent) {
      await Promise.race([allowance.fetching, pause(patienceMs)])
      if (this.#spend(this.#allowanceOf(id, limit))) return
    }
    const now = this.#now()
    if (allowance.isSpent && now - allowance.checkedAt > recheckMs) this.#fetch(allowance)
    const msBeforeNext = allowance.isSpent ? dayMs - (now % dayMs) : pauseMs
    // Like a refusal of the package that counts in one process.
    throw { msBeforeNext }
  }

  #spend(allowance: Allowance): boolean {
    const portion = this.#portionOf(allowance)
    if (allowance.left > 0) allowance.left--
    else if (!allowance.isSpent && allowance.debt < portion) allowance.debt++
    else return false
    if (allowance.left < portion / 2 && !allowance.isSpent) this.#fetch(allowance)
    return true
  }

  /** Of this day, in UTC. */
  #allowanceOf(id: string, limit: number): Allowance {
    const day = new Date(this.#now()).toISOString().slice(0, 10)
    const known = this.#allowances.get(id)
    if (known?.day === day && known.limit === limit) return known
    if (known?.day === day) return Object.assign(known, { limit, isSpent: false })
    const made: Allowance = { id, day, limit, left: 0, debt: 0, isSpent: false, checkedAt: -Infinity }
    this.#allowances.set(id, made)
    if (known)
      void this.#options
        .quotas()
        ?.forget(day)
        .catch(() => undefined)
    return made
  }

  #portionOf({ limit }: Allowance): number {
    return Math.max(1, Math.floor((limit * (this.#options.percent ?? usualPercent)) / 100))
  }

  #fetch(allowance: Allowance): void {
    if (allowance.fetching) return
    const quotas = this.#options.quotas()
    if (!quotas) return
    const { id, day, limit, debt } = allowance
    const wanted = this.#portionOf(allowance)
    const fetching = quotas.take({ id, day, limit, spent: debt, wanted }).then(
      (taken) => {
        allowance.debt -= debt
        allowance.left += taken
        allowance.isSpent = taken < wanted
        allowance.checkedAt = this.#now()
      },
      // Away: the debt stays, and the next call asks again after a pause.
      () => pause(pauseMs),
    )
    allowance.fetching = fetching.finally(() => (allowance.fetching = undefined))
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
