import { isEqual, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { admitsNull, listOf, objectsOf, requiredOf, typesOf } from './keywords.ts'
import type { Draft } from './keywords.ts'
import { mergeAll, spread } from './merge-schemas.ts'
import { impliedType, setItems } from './rewrite-schema.ts'

/** Arguments under the names their tool has for them. */
export function restoreKeys(args: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [renamed.get(name) ?? name, value]))
}

/** Without the `null`s that a strict schema asks for where the tool's own wants nothing at all. */
export function restoreAbsent(value: Json, schemas: readonly JsonObject[]): Json {
  if (typeof value !== 'object' || value === null) return value
  const all = schemas.flatMap((schema) => meantBy(value, schema))
  if (!isObject(value)) return value.map((item) => restoreAbsent(item, all.map(itemsOf)))
  const needed = new Set(all.flatMap(requiredOf))
  const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const held = all.flatMap(({ properties }) => propertyOf(properties, name))
    const isAbsent = item === null && held.length > 0 && !needed.has(name) && !held.some(admitsNull)
    return isAbsent ? [] : [[name, restoreAbsent(item, held)]]
  })
  return Object.fromEntries(entries)
}

/** Of a schema that is a choice, the option that a model answered to; all of them where it answered to none. */
function meantBy(value: Json, schema: JsonObject): readonly JsonObject[] {
  const options = optionsOf(schema)
  const meant = options.length > 1 ? options.find((option) => isOf(value, option)) : undefined
  return meant ? [meant] : options
}

const known = new WeakMap<JsonObject, readonly JsonObject[]>()

/** As a strict schema tells them to a model. Made once: a list may hold thousands of answers to the same. */
function optionsOf(schema: JsonObject): readonly JsonObject[] {
  const found = known.get(schema)
  if (found) return found
  const { anyOf, oneOf, ...common } = mergeAll(schema)
  const options = [...objectsOf(anyOf), ...objectsOf(oneOf)]
  const all = options.length === 0 ? [common] : spread(common, options).flatMap(optionsOf)
  known.set(schema, all)
  return all
}

function isAnswer(value: Json, schema: JsonObject): boolean {
  return optionsOf(schema).some((option) => isOf(value, option))
}

/** Whether a strict schema of an option admits a value, as far as kinds, names and values to choose from tell. */
function isOf(value: Json, option: JsonObject): boolean {
  const { const: only, enum: values } = option
  if (value === null) return admitsNull(option)
  if (only !== undefined && !isEqual(value, only)) return false
  if (values !== undefined && !listOf(values).some((one) => isEqual(value, one))) return false
  const types = typesOf({ type: option['type'] ?? impliedType(option) ?? null })
  if (types.length > 0 && !types.some((type) => isKind(value, type))) return false
  if (isObject(value)) return hasProperties(value, option)
  return typeof value !== 'object' || value.every((item) => isAnswer(item, itemsOf(option)))
}

function hasProperties(value: JsonObject, option: JsonObject): boolean {
  const required = new Set(requiredOf(option))
  if (![...required].every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, item]) => {
    const [property] = propertyOf(option['properties'], name)
    return property && ((item === null && !required.has(name)) || isAnswer(item, property))
  })
}

function isKind(value: Json, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function itemsOf(schema: JsonObject): JsonObject {
  const list: Draft = { ...schema }
  setItems(list)
  return isObject(list['items']) ? list['items'] : {}
}

function propertyOf(properties: Json | undefined, name: string): readonly JsonObject[] {
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isObject(property) ? [property] : []
}
