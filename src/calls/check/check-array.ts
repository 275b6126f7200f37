import { canonicalize } from '../../model/canonical.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { itemSchemas } from '../../model/schema/parts.ts'
import type { CheckRun } from './check-run.ts'
import type { ArgumentPath } from './problem-wording.ts'

export function checkArray(
  schema: JsonObject,
  items: readonly Json[],
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const { minItems, maxItems, uniqueItems } = schema
  if (typeof minItems === 'number' && items.length < minItems) {
    run.report(at, `expected at least ${itemCount(minItems)}, got ${items.length}`)
  }
  if (typeof maxItems === 'number' && items.length > maxItems) {
    run.report(at, `expected at most ${itemCount(maxItems)}, got ${items.length}`)
  }
  if (uniqueItems === true) checkUnique(items, at, run)
  checkItems(schema, items, at, run)
  if (schema['contains'] !== undefined) checkContains(schema, items, at, run)
}

function itemCount(count: number): string {
  return count === 1 ? '1 item' : `${count} items`
}

function checkUnique(items: readonly Json[], at: ArgumentPath | undefined, run: CheckRun): void {
  run.spend(items.length)
  const seen = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const text = canonicalize(item)
    const first = seen.get(text)
    if (first === undefined) seen.set(text, index)
    else return run.report(at, `expected unique items, but [${index}] equals [${first}]`)
  }
}

function checkItems(
  schema: JsonObject,
  items: readonly Json[],
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const { first, others } = itemSchemas(schema)
  if (first.length === 0 && !isObject(others) && others !== false) return
  for (const [index, item] of items.entries()) {
    if (run.isFull) return
    run.check(index < first.length ? first[index] : others, item, { above: at, key: index })
  }
}

function checkContains(
  { contains, minContains, maxContains }: JsonObject,
  items: readonly Json[],
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const uncheckedBefore = run.uncheckedCount
  const count = items.filter((item) => run.problemsOf(contains, item, at).length === 0).length
  const least = typeof minContains === 'number' ? minContains : 1
  if (count < least)
    run.report(at, `expected at least ${itemCount(least)} that "contains" allows, got ${count}`)
  if (typeof maxContains === 'number' && count > maxContains && run.uncheckedCount === uncheckedBefore) {
    run.report(at, `expected at most ${itemCount(maxContains)} that "contains" allows, got ${count}`)
  }
}
