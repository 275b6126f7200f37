import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { resolveRef } from '../../model/schema/reference.ts'
import type { SchemaFacts } from './schema-facts.ts'
import type { PatternMatcher } from './patterns.ts'
import type { ArgumentPath } from './problem-wording.ts'
import { joinAlternatives, describeValue } from './problem-wording.ts'

export interface Problem {
  readonly at: ArgumentPath | undefined
  readonly message: string
  /** The types or values that are allowed instead, if the problem is about those. */
  readonly expected?: readonly string[]
}

/** Thrown when checking against a schema takes more steps or levels than a call may cost (T23). */
export class CheckBudgetExceeded extends Error {}

/** Checks a value against keywords of a schema and reports the problems to the run. */
export type CheckKeyword<T> = (
  schema: JsonObject,
  value: T,
  at: ArgumentPath | undefined,
  run: CheckRun,
) => void

interface CheckRunOptions {
  readonly root: JsonObject
  readonly facts: SchemaFacts
  readonly keywords: CheckKeyword<Json>
  readonly createMatcher: ((spend: (steps: number) => void) => PatternMatcher) | undefined
}

/** About 250 ms on a slow machine; counted in steps, so that the limit is the same on every machine. */
const maxSteps = 250_000
const maxDepth = 200
const maxProblems = 20

/** One check of a value: the problems found so far, and the remaining budget. */
export class CheckRun {
  /** Counts keywords that could not be checked. They pass, and `not`, `oneOf` and `if` draw no conclusion from them. */
  uncheckedCount = 0
  /** Whether a text matches a pattern; `undefined` if that cannot be determined. */
  readonly match: PatternMatcher
  readonly #options: CheckRunOptions
  #problems: Problem[] = []
  #steps = maxSteps
  #depth = 0

  constructor(options: CheckRunOptions) {
    this.#options = options
    this.match = options.createMatcher?.((steps) => this.spend(steps)) ?? (() => undefined)
  }

  get problems(): readonly Problem[] {
    return this.#problems
  }

  /** Whether enough problems were found to stop. */
  get isFull(): boolean {
    return this.#problems.length >= maxProblems
  }

  /** See `SchemaFacts.ignoresRefSiblings`. */
  get ignoresRefSiblings(): boolean {
    return this.#options.facts.ignoresRefSiblings
  }

  /** Checks a value against a part of the schema. A part that is not a schema allows every value. */
  check(schema: Json | undefined, value: Json, at: ArgumentPath | undefined): void {
    if (schema === false) return this.report(at, `no value is allowed here, got ${describeValue(value)}`)
    if (!isObject(schema) || this.isFull) return
    this.spend(1)
    if (++this.#depth > maxDepth) throw new CheckBudgetExceeded('its schema refers to itself without end')
    this.#options.keywords(schema, value, at, this)
    this.#depth--
  }

  /** The problems of a value with a schema, without reporting them. */
  problemsOf(schema: Json | undefined, value: Json, at: ArgumentPath | undefined): readonly Problem[] {
    const outer = this.#problems
    this.#problems = []
    this.check(schema, value, at)
    const problems = this.#problems
    this.#problems = outer
    return problems
  }

  report(at: ArgumentPath | undefined, message: string): void {
    this.#problems.push({ at, message })
  }

  reportExpected(at: ArgumentPath | undefined, expected: readonly string[], value: Json, hint = ''): void {
    this.#problems.push({
      at,
      message: `expected ${joinAlternatives(expected)}, got ${describeValue(value)}${hint}`,
      expected,
    })
  }

  reportAll(problems: readonly Problem[]): void {
    this.#problems.push(...problems)
  }

  spend(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new CheckBudgetExceeded('they take too long to check against its schema')
  }

  /** The target of a `$ref` within the same schema; `true` for any other, as no address is ever fetched (T23). */
  followRef(ref: Json): Json {
    const { facts, root } = this.#options
    const target = facts.hasInnerIds ? undefined : resolveRef(ref, root)
    if (target !== undefined) return target
    this.uncheckedCount++
    return true
  }
}
