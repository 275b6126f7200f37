import { isList, isObject, listOf } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

/** The names that JSON Schema has for types of values. */
export const schemaTypes: ReadonlySet<Json> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
])

/** The `type` of a schema as a list; what is no text is left out. */
export function typesOf({ type }: JsonObject): readonly string[] {
  return typeof type === 'string' ? [type] : listOf(type).filter((one) => typeof one === 'string')
}

/** Whether a value is of a `type`; `undefined` for a type, or a list with a type, that JSON Schema does not define. */
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
      return isList(type) ? isOfSome(value, type) : undefined
  }
}

function isOfSome(value: Json, types: readonly Json[]): boolean | undefined {
  let isOne: boolean | undefined = types.length > 0 ? false : undefined
  for (const type of types) {
    const isThis = isList(type) ? undefined : isOfType(value, type)
    if (isThis) return true
    if (isThis === undefined) isOne = undefined
  }
  return isOne
}
