import { FairQueue, matchGlob } from '../../../internal.ts'
import type { Caller, LimitRule } from '../../../internal.ts'
import { HostError } from '../../../index.ts'

/** The most calls of one caller that wait for one rule. */
const maxWaiting = 10_000

/** The calls of one caller that a rule counts. */
interface Places {
  free: number
  readonly waiting: FairQueue<() => void>
}

/**
 * Bounds how many calls of one caller run at the same time, by the rules with `concurrent`. Further calls wait for a place, in
 * their order: an agent that sends many calls at once gets all of their results.
 */
export class CallerPlaces {
  readonly #rules: readonly LimitRule[]
  /** By rule and caller, while it has calls. */
  readonly #places = new Map<string, Places>()

  constructor(rules: readonly LimitRule[]) {
    this.#rules = rules.filter(({ concurrent }) => concurrent !== undefined)
  }

  /** Runs a call once there is a place for it under each rule. */
  async during<T>(
    { caller, ref, signal }: { readonly caller: Caller; readonly ref: string; readonly signal: AbortSignal },
    run: () => Promise<T>,
  ): Promise<T> {
    const leaves: (() => void)[] = []
    try {
      // All calls take their places in the order of the rules, so none waits for a call that waits for it.
      for (const [at, rule] of this.#rules.entries())
        if (concerns(rule, caller, ref))
          leaves.push(await this.#enter(`${at} ${caller.id}`, rule, ref, signal))
      return await run()
    } finally {
      for (const leave of leaves) leave()
    }
  }

  async #enter(
    key: string,
    { concurrent = 1 }: LimitRule,
    ref: string,
    signal: AbortSignal,
  ): Promise<() => void> {
    const places = this.#places.get(key) ?? { free: concurrent, waiting: new FairQueue() }
    this.#places.set(key, places)
    if (places.free > 0) places.free--
    else await wait(places, { concurrent, ref, signal })
    return () => {
      const next = places.waiting.take()
      if (next) return next()
      places.free++
      if (places.free === concurrent) this.#places.delete(key)
    }
  }
}

/** Resolves when a call that leaves hands its place on. */
function wait(
  { waiting }: Places,
  {
    concurrent,
    ref,
    signal,
  }: { readonly concurrent: number; readonly ref: string; readonly signal: AbortSignal },
): Promise<void> {
  if (waiting.size >= maxWaiting) throw tooManyWaiting(concurrent, ref)
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      waiting.remove(queued)
      reject(new Error('The call was cancelled while it waited for its turn.', { cause: signal.reason }))
    }
    const queued = waiting.add(
      () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      },
      undefined,
      0,
    )
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

function tooManyWaiting(concurrent: number, ref: string): HostError<'call.limited'> {
  const message = `Too many calls: this caller has ${concurrent} at a time, and ${maxWaiting} wait. Try again in 1 s.`
  return new HostError('call.limited', { ref, retryAfterMs: 1000 }, message)
}

/** Whether a rule counts a call. The person who started the gateway is not limited. */
export function concerns({ callers, tools }: LimitRule, { kind, name }: Caller, ref: string): boolean {
  if (kind === 'owner') return false
  const matches = (patterns: readonly string[] | undefined, text: string) =>
    !patterns || patterns.some((pattern) => matchGlob(pattern, text))
  return matches(callers, name) && matches(tools, ref)
}
