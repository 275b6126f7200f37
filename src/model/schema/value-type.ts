import { isList, isObject, listOf } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

/** The type names of JSON Schema. */
export const schemaTypes: ReadonlySet<Json> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
])

/** The `type` of a schema as a list; items that are not strings are left out. */
export function typesOf({ type }: JsonObject): readonly string[] {
  return typeof type === 'string' ? [type] : listOf(type).filter((name) => typeof name === 'string')
}

/** Whether a value is of a `type`; `undefined` if JSON Schema does not define the type, or one type of a list. */
export function isOfType(value: Json, type: Json | undefined): boolean | undefined {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    case 'integer':
      return Number.isInteger(value)
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    default:
      return isList(type) ? isOfSomeType(value, type) : undefined
  }
}

function isOfSomeType(value: Json, types: readonly Json[]): boolean | undefined {
  let result: boolean | undefined = types.length > 0 ? false : undefined
  for (const type of types) {
    const isMatch = isList(type) ? undefined : isOfType(value, type)
    if (isMatch) return true
    if (isMatch === undefined) result = undefined
  }
  return result
}
