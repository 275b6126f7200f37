import { canonicalize } from '../../model/canonical.ts'
import { isEqual, isObject, listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { objectsOf, propertySchemas, requiredOf } from '../../model/schema/parts.ts'
import { schemaLimits } from '../../model/schema/schema-limits.ts'
import type { Draft } from '../../model/schema/subschemas.ts'
import { typesOf } from '../../model/schema/value-type.ts'
import { SchemaError } from './inline-refs.ts'

/** Merges `allOf` into one schema. What cannot be merged is left to the server's check. */
export function mergeAll(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema
  const parts = objectsOf(allOf)
  return parts.map(mergeAll).reduce(mergeTwo, rest)
}

function mergeTwo(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Draft = { ...b, ...a }
  for (const [key, merge] of Object.entries(merges)) {
    const [left, right] = [a[key], b[key]]
    if (left === undefined || right === undefined) continue
    const both = merge(left, right)
    if (both === undefined) delete merged[key]
    else merged[key] = both
  }
  return merged
}

const merges: Readonly<Record<string, (a: Json, b: Json) => Json | undefined>> = {
  properties: (a, b) => mergeProperties({ properties: a }, { properties: b }, (x, y) => mergeTwo(x, y)),
  required: (a, b) => [...new Set([...requiredOf({ required: a }), ...requiredOf({ required: b })])],
  type: (a, b) => {
    const common = typesOf({ type: a }).filter((type) => typesOf({ type: b }).includes(type))
    return common.length > 1 ? common : (common[0] ?? a)
  },
  enum: (a, b) => {
    const others = new Set(listOf(b).map(canonicalize))
    const common = listOf(a).filter((value) => others.has(canonicalize(value)))
    return common.length > 0 ? common : a
  },
  anyOf: (a, b) => (isEqual(a, b) ? a : undefined),
  oneOf: (a, b) => (isEqual(a, b) ? a : undefined),
  additionalProperties: (a, b) => (a === false || b === false ? false : a),
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
}

function larger(a: Json, b: Json): Json {
  return Math.max(Number(a), Number(b))
}

function smaller(a: Json, b: Json): Json {
  return Math.min(Number(a), Number(b))
}

function mergeProperties(
  a: JsonObject,
  b: JsonObject,
  merge: (a: JsonObject, b: JsonObject) => JsonObject,
): JsonObject {
  const merged = new Map(Object.entries(propertySchemas(a)))
  for (const [name, schema] of Object.entries(propertySchemas(b))) {
    const known = merged.get(name)
    merged.set(name, !known || isEqual(known, schema) ? schema : merge(known, schema))
  }
  return Object.fromEntries(merged)
}

/** Merges `common` into each option, within the limits of a schema. */
export function distribute(common: JsonObject, options: readonly JsonObject[]): readonly JsonObject[] {
  const times = Object.keys(propertySchemas(common)).length * options.length
  if (times > schemaLimits.nodes) throw new SchemaError('it has too many options')
  return options.map((option) => mergeAll({ allOf: [option, common] }))
}

/**
 * Merges the branches of `anyOf` and `oneOf` into one object schema. It accepts the arguments of all branches, requires
 * those that all branches require, and describes the other requirements in words.
 */
export function mergeChoice(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, ...rest } = schema
  const branches = [objectsOf(anyOf), objectsOf(oneOf)].filter((list) => list.length > 0)
  return branches.reduce(mergeBranches, rest)
}

function mergeBranches(rest: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const choices = branches.map((branch) => mergeChoice(mergeAll(branch)))
  const either = (a: JsonObject, b: JsonObject): JsonObject => ({ anyOf: [...choicesOf(a), ...choicesOf(b)] })
  const properties = choices
    .map((choice) => choice['properties'])
    .filter(isObject)
    .reduce((all, some) => mergeProperties({ properties: all }, { properties: some }, either), {})
  const own = propertySchemas(rest)
  const [first = [], ...others] = choices.map(requiredOf)
  const common = first.filter((name) => others.every((names) => names.includes(name)))
  const required = [...new Set([...requiredOf(rest), ...common])]
  const declared = { ...properties, ...own }
  return {
    ...rest,
    properties: {
      ...declared,
      ...(isClosed(rest) ? {} : undeclaredProperties([first, ...others].flat(), declared)),
    },
    ...(required.length > 0 && { required }),
    ...describeChoice(
      rest,
      [first, ...others].map((names) => names.filter((name) => !common.includes(name))),
    ),
  }
}

function isClosed({ additionalProperties }: JsonObject): boolean {
  return additionalProperties === false
}

/** Declares the required properties that no branch declares, so that a model can send them. */
function undeclaredProperties(names: readonly string[], declared: JsonObject): JsonObject {
  const missing = names.filter((name) => name !== '__proto__' && !Object.hasOwn(declared, name))
  return Object.fromEntries(missing.map((name) => [name, {}]))
}

function choicesOf(schema: JsonObject): readonly JsonObject[] {
  return Object.keys(schema).length === 1 && Array.isArray(schema['anyOf'])
    ? objectsOf(schema['anyOf'])
    : [schema]
}

function describeChoice({ description }: JsonObject, sets: readonly (readonly string[])[]): JsonObject {
  if (sets.every((names) => names.length === 0)) return {}
  const choices = sets.map((names) => (names.length === 0 ? 'none' : names.join(' and ')))
  const note = `Needs one of: ${[...new Set(choices)].join('; ')}.`
  return { description: typeof description === 'string' ? `${description}\n${note}` : note }
}
