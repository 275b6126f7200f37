import { matchGlob } from '../model/glob.ts'
import { fromPointer, isEqual, isList, isObject, valueAt } from '../model/json.ts'
import type { Json } from '../model/json.ts'

/**
 * A condition on the arguments of a call, as plain data. `at` is a JSON pointer; the condition covers every value below
 * it, and every key, because some tools take `{ "/etc/passwd": "text" }`.
 */
export type Predicate = { readonly at: string; readonly not?: boolean } & (
  | { readonly matches: string }
  | { readonly equals: Json }
)

/** What a value is compared with, by the key of the test. */
interface Operands {
  readonly matches: string
  readonly equals: Json
}

type Test = { readonly [Key in keyof Operands]: Pick<Operands, Key> }

/** How each test is read from a settings file, and its verb in a sentence. */
const tests: {
  readonly [Key in keyof Operands]: {
    read(operand: Json): Test[Key] | undefined
    readonly verb: string
    readonly negated: string
  }
} = {
  matches: {
    read: (operand) => (typeof operand === 'string' ? { matches: operand } : undefined),
    verb: 'matches',
    negated: 'does not match',
  },
  equals: { read: (operand) => ({ equals: operand }), verb: 'is', negated: 'is not' },
}

const testKeys = Object.keys(tests) as readonly (keyof Operands)[] // the keys of the table above

/** Reads a predicate; `undefined` if it has no pointer, or not exactly one valid test. */
export function readPredicate(value: Json): Predicate | undefined {
  if (!isObject(value)) return undefined
  const { at, not } = value
  const [found, ...others] = testKeys.flatMap((key) => {
    const operand = value[key]
    return operand === undefined ? [] : [tests[key].read(operand)]
  })
  const isPointer = typeof at === 'string' && (at === '' || at.startsWith('/'))
  if (!isPointer || found === undefined || others.length > 0) return undefined
  if (not !== undefined && typeof not !== 'boolean') return undefined
  return { at, ...(not !== undefined && { not }), ...found }
}

/** A predicate in words: `/path does not match "/etc/*"`. */
export function describePredicate(predicate: Predicate): string {
  const { at, not = false } = predicate
  const [key, operand] =
    'equals' in predicate
      ? (['equals', predicate.equals] as const)
      : (['matches', predicate.matches] as const)
  const { verb, negated } = tests[key]
  return `${at === '' ? 'all of it' : at} ${not ? negated : verb} ${JSON.stringify(operand)}`
}

/**
 * In doubt the predicate works against the call. A rule that restricts (`any`) needs one matching value below `at`; a
 * rule that permits (`all`) needs at least one value, and all of them must match. If there is no value, only a
 * restricting rule with `not` applies.
 */
export function predicateHolds(predicate: Predicate, args: Json, need: 'any' | 'all'): boolean {
  const found = valueAt(args, fromPointer(predicate.at))
  const isMatch = (value: Json) => matchesValue(predicate, value) !== (predicate.not ?? false)
  const values = found === undefined ? [] : isWhole(predicate) ? [found] : leavesOf(found)
  if (values.length === 0) return need === 'any' && predicate.not === true
  return need === 'any' ? values.some(isMatch) : values.every(isMatch)
}

function matchesValue(predicate: Predicate, value: Json): boolean {
  if ('equals' in predicate) return isEqual(predicate.equals, value)
  return matchGlob(predicate.matches, typeof value === 'string' ? value : JSON.stringify(value))
}

/** `equals` with a list or an object is compared with the whole value, not with its leaves. */
function isWhole(predicate: Predicate): boolean {
  return 'equals' in predicate && typeof predicate.equals === 'object' && predicate.equals !== null
}

/** Every string, number, boolean and null in a value, and every key. */
function leavesOf(value: Json): readonly Json[] {
  const leaves: Json[] = []
  const pending: Json[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    // Not `push(...next)`: a list from a model may have more items than a function call can take arguments.
    if (isList(next)) for (const item of next) pending.push(item)
    else if (isObject(next))
      for (const [key, item] of Object.entries(next)) {
        leaves.push(key)
        pending.push(item)
      }
    else if (next !== undefined) leaves.push(next)
  }
  return leaves
}
