import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { nearest } from '../../model/near.ts'
import { didYouMean } from '../near.ts'
import { isList, listOf } from './lists.ts'
import type { Looking } from './check-run.ts'
import type { Place } from './argument-path.ts'
import { either } from './problem-wording.ts'

export function checkObject(
  schema: JsonObject,
  value: JsonObject,
  at: Place | undefined,
  looking: Looking,
): void {
  const { minProperties, maxProperties, propertyNames } = schema
  // What is undefined is never sent.
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  looking.spend(keys.length)
  checkRequired(schema, keys, at, looking)
  checkProperties(schema, value, keys, at, looking)
  checkDependencies(schema, value, at, looking)
  if (propertyNames !== undefined) checkNames(propertyNames, keys, at, looking)
  if (typeof minProperties === 'number' && keys.length < minProperties) {
    looking.report(at, `expected at least ${minProperties} properties, got ${keys.length}`)
  }
  if (typeof maxProperties === 'number' && keys.length > maxProperties) {
    looking.report(at, `expected at most ${maxProperties} properties, got ${keys.length}`)
  }
}

function checkRequired(
  schema: JsonObject,
  keys: readonly string[],
  at: Place | undefined,
  looking: Looking,
): void {
  const required = listOf(schema['required'])
  looking.spend(required.length)
  const given = new Set(keys)
  for (const key of required) {
    if (typeof key !== 'string' || given.has(key)) continue
    if (looking.isFull) return
    const declared = propertiesOf(schema)
    const [meant] = nearest(
      key,
      keys.filter((each) => !Object.hasOwn(declared, each)),
    )
    const instead = meant === undefined ? '' : `; did you mean it by ${JSON.stringify(meant)}?`
    looking.report({ above: at, key }, `is required${kindOf(declared, key)} and missing${instead}`)
  }
}

function kindOf(declared: JsonObject, key: string): string {
  const schema = Object.hasOwn(declared, key) ? declared[key] : undefined
  const type = isObject(schema) ? schema['type'] : undefined
  if (typeof type === 'string') return ` (${type})`
  return isStringArray(type) ? ` (${either(type)})` : ''
}

function checkProperties(
  schema: JsonObject,
  value: JsonObject,
  keys: readonly string[],
  at: Place | undefined,
  looking: Looking,
): void {
  const { additionalProperties: others, patternProperties } = schema
  const declared = propertiesOf(schema)
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : []
  for (const key of keys) {
    if (looking.isFull) return
    const place = { above: at, key }
    const inner = value[key] ?? null
    const isDeclared = Object.hasOwn(declared, key)
    if (isDeclared) looking.check(declared[key], inner, place)
    const isMatched = patterns.length > 0 && checkPatterns(patterns, inner, place, looking)
    if (isDeclared || isMatched) continue
    if (others === false) looking.report(place, unknownKey(key, declared))
    else looking.check(others, inner, place)
  }
}

/** Whether the key belongs to a pattern, or may do so. */
function checkPatterns(
  patterns: readonly (readonly [string, Json])[],
  value: Json,
  place: Place & { readonly key: string },
  looking: Looking,
): boolean {
  let isMatched = false
  for (const [pattern, schema] of patterns) {
    const fits = looking.match(pattern, place.key)
    if (fits === undefined) looking.unsure++
    if (fits === true) looking.check(schema, value, place)
    isMatched ||= fits !== false
  }
  return isMatched
}

function unknownKey(key: string, declared: JsonObject): string {
  const names = Object.keys(declared)
  const hint = didYouMean(key, names)
  if (hint !== '') return `is not known${hint}`
  const allowed = names.length === 0 ? 'nothing' : either(names.map((name) => JSON.stringify(name)))
  return `is not known; allowed: ${allowed}`
}

/** `dependencies` is both of the others in one, in older drafts. */
function checkDependencies(
  { dependentRequired, dependentSchemas, dependencies }: JsonObject,
  value: JsonObject,
  at: Place | undefined,
  looking: Looking,
): void {
  for (const rules of [dependentRequired, dependentSchemas, dependencies]) {
    if (!isObject(rules)) continue
    for (const [key, rule] of Object.entries(rules)) {
      if (!isGiven(value, key)) continue
      if (!isList(rule)) looking.check(rule, value, at)
      else checkCompanions(key, rule, value, at, looking)
    }
  }
}

function checkCompanions(
  key: string,
  companions: readonly Json[],
  value: JsonObject,
  at: Place | undefined,
  looking: Looking,
): void {
  looking.spend(companions.length)
  for (const other of companions) {
    if (typeof other !== 'string' || isGiven(value, other) || looking.isFull) continue
    looking.report({ above: at, key: other }, `is required with ${JSON.stringify(key)} and missing`)
  }
}

function isGiven(value: JsonObject, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined
}

function checkNames(schema: Json, keys: readonly string[], at: Place | undefined, looking: Looking): void {
  for (const key of keys) {
    if (looking.isFull) return
    const place = { above: at, key }
    const [first] = looking.problemsOf(schema, key, place)
    if (first) looking.report(place, `is no allowed name: ${first.message}`)
  }
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {}
}
