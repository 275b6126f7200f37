import { isEqual, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { didYouMean } from '../near.ts'
import { checkArray } from './check-array.ts'
import { checkForms } from './check-combinators.ts'
import { checkObject } from './check-object.ts'
import { checkNumber, checkString } from './check-scalar.ts'
import { isList } from './lists.ts'
import type { Looking } from './check-run.ts'
import type { Place } from './argument-path.ts'
import { showAllowed } from './problem-wording.ts'

/** All keywords of one schema, the plainest first: what is of the wrong kind is looked at no further. */
export function checkKeywords(
  schema: JsonObject,
  value: Json,
  at: Place | undefined,
  looking: Looking,
): void {
  if (schema['$ref'] !== undefined) {
    looking.check(looking.follow(schema['$ref']), value, at)
    if (looking.refsAlone) return
  }
  if (unsupported.some((keyword) => keyword in schema)) looking.unsure++
  const before = looking.found.length
  if (schema['type'] !== undefined) checkType(schema['type'], value, at, looking)
  checkAllowed(schema, value, at, looking)
  if (looking.found.length > before) return
  if (typeof value === 'string') checkString(schema, value, at, looking)
  else if (typeof value === 'number') checkNumber(schema, value, at, looking)
  else if (isList(value)) checkArray(schema, value, at, looking)
  else if (isObject(value)) checkObject(schema, value, at, looking)
  checkForms(schema, value, at, looking)
}

/** They depend on what other parts of the schema looked at, or on where it is used. */
const unsupported = ['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef']

const kinds: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: (value) => isObject(value),
}

function checkType(type: Json, value: Json, at: Place | undefined, looking: Looking): void {
  const names = isList(type) ? type : [type]
  const expected = names.filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(kinds, name),
  )
  if (expected.some((name) => kinds[name]?.(value))) return
  // A kind that nobody knows may be any.
  if (expected.length < names.length || names.length === 0) looking.unsure++
  else looking.expected(at, expected, value)
}

function checkAllowed(schema: JsonObject, value: Json, at: Place | undefined, looking: Looking): void {
  const { enum: allowed, const: only } = schema
  if (only !== undefined && !isEqual(only, value)) looking.expected(at, [showAllowed(only)], value)
  if (!isList(allowed)) return
  looking.spend(allowed.length)
  if (allowed.some((each) => isEqual(each, value))) return
  const words = allowed.filter((each) => typeof each === 'string')
  const hint = typeof value === 'string' ? didYouMean(value, words) : ''
  looking.expected(at, allowed.map(showAllowed), value, hint)
}
