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
  if (notOnTop.some((key) => schema[key] !== undefined)) return false
  return Object.keys(properties).every(isKey) && new Look().isPlain(schema, 0)
}

class Look {
  #nodes = 0
  #letters = 0

  isPlain(schema: Json | undefined, depth: number): boolean {
    if (!isObject(schema) || depth > limits.depth || ++this.#nodes > limits.nodes) return false
    for (const key in schema) {
      this.#letters += key.length
      if (!this.#isPlainAt(key, schema[key], depth)) return false
    }
    return this.#letters < limits.bytes / 2 && (schema['type'] !== 'array' || schema['items'] !== undefined)
  }

  #isPlainAt(key: string, value: Json | undefined, depth: number): boolean {
    switch (key) {
      case 'type':
        return value !== undefined && types.has(value)
      case 'description':
      case 'title':
      case 'pattern':
      case 'format':
        return typeof value === 'string' && (this.#letters += value.length) > 0
      case 'properties':
        return this.#arePlain(value, depth)
      case 'items':
        return this.isPlain(value, depth + 1)
      case 'additionalProperties':
        return typeof value === 'boolean' || this.isPlain(value, depth + 1)
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return (
          Array.isArray(value) && value.length > 0 && value.every((one: Json) => this.isPlain(one, depth + 1))
        )
      case 'required':
        return isStringArray(value) && new Set(value).size === value.length
      case 'enum':
        return Array.isArray(value) && value.length > 0 && this.#isShort(value)
      default:
        return !unusual.has(key) && this.#isOther(key, value)
    }
  }

  #arePlain(properties: Json | undefined, depth: number): boolean {
    if (!isObject(properties)) return false
    for (const name in properties) {
      this.#letters += name.length
      if (name === '__proto__' || !this.isPlain(properties[name], depth + 1)) return false
    }
    return true
  }

  #isOther(key: string, value: Json | undefined): boolean {
    return numbers.has(key) ? typeof value === 'number' : this.#isShort(value)
  }

  /** Data is neither followed nor large. */
  #isShort(value: Json | undefined): boolean {
    if (typeof value === 'string') return (this.#letters += value.length) > -1
    if (typeof value !== 'object' || value === null) return true
    return Array.isArray(value) && value.every((one: Json) => typeof one !== 'object' && this.#isShort(one))
  }
}
