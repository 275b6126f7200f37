import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { isListed, optionsOf, propertyOf, requiredOf } from '../../model/schema/parts.ts'
import { isOfType } from '../../model/schema/value-type.ts'
import { mergeAll, distribute } from './merge-schemas.ts'
import { admitsNull, impliedType, listItemsOf } from './rewrite-schema.ts'

/**
 * Removes the `null`s that a strict schema requires for optional properties and that the tool's own schema does not
 * allow.
 */
export function removeAddedNulls(value: Json, schemas: readonly JsonObject[]): Json {
  if (typeof value !== 'object' || value === null) return value
  const all = schemas.flatMap((schema) => matchingOptions(value, schema))
  if (!isObject(value)) return value.map((item) => removeAddedNulls(item, all.map(listItemsOf)))
  const needed = new Set(all.flatMap(requiredOf))
  const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const held = all.flatMap((schema) => propertySchemaOf(schema, name))
    const isAbsent = item === null && held.length > 0 && !needed.has(name) && !held.some(admitsNull)
    return isAbsent ? [] : [[name, removeAddedNulls(item, held)]]
  })
  return Object.fromEntries(entries)
}

/** The option of a choice that the value matches; all options if it matches none. */
function matchingOptions(value: Json, schema: JsonObject): readonly JsonObject[] {
  const options = expandOptions(schema)
  const matching = options.length > 1 ? options.find((option) => matchesOption(value, option)) : undefined
  return matching ? [matching] : options
}

const optionCache = new WeakMap<JsonObject, readonly JsonObject[]>()

/** The options as the strict schema lists them. Cached: a list may hold thousands of values for one schema. */
function expandOptions(schema: JsonObject): readonly JsonObject[] {
  const found = optionCache.get(schema)
  if (found) return found
  const merged = mergeAll(schema)
  const { anyOf: _anyOf, oneOf: _oneOf, ...common } = merged
  const options = optionsOf(merged)
  const all = options.length === 0 ? [common] : distribute(common, options).flatMap(expandOptions)
  optionCache.set(schema, all)
  return all
}

function matchesSchema(value: Json, schema: JsonObject): boolean {
  return expandOptions(schema).some((option) => matchesOption(value, option))
}

/** Whether the strict form of an option admits a value, judged by type, property names and enum values. */
function matchesOption(value: Json, option: JsonObject): boolean {
  if (value === null) return admitsNull(option)
  if (!isListed(option, value)) return false
  if (isOfType(value, option['type'] ?? impliedType(option)) === false) return false
  if (isObject(value)) return hasProperties(value, option)
  return typeof value !== 'object' || value.every((item) => matchesSchema(item, listItemsOf(option)))
}

function hasProperties(value: JsonObject, option: JsonObject): boolean {
  const required = new Set(requiredOf(option))
  if (![...required].every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, item]) => {
    const [property] = propertySchemaOf(option, name)
    return property && ((item === null && !required.has(name)) || matchesSchema(item, property))
  })
}

function propertySchemaOf(schema: JsonObject, name: string): readonly JsonObject[] {
  const property = propertyOf(schema, name)
  return isObject(property) ? [property] : []
}
