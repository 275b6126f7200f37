import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { limits } from './inline-refs.ts'

const types = new Set<Json>(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Whatever stands under these is looked at properly, or is there to be rewritten. */
const unusual = new Set(
  [
    '$ref $dynamicRef $recursiveRef $defs definitions $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary',
    '$comment $schema nullable prefixItems additionalItems patternProperties dependentSchemas contains propertyNames',
    'unevaluatedItems unevaluatedProperties not if then else __proto__',
  ].flatMap((line) => line.split(' ')),
)
const numbers = new Set(
  [
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength',
    'minItems maxItems minProperties maxProperties',
  ].flatMap((line) => line.split(' ')),
)
const notOnTop = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not']

/**
 * Whether a schema is fit for OpenAI and Anthropic as it came. Most are, and finding that out costs a fraction of making
 * another one of it: a thousand tools are converted in about the time it takes to parse them.
 */
export function isFit(schema: JsonObject, isKey: (name: string) => boolean): boolean {
  const { properties } = schema
  if (schema['type'] !== 'object' || !isObject(properties)) return false
  for (const key of notOnTop) if (schema[key] !== undefined) return false
  for (const name in properties) if (!isKey(name)) return false
  return isPlain(schema, 0, { nodes: 0, letters: 0 })
}

/** How much was looked at. A number counts as eight letters, and half of what is allowed is left for the rest. */
interface Seen {
  nodes: number
  letters: number
}

function isPlain(schema: Json | undefined, depth: number, seen: Seen): boolean {
  if (!isObject(schema) || depth > limits.depth || ++seen.nodes > limits.nodes) return false
  for (const key in schema) {
    seen.letters += key.length
    if (!isPlainAt(key, schema[key], depth, seen)) return false
  }
  return seen.letters < limits.bytes / 2 && (schema['type'] !== 'array' || schema['items'] !== undefined)
}

function isPlainAt(key: string, value: Json | undefined, depth: number, seen: Seen): boolean {
  switch (key) {
    case 'type':
      return value !== undefined && types.has(value)
    case 'description':
    case 'title':
    case 'pattern':
    case 'format':
      return typeof value === 'string' && isShort(value, seen)
    case 'properties':
      return isPlainMap(value, depth, seen)
    case 'items':
      return isPlain(value, depth + 1, seen)
    case 'additionalProperties':
      return typeof value === 'boolean' || isPlain(value, depth + 1, seen)
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return (
        Array.isArray(value) && value.length > 0 && value.every((one: Json) => isPlain(one, depth + 1, seen))
      )
    case 'required':
      return isStringArray(value) && new Set(value).size === value.length
    case 'enum':
      return Array.isArray(value) && value.length > 0 && isShort(value, seen)
    default:
      if (unusual.has(key)) return false
      return numbers.has(key) ? typeof value === 'number' : isShort(value, seen)
  }
}

function isPlainMap(properties: Json | undefined, depth: number, seen: Seen): boolean {
  if (!isObject(properties)) return false
  for (const name in properties) {
    seen.letters += name.length
    if (name === '__proto__' || !isPlain(properties[name], depth + 1, seen)) return false
  }
  return true
}

/** Data is neither followed nor large. */
function isShort(value: Json | undefined, seen: Seen): boolean {
  if (Array.isArray(value)) return value.every((one: Json) => typeof one !== 'object' && isShort(one, seen))
  seen.letters += typeof value === 'string' ? value.length : 8
  return typeof value !== 'object' || value === null
}
