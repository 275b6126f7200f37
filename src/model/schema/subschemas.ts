import { isList, isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

/** The keywords whose values are schemas: one, a list of them, or a map by name. The value of any other is data. */
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

/** A schema that is being written. */
export interface Draft {
  [key: string]: Json
}

/** A copy of a schema, with each schema directly in it replaced by `change`. */
export function mapSchemas(schema: JsonObject, change: (schema: Json, key: string) => Json): Draft {
  const changed: Draft = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === '__proto__') continue
    changed[key] = keywords.has(key) ? mapHeld(key, value, change) : value
  }
  return changed
}

function mapHeld(key: string, value: Json, change: (schema: Json, key: string) => Json): Json {
  const kind = keywords.get(key)
  if (kind === 'map' && isObject(value)) {
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
    return Object.fromEntries(
      entries.map(([name, held]) => [name, isNames(key, held) ? held : change(held, key)]),
    )
  }
  if (isList(value)) return value.map((item) => change(item, key))
  return kind === 'one' ? change(value, key) : value
}

/** `dependencies` maps to lists of names as well as to schemas. */
function isNames(key: string, held: Json): boolean {
  return key === 'dependencies' && Array.isArray(held)
}
