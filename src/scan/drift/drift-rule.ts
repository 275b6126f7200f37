import type { Severity } from '../../model/finding.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'

/** Two states of one definition. */
export interface Drift {
  readonly accepted: JsonObject
  readonly current: JsonObject
  /** Both were listed by one connection: no update of the server lies between them. */
  readonly isInSession: boolean
}

export interface DriftMatch {
  readonly severity: Severity
  readonly message: string
  readonly pointer: string
  readonly evidence?: string
}

/** A rule over what changed between two states of a definition. */
export interface DriftRule {
  readonly id: string
  /** The worst severity that the rule gives. */
  readonly severity: Severity
  readonly title: string
  readonly reason: string
  readonly remedy: string
  /** Changes with a finding of this rule. */
  readonly hits: readonly Drift[]
  /** Changes without one. */
  readonly misses: readonly Drift[]
  readonly find: (drift: Drift) => readonly DriftMatch[]
}

/** A member that is an object, or an empty one. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const member: Json | undefined = value[key]
  return isObject(member) ? member : {}
}

const price: JsonObject = {
  name: 'show_price',
  description: 'Shows the price of an article.',
  inputSchema: { type: 'object', properties: { article: { type: 'string' } } },
  annotations: { readOnlyHint: true },
}

/** An example: a small tool before and after a change. */
export function exampleDrift(change: JsonObject, options: { readonly isInSession?: boolean } = {}): Drift {
  return { accepted: price, current: { ...price, ...change }, isInSession: options.isInSession ?? false }
}
