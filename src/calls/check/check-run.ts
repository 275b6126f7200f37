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
  /** What would have been right in its place, where that is a kind or a list of values. */
  readonly expected?: readonly string[]
}

/** The schema asks for more than a call may cost (T23). */
export class CheckBudgetExceeded extends Error {}

/** Looks for what a keyword of a schema forbids, and reports it. */
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

/** About what 250 ms allow on a slow machine; counted, so that it is the same on every one. */
const maxSteps = 250_000
const maxDepth = 200
const maxProblems = 20

/** One check of a value: the problems found so far, and what is left of its budget. */
export class CheckRun {
  /** Counts what could not be checked. It passes, and nothing is concluded from it. */
  uncheckedCount = 0
  /** Whether a text fits a pattern; `undefined` when nobody can say. */
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

  /** There is no use in more of them. */
  get isFull(): boolean {
    return this.#problems.length >= maxProblems
  }

  get ignoresRefSiblings(): boolean {
    return this.#options.facts.ignoresRefSiblings
  }

  /** A part of a schema that makes no sense asks for nothing. */
  check(schema: Json | undefined, value: Json, at: ArgumentPath | undefined): void {
    if (schema === false) return this.report(at, `nothing is allowed here, got ${describeValue(value)}`)
    if (!isObject(schema) || this.isFull) return
    this.spend(1)
    if (++this.#depth > maxDepth) throw new CheckBudgetExceeded('its schema refers to itself without end')
    this.#options.keywords(schema, value, at, this)
    this.#depth--
  }

  /** What a schema finds wrong, told to nobody yet. */
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

  /** Only within the schema itself: no address is ever fetched (T23). */
  followRef(ref: Json): Json {
    const { facts, root } = this.#options
    const target = facts.hasInnerIds ? undefined : resolveRef(ref, root)
    if (target !== undefined) return target
    this.uncheckedCount++
    return true
  }
}
