import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { isOfType } from '../../model/schema/value-type.ts'

/** The rules of a simple schema, which most tools have: a few properties with a primitive type. */
export interface PlainRules {
  readonly types: ReadonlyMap<string, PlainType>
  readonly required: readonly string[]
  /** Whether undeclared properties are allowed. */
  readonly isOpen: boolean
}

/** A value of type `other` needs the full check. */
type PlainType = 'string' | 'number' | 'integer' | 'boolean' | 'other'

const plainTypes: readonly Json[] = ['string', 'number', 'integer', 'boolean']
/** Keywords without any constraint. */
const annotations = ['$schema', 'title', 'description', 'default', 'examples']
const objectKeywords = new Set([...annotations, 'type', 'properties', 'required', 'additionalProperties'])
const propertyKeywords = new Set([...annotations, 'type'])

/** `undefined` for a schema with constraints beyond plain rules. */
export function readPlainRules(schema: JsonObject): PlainRules | undefined {
  const { type, properties = {}, required = [], additionalProperties = true } = schema
  const isPlain = hasOnly(schema, objectKeywords) && (type === undefined || type === 'object')
  if (!isPlain || !isObject(properties) || !isStringArray(required)) return undefined
  if (typeof additionalProperties !== 'boolean') return undefined
  const types = new Map(Object.entries(properties).map(([name, each]) => [name, plainTypeOf(each)]))
  return { types, required, isOpen: additionalProperties }
}

function plainTypeOf(schema: Json): PlainType {
  if (!isObject(schema) || !hasOnly(schema, propertyKeywords)) return 'other'
  return plainTypes.includes(schema['type'] ?? null) ? (schema['type'] as PlainType) : 'other' // it is in the list
}

function hasOnly(schema: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((key) => known.has(key))
}

/** A fast check that suffices for most arguments. If it fails, the full check decides and finds the problems. */
export function matchesPlainRules(args: JsonObject, { types, required, isOpen }: PlainRules): boolean {
  for (const key in args) {
    const value = args[key]
    // Undefined properties are not sent.
    if (value === undefined) continue
    const type = types.get(key)
    if (type === undefined ? !isOpen : !isOfType(value, type)) return false
  }
  for (const key of required) if (!Object.hasOwn(args, key) || args[key] === undefined) return false
  return true
}
