import { canonicalize } from '../../model/canonical.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { isList, listOf } from './lists.ts'
import type { Looking } from './check-run.ts'
import type { Place } from './argument-path.ts'

export function checkArray(
  schema: JsonObject,
  items: readonly Json[],
  at: Place | undefined,
  looking: Looking,
): void {
  const { minItems, maxItems, uniqueItems } = schema
  if (typeof minItems === 'number' && items.length < minItems) {
    looking.report(at, `expected at least ${itemCount(minItems)}, got ${items.length}`)
  }
  if (typeof maxItems === 'number' && items.length > maxItems) {
    looking.report(at, `expected at most ${itemCount(maxItems)}, got ${items.length}`)
  }
  if (uniqueItems === true) checkUnique(items, at, looking)
  checkItems(schema, items, at, looking)
  if (schema['contains'] !== undefined) checkContains(schema, items, at, looking)
}

function itemCount(count: number): string {
  return count === 1 ? '1 item' : `${count} items`
}

function checkUnique(items: readonly Json[], at: Place | undefined, looking: Looking): void {
  looking.spend(items.length)
  const seen = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const text = canonicalize(item)
    const first = seen.get(text)
    if (first === undefined) seen.set(text, index)
    else return looking.report(at, `expected no item twice, but [${index}] is the same as [${first}]`)
  }
}

/** The first items may have schemas of their own: `prefixItems`, or a list as `items` in older drafts. */
function checkItems(
  { items: rest, prefixItems, additionalItems }: JsonObject,
  items: readonly Json[],
  at: Place | undefined,
  looking: Looking,
): void {
  const first = isList(rest) ? rest : listOf(prefixItems)
  const others = isList(rest) ? additionalItems : rest
  if (first.length === 0 && !isObject(others) && others !== false) return
  for (const [index, item] of items.entries()) {
    if (looking.isFull) return
    looking.check(index < first.length ? first[index] : others, item, { above: at, key: index })
  }
}

function checkContains(
  { contains, minContains, maxContains }: JsonObject,
  items: readonly Json[],
  at: Place | undefined,
  looking: Looking,
): void {
  const unsure = looking.unsure
  const count = items.filter((item) => looking.problemsOf(contains, item, at).length === 0).length
  const least = typeof minContains === 'number' ? minContains : 1
  if (count < least) looking.report(at, `expected ${itemCount(least)} of a certain form, got ${count}`)
  if (typeof maxContains === 'number' && count > maxContains && looking.unsure === unsure) {
    looking.report(at, `expected at most ${itemCount(maxContains)} of a certain form, got ${count}`)
  }
}
