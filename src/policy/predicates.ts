import { matchGlob } from '../model/glob.ts'
import { fromPointer, isEqual, isList, isObject, valueAt } from '../model/json.ts'
import type { Json } from '../model/json.ts'

/**
 * A condition on the arguments of a call: pure data. A place is a JSON pointer, and covers everything below it: keys
 * too, because many a tool takes `{ "/etc/passwd": "text" }`.
 */
export type Predicate = { readonly at: string; readonly not?: boolean } & (
  | { readonly matches: string }
  | { readonly equals: Json }
)

/**
 * Doubt goes against the call. A rule that restricts (`any`) holds as soon as one value below the place fits, one that
 * permits (`all`) only if something is there and all of it fits. Where nothing is, nothing fits: `not` restricts.
 */
export function holds(predicate: Predicate, args: Json, need: 'any' | 'all'): boolean {
  const found = valueAt(args, fromPointer(predicate.at))
  const fits = (value: Json) => fitsOne(predicate, value) !== (predicate.not ?? false)
  const values = found === undefined ? [] : isWhole(predicate) ? [found] : leavesOf(found)
  if (values.length === 0) return need === 'any' && predicate.not === true
  return need === 'any' ? values.some(fits) : values.every(fits)
}

function fitsOne(predicate: Predicate, value: Json): boolean {
  if ('equals' in predicate) return isEqual(predicate.equals, value)
  return matchGlob(predicate.matches, typeof value === 'string' ? value : JSON.stringify(value))
}

/** A list or an object is compared with a list or an object as one thing. */
function isWhole(predicate: Predicate): boolean {
  return 'equals' in predicate && typeof predicate.equals === 'object' && predicate.equals !== null
}

/** Every text, number, truth value and null in a value, and every key. */
function leavesOf(value: Json): readonly Json[] {
  const leaves: Json[] = []
  const waiting: Json[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    // Not spread into `push`: a model may send more than a call can take.
    if (isList(next)) for (const item of next) waiting.push(item)
    else if (isObject(next))
      for (const [key, item] of Object.entries(next)) {
        leaves.push(key)
        waiting.push(item)
      }
    else if (next !== undefined) leaves.push(next)
  }
  return leaves
}
