import type { Caller, LimitRule } from '../../../internal.ts'
import { HostError } from '../../../index.ts'
import { CallerPlaces, concerns } from './caller-places.ts'

interface Counter {
  consume(key: string): Promise<unknown>
  reward(key: string): Promise<unknown>
}

interface Window {
  readonly rule: LimitRule
  readonly counter: Counter
  /** `60 a minute` */
  readonly words: string
}

/** Counts the calls of a rule on one day, for all processes that serve the same callers. */
export type DailyCounter = (rule: LimitRule, limit: number, occurrence: number) => Counter

/**
 * Counts the calls of callers by rules: in this process, and those of a day together with others where there is a counter for
 * that. The package is loaded where there are rules.
 */
export class CallLimits {
  /** Those of rules with `concurrent`. */
  readonly places: CallerPlaces
  readonly #windows: Promise<readonly Window[]>

  constructor(rules: readonly LimitRule[], daily?: DailyCounter) {
    this.places = new CallerPlaces(rules)
    this.#windows = loadWindows(rules, daily)
    this.#windows.catch(() => undefined)
  }

  /** Counts one call. Throws the error of a caller that has to wait; then none of the rules has counted it. */
  async take(caller: Caller, ref: string): Promise<void> {
    const counted: Window[] = []
    for (const window of await this.#windows) {
      if (!concerns(window.rule, caller, ref)) continue
      const waitMs = await window.counter.consume(caller.id).then(() => undefined, waitOf)
      if (waitMs === undefined) {
        counted.push(window)
        continue
      }
      for (const each of counted) await each.counter.reward(caller.id)
      throw tooMany(window, ref, waitMs)
    }
  }
}

async function loadWindows(
  rules: readonly LimitRule[],
  daily: DailyCounter | undefined,
): Promise<readonly Window[]> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  const create = (points: number, duration: number) => new RateLimiterMemory({ points, duration })
  const perDay = (rule: LimitRule, limit: number, at: number) =>
    daily?.(rule, limit, occurrenceOf(rules, at)) ?? create(limit, 86_400)
  return rules.flatMap((rule, at) => [
    ...(rule.perMinute === undefined
      ? []
      : [{ rule, counter: create(rule.perMinute, 60), words: `${rule.perMinute} a minute` }]),
    ...(rule.perDay === undefined
      ? []
      : [{ rule, counter: perDay(rule, rule.perDay, at), words: `${rule.perDay} a day` }]),
  ])
}

/** Tells rules for the same callers and tools apart; a changed number of calls is still the same rule. */
function occurrenceOf(rules: readonly LimitRule[], at: number): number {
  const subjectOf = (rule: LimitRule | undefined) => JSON.stringify([rule?.callers, rule?.tools])
  const subject = subjectOf(rules[at])
  return rules.slice(0, at).filter((each) => each.perDay !== undefined && subjectOf(each) === subject).length
}

/** A refusal of the package is no Error, but an object that says how long to wait. */
function waitOf(refused: unknown): number {
  if (refused instanceof Error) throw refused
  const { msBeforeNext = 1000 } = refused as { msBeforeNext?: number } // of the package
  return Math.max(1, Math.ceil(msBeforeNext))
}

function tooMany({ words }: Window, ref: string, waitMs: number): HostError<'call.limited'> {
  const seconds = Math.ceil(waitMs / 1000)
  const message = `Too many calls: this caller has ${words}. Try again in ${seconds} s.`
  return new HostError('call.limited', { ref, retryAfterMs: waitMs }, message)
}
