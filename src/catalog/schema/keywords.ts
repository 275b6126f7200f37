import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'

/** Where a JSON schema holds other schemas; everywhere else it holds data, whatever that looks like. */
const holders: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
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

export interface Draft {
  [key: string]: Json
}

/** The same schema with another one in the place of each that it holds. */
export function mapSchemas(schema: JsonObject, change: (schema: Json, key: string) => Json): Draft {
  const changed: Draft = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === '__proto__') continue
    changed[key] = holders.has(key) ? mapHeld(key, value, change) : value
  }
  return changed
}

function mapHeld(key: string, value: Json, change: (schema: Json, key: string) => Json): Json {
  const kind = holders.get(key)
  if (kind === 'map' && isObject(value)) {
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
    return Object.fromEntries(
      entries.map(([name, held]) => [name, isNames(key, held) ? held : change(held, key)]),
    )
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => change(item, key)) // Array.isArray loses the type
  return kind === 'one' ? change(value, key) : value
}

/** `dependencies` hold names as well as schemas. */
function isNames(key: string, held: Json): boolean {
  return key === 'dependencies' && Array.isArray(held)
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [] // Array.isArray loses the type
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isObject)
}

export function propertiesOf({ properties }: JsonObject): Readonly<Record<string, JsonObject>> {
  if (!isObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? schema : {}]),
  )
}

export function requiredOf({ required }: JsonObject): readonly string[] {
  return listOf(required).filter((name) => typeof name === 'string')
}

export function typesOf({ type }: JsonObject): readonly string[] {
  return typeof type === 'string' ? [type] : listOf(type).filter((one) => typeof one === 'string')
}

/** Whether it says so itself; what it does not speak of is not looked at. */
export function admitsNull(schema: JsonObject): boolean {
  if (schema['const'] === null || listOf(schema['enum']).includes(null) || typesOf(schema).includes('null'))
    return true
  return [...objectsOf(schema['anyOf']), ...objectsOf(schema['oneOf'])].some(admitsNull)
}
