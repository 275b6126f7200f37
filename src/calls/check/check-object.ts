import { isList, isObject, isStringArray, listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { didYouMean, nearest } from '../../model/near.ts'
import { propertiesOf } from '../../model/schema/parts.ts'
import type { CheckRun } from './check-run.ts'
import type { ArgumentPath } from './problem-wording.ts'
import { joinAlternatives } from './problem-wording.ts'

export function checkObject(
  schema: JsonObject,
  value: JsonObject,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const { minProperties, maxProperties, propertyNames } = schema
  // Undefined properties are not sent.
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  run.spend(keys.length)
  checkRequired(schema, keys, at, run)
  checkProperties(schema, value, keys, at, run)
  checkDependencies(schema, value, at, run)
  if (propertyNames !== undefined) checkNames(propertyNames, keys, at, run)
  if (typeof minProperties === 'number' && keys.length < minProperties) {
    run.report(at, `expected at least ${minProperties} properties, got ${keys.length}`)
  }
  if (typeof maxProperties === 'number' && keys.length > maxProperties) {
    run.report(at, `expected at most ${maxProperties} properties, got ${keys.length}`)
  }
}

function checkRequired(
  schema: JsonObject,
  keys: readonly string[],
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const required = listOf(schema['required'])
  run.spend(required.length)
  const given = new Set(keys)
  for (const key of required) {
    if (typeof key !== 'string' || given.has(key)) continue
    if (run.isFull) return
    const declared = propertiesOf(schema)
    const [misspelled] = nearest(
      key,
      keys.filter((each) => !Object.hasOwn(declared, each)),
    )
    const hint = misspelled === undefined ? '' : `; is ${JSON.stringify(misspelled)} a misspelling?`
    run.report({ above: at, key }, `is required${typeHint(declared, key)} but missing${hint}`)
  }
}

/** ` (string)`; empty if no type is declared. */
function typeHint(declared: JsonObject, key: string): string {
  const schema = Object.hasOwn(declared, key) ? declared[key] : undefined
  const type = isObject(schema) ? schema['type'] : undefined
  if (typeof type === 'string') return ` (${type})`
  return isStringArray(type) ? ` (${joinAlternatives(type)})` : ''
}

function checkProperties(
  schema: JsonObject,
  value: JsonObject,
  keys: readonly string[],
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const { additionalProperties: others, patternProperties } = schema
  const declared = propertiesOf(schema)
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : []
  for (const key of keys) {
    if (run.isFull) return
    const place = { above: at, key }
    const inner = value[key] ?? null
    const isDeclared = Object.hasOwn(declared, key)
    if (isDeclared) run.check(declared[key], inner, place)
    const isMatched = patterns.length > 0 && checkPatterns(patterns, inner, place, run)
    if (isDeclared || isMatched) continue
    if (others === false) run.report(place, unknownKeyMessage(key, declared))
    else run.check(others, inner, place)
  }
}

/** Checks the value against each pattern that matches its key. True if a pattern matches, or cannot be tested. */
function checkPatterns(
  patterns: readonly (readonly [string, Json])[],
  value: Json,
  place: ArgumentPath & { readonly key: string },
  run: CheckRun,
): boolean {
  let isMatched = false
  for (const [pattern, schema] of patterns) {
    const matches = run.match(pattern, place.key)
    if (matches === undefined) run.uncheckedCount++
    if (matches === true) run.check(schema, value, place)
    isMatched ||= matches !== false
  }
  return isMatched
}

function unknownKeyMessage(key: string, declared: JsonObject): string {
  const names = Object.keys(declared)
  const hint = didYouMean(key, names)
  if (hint !== '') return `is unknown${hint}`
  const allowed = names.length === 0 ? 'none' : joinAlternatives(names.map((name) => JSON.stringify(name)))
  return `is unknown; allowed: ${allowed}`
}

/** In older drafts, `dependencies` stands for both other keywords. */
function checkDependencies(
  { dependentRequired, dependentSchemas, dependencies }: JsonObject,
  value: JsonObject,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  for (const rules of [dependentRequired, dependentSchemas, dependencies]) {
    if (!isObject(rules)) continue
    for (const [key, rule] of Object.entries(rules)) {
      if (!isGiven(value, key)) continue
      if (!isList(rule)) run.check(rule, value, at)
      else checkCompanions(key, rule, value, at, run)
    }
  }
}

function checkCompanions(
  key: string,
  companions: readonly Json[],
  value: JsonObject,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  run.spend(companions.length)
  for (const other of companions) {
    if (typeof other !== 'string' || isGiven(value, other) || run.isFull) continue
    run.report({ above: at, key: other }, `is required with ${JSON.stringify(key)} but missing`)
  }
}

function isGiven(value: JsonObject, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined
}

function checkNames(
  schema: Json,
  keys: readonly string[],
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  for (const key of keys) {
    if (run.isFull) return
    const place = { above: at, key }
    const [first] = run.problemsOf(schema, key, place)
    if (first) run.report(place, `is not an allowed name: ${first.message}`)
  }
}
