import { isEqual, isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { didYouMean } from '../../model/near.ts'
import { isOfType, typesOf } from '../../model/schema/value-type.ts'
import { checkArray } from './check-array.ts'
import { checkCombinators } from './check-combinators.ts'
import { checkObject } from './check-object.ts'
import { checkNumber, checkString } from './check-scalar.ts'
import type { CheckRun } from './check-run.ts'
import type { ArgumentPath } from './problem-wording.ts'
import { formatAllowedValue } from './problem-wording.ts'

/** Checks all keywords of one schema, `type` first: a value of the wrong type is not checked further. */
export function checkKeywords(
  schema: JsonObject,
  value: Json,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  if (schema['$ref'] !== undefined) {
    run.check(run.followRef(schema['$ref']), value, at)
    if (run.ignoresRefSiblings) return
  }
  if (unsupported.some((keyword) => keyword in schema)) run.uncheckedCount++
  const before = run.problems.length
  if (schema['type'] !== undefined) checkType(schema, value, at, run)
  checkAllowed(schema, value, at, run)
  if (run.problems.length > before) return
  if (typeof value === 'string') checkString(schema, value, at, run)
  else if (typeof value === 'number') checkNumber(schema, value, at, run)
  else if (isList(value)) checkArray(schema, value, at, run)
  else if (isObject(value)) checkObject(schema, value, at, run)
  checkCombinators(schema, value, at, run)
}

/** Keywords that depend on which parts of the schema were evaluated, or on where the schema is used. */
const unsupported = ['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef']

function checkType(schema: JsonObject, value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const isRight = isOfType(value, schema['type'])
  if (isRight === undefined) run.uncheckedCount++
  if (isRight === false) run.reportExpected(at, typesOf(schema), value)
}

function checkAllowed(schema: JsonObject, value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const { enum: allowed, const: only } = schema
  if (only !== undefined && !isEqual(only, value)) run.reportExpected(at, [formatAllowedValue(only)], value)
  if (!isList(allowed)) return
  run.spend(allowed.length)
  if (allowed.some((each) => isEqual(each, value))) return
  const texts = allowed.filter((each) => typeof each === 'string')
  const hint = typeof value === 'string' ? didYouMean(value, texts) : ''
  run.reportExpected(at, allowed.map(formatAllowedValue), value, hint)
}
