import type { Json, JsonObject } from '../../../index.ts'
import {
  isList,
  isObject,
  listOf,
  objectsOf,
  propertiesOf,
  requiredOf,
  resolveRef,
  typesOf,
} from '../../../internal.ts'

/** What may still be read of a schema; shared by all of its parts, so that one that refers to itself ends. */
export interface SchemaBudget {
  parts: number
}

const maxMerged = 20

/** Follows references and merges `allOf`. Undefined if the parts do not fit into one schema, or there are too many. */
export function resolveSchema(
  schema: JsonObject,
  root: JsonObject,
  budget: SchemaBudget,
): JsonObject | undefined {
  if (budget.parts-- <= 0) return undefined
  const { $ref: ref, allOf, ...own } = schema
  const target = ref === undefined ? undefined : resolveRef(ref, root)
  const referred = isObject(target) ? [target] : []
  // A reference to another document says nothing here; the server checks it.
  const parts = [...referred, ...objectsOf(allOf)]
  if (parts.length === 0) return own
  if (parts.length > maxMerged) return undefined
  let merged: JsonObject | undefined = {}
  for (const part of parts) {
    const resolved = resolveSchema(part, root, budget)
    merged = resolved && merged && mergeSchemas(merged, resolved)
    if (!merged) return undefined
  }
  return mergeSchemas(merged, own)
}

/** One schema for values that both admit. Undefined if there is none that a form could show. Words of `own` win. */
export function mergeSchemas(other: JsonObject, own: JsonObject): JsonObject | undefined {
  const type = mergeTypes(other, own)
  if (isList(type) && type.length === 0) return undefined
  const hasTwo = (key: string) =>
    other[key] !== undefined && own[key] !== undefined && other[key] !== own[key]
  if (hasTwo('oneOf') || hasTwo('anyOf') || hasTwo('const') || hasTwo('enum')) return undefined
  const required = [...new Set([...requiredOf(other), ...requiredOf(own)])]
  const properties = mergeProperties(propertiesOf(other), propertiesOf(own))
  return {
    ...other,
    ...own,
    ...(type !== undefined && { type }),
    ...(properties && { properties }),
    ...(required.length > 0 && { required }),
    ...tighten(other, own),
  }
}

function mergeProperties(other: JsonObject, own: JsonObject): JsonObject | undefined {
  const names = Object.keys(other)
  if (names.length === 0) return Object.keys(own).length > 0 ? own : undefined
  const inBoth = names.filter((name) => Object.hasOwn(own, name))
  const both = inBoth.map((name): [string, Json] => [name, { allOf: [other[name] ?? {}, own[name] ?? {}] }])
  // The order is that of `other`, then the new ones of `own`.
  return Object.fromEntries([...Object.entries(other), ...Object.entries(own), ...both])
}

/** The types that both admit: empty if they admit no common one, undefined if neither says. */
function mergeTypes(other: JsonObject, own: JsonObject): Json | undefined {
  const [a, b] = [typesOf(other), typesOf(own)]
  if (a.length === 0 || b.length === 0) return own['type'] ?? other['type']
  const isIn = (type: string, types: readonly string[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const common = [...new Set([...a.filter((type) => isIn(type, b)), ...b.filter((type) => isIn(type, a))])]
  const [only] = common
  if (only === undefined) return []
  return common.length === 1 ? only : common
}

const limits = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
} as const

function tighten(other: JsonObject, own: JsonObject): JsonObject {
  const both = Object.entries(limits).flatMap(([key, choose]): [string, number][] => {
    const [a, b] = [other[key], own[key]]
    return typeof a === 'number' && typeof b === 'number' ? [[key, choose(a, b)]] : []
  })
  return Object.fromEntries(both)
}

export interface NullableSchema {
  readonly schema: JsonObject
  readonly isNullable: boolean
}

/** Takes `null` out of the values that a schema admits, in each of the ways that schemas write it. */
export function withoutNull(schema: JsonObject): NullableSchema {
  const changed: Record<string, Json> = {}
  let isNullable = schema['nullable'] === true
  const types = typesOf(schema)
  if (types.length > 1 && types.includes('null')) {
    const others = types.filter((type) => type !== 'null')
    const [only = 'null'] = others
    changed['type'] = others.length === 1 ? only : others
    isNullable = true
  }
  const values = schema['enum']
  if (isList(values) && values.length > 1 && values.includes(null)) {
    changed['enum'] = values.filter((value) => value !== null)
    isNullable = true
  }
  for (const key of ['anyOf', 'oneOf']) {
    const options = listOf(schema[key])
    const others = options.filter((option) => !isNull(option))
    if (others.length === 0 || others.length === options.length) continue
    changed[key] = others
    isNullable = true
  }
  return { schema: { ...schema, ...changed }, isNullable }
}

function isNull(option: Json): boolean {
  return isObject(option) && (option['type'] === 'null' || option['const'] === null)
}

export function textIn(schema: JsonObject, key: string): string | undefined {
  const value = schema[key]
  return typeof value === 'string' ? value : undefined
}

/** The numbers of a schema under other names. */
export function numbersIn<Names extends string>(
  schema: JsonObject,
  keys: Readonly<Record<Names, string>>,
): Partial<Record<Names, number>> {
  const found: Partial<Record<Names, number>> = {}
  for (const name of Object.keys(keys) as Names[]) {
    // Object.keys() forgets the key type
    const value = schema[keys[name]]
    if (typeof value === 'number') found[name] = value
  }
  return found
}
