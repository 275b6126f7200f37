import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { isListed, optionsOf, propertyOf, requiredOf } from '../../model/schema/parts.ts'
import { isOfType } from '../../model/schema/value-type.ts'
import { mergeAll, spread } from './merge-schemas.ts'
import { admitsNull, impliedType, listItemsOf } from './rewrite-schema.ts'

/** Without the `null`s that a strict schema asks for where the tool's own wants nothing at all. */
export function restoreAbsent(value: Json, schemas: readonly JsonObject[]): Json {
  if (typeof value !== 'object' || value === null) return value
  const all = schemas.flatMap((schema) => meantBy(value, schema))
  if (!isObject(value)) return value.map((item) => restoreAbsent(item, all.map(listItemsOf)))
  const needed = new Set(all.flatMap(requiredOf))
  const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const held = all.flatMap((schema) => schemaOf(schema, name))
    const isAbsent = item === null && held.length > 0 && !needed.has(name) && !held.some(admitsNull)
    return isAbsent ? [] : [[name, restoreAbsent(item, held)]]
  })
  return Object.fromEntries(entries)
}

/** Of a schema that is a choice, the option that a model answered to; all of them where it answered to none. */
function meantBy(value: Json, schema: JsonObject): readonly JsonObject[] {
  const options = spreadOptions(schema)
  const meant = options.length > 1 ? options.find((option) => isOf(value, option)) : undefined
  return meant ? [meant] : options
}

const known = new WeakMap<JsonObject, readonly JsonObject[]>()

/** As a strict schema tells them to a model. Made once: a list may hold thousands of answers to the same. */
function spreadOptions(schema: JsonObject): readonly JsonObject[] {
  const found = known.get(schema)
  if (found) return found
  const merged = mergeAll(schema)
  const { anyOf: _anyOf, oneOf: _oneOf, ...common } = merged
  const options = optionsOf(merged)
  const all = options.length === 0 ? [common] : spread(common, options).flatMap(spreadOptions)
  known.set(schema, all)
  return all
}

function isAnswer(value: Json, schema: JsonObject): boolean {
  return spreadOptions(schema).some((option) => isOf(value, option))
}

/** Whether a strict schema of an option admits a value, as far as kinds, names and values to choose from tell. */
function isOf(value: Json, option: JsonObject): boolean {
  if (value === null) return admitsNull(option)
  if (!isListed(option, value)) return false
  if (isOfType(value, option['type'] ?? impliedType(option)) === false) return false
  if (isObject(value)) return hasProperties(value, option)
  return typeof value !== 'object' || value.every((item) => isAnswer(item, listItemsOf(option)))
}

function hasProperties(value: JsonObject, option: JsonObject): boolean {
  const required = new Set(requiredOf(option))
  if (![...required].every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, item]) => {
    const [property] = schemaOf(option, name)
    return property && ((item === null && !required.has(name)) || isAnswer(item, property))
  })
}

function schemaOf(schema: JsonObject, name: string): readonly JsonObject[] {
  const property = propertyOf(schema, name)
  return isObject(property) ? [property] : []
}
