import { isList, isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

/** The keywords whose values are schemas: one schema, a list, or a map by name. Values of other keywords are data. */
const keywords: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'map'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['items', 'one'],
  ['additionalItems', 'one'],
  ['contains', 'one'],
  ['unevaluatedItems', 'one'],
  ['additionalProperties', 'one'],
  ['propertyNames', 'one'],
  ['unevaluatedProperties', 'one'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
  ['contentSchema', 'one'],
])

/** A schema under construction. */
export interface Draft {
  [key: string]: Json
}

/** Copies a schema and replaces each direct subschema by the result of `change`. */
export function mapSchemas(schema: JsonObject, change: (schema: Json, key: string) => Json): Draft {
  const changed: Draft = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === '__proto__') continue
    changed[key] = keywords.has(key) ? mapSubschemas(key, value, change) : value
  }
  return changed
}

function mapSubschemas(key: string, value: Json, change: (schema: Json, key: string) => Json): Json {
  const kind = keywords.get(key)
  if (kind === 'map' && isObject(value)) {
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
    return Object.fromEntries(
      entries.map(([name, item]) => [name, isNameList(key, item) ? item : change(item, key)]),
    )
  }
  if (isList(value)) return value.map((item) => change(item, key))
  return kind === 'one' ? change(value, key) : value
}

/** `dependencies` maps a name either to a schema or to a list of property names. */
function isNameList(key: string, value: Json): boolean {
  return key === 'dependencies' && Array.isArray(value)
}
