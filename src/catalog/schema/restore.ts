import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { admitsNull, listOf, objectsOf, requiredOf } from './keywords.ts'

/** Arguments under the names their tool has for them. */
export function restoreKeys(args: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [renamed.get(name) ?? name, value]))
}

/** Without the `null`s that a strict schema asks for where the tool's own wants nothing at all. */
export function restoreAbsent(value: Json, schemas: readonly JsonObject[]): Json {
  const all = schemas.flatMap(alternatives)
  if (Array.isArray(value)) {
    const items = all
      .flatMap(({ items, prefixItems }) => [items ?? null, ...listOf(prefixItems)])
      .filter(isObject)
    return (value as readonly Json[]).map((item) => restoreAbsent(item, items)) // Array.isArray loses the type
  }
  if (!isObject(value)) return value
  const needed = new Set(all.flatMap(requiredOf))
  const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const held = all.flatMap(({ properties }) => propertyOf(properties, name))
    const isAbsent = item === null && held.length > 0 && !needed.has(name) && !held.some(admitsNull)
    return isAbsent ? [] : [[name, restoreAbsent(item, held)]]
  })
  return Object.fromEntries(entries)
}

function propertyOf(properties: Json | undefined, name: string): readonly JsonObject[] {
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isObject(property) ? [property] : []
}

/** A schema and all it may be, or has to be, as well. */
function alternatives(schema: JsonObject): readonly JsonObject[] {
  const { allOf, anyOf, oneOf } = schema
  return [schema, ...[allOf, anyOf, oneOf].flatMap(objectsOf).flatMap(alternatives)]
}
