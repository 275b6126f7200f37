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
const notOnTop = new Set(['enum', 'const'])

/**
 * Whether a schema is fit for OpenAI and Anthropic as it came. Most are, and finding that out costs a fraction of making
 * another one of it: thousands of tools are converted in less time than it takes to parse them. One loop over all it
 * holds, no recursion: V8 puts functions that call each other into one another, and that took longer than all of them ran.
 */
export function isFit(top: JsonObject, isKey: (name: string) => boolean): boolean {
  if (top['type'] !== 'object' || top['properties'] === undefined) return false
  const held: (Json | undefined)[] = [top]
  const depths = [0]
  let nodes = 0
  // A number counts as eight letters, and half of what is allowed is left for the rest.
  let letters = 0
  while (held.length > 0) {
    const schema = held.pop()
    const depth = (depths.pop() ?? 0) + 1
    if (!isObject(schema) || depth > limits.depth + 1 || ++nodes > limits.nodes) return false
    for (const key in schema) {
      const value = schema[key]
      letters += key.length
      switch (key) {
        case 'type':
          if (value === undefined || !types.has(value)) return false
          if (value === 'array' && schema['items'] === undefined) return false
          break
        case 'description':
        case 'title':
        case 'pattern':
        case 'format':
          if (typeof value !== 'string') return false
          letters += value.length
          break
        case 'properties':
          if (!isObject(value)) return false
          for (const name in value) {
            if (name === '__proto__' || (schema === top && !isKey(name))) return false
            letters += name.length
            held.push(value[name])
            depths.push(depth)
          }
          break
        case 'additionalProperties':
          if (typeof value === 'boolean') break
          held.push(value)
          depths.push(depth)
          break
        case 'items':
          held.push(value)
          depths.push(depth)
          break
        case 'anyOf':
        case 'oneOf':
        case 'allOf':
          if (schema === top || !Array.isArray(value) || value.length === 0) return false
          // isArray does not narrow a readonly union
          for (const one of value as readonly Json[]) {
            held.push(one)
            depths.push(depth)
          }
          break
        default:
          if (unusual.has(key) || (numbers.has(key) && typeof value !== 'number')) return false
          if (schema === top && notOnTop.has(key)) return false
          if (key === 'required' && !isUniqueStrings(value)) return false
          if (key === 'enum' && (!Array.isArray(value) || value.length === 0)) return false
          letters += lettersOf(value)
      }
    }
    if (letters >= limits.bytes / 2) return false
  }
  return true
}

function isUniqueStrings(value: Json | undefined): boolean {
  return isStringArray(value) && new Set(value).size === value.length
}

/** Of data, which is not followed: endless where it is more than a list. */
function lettersOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? Infinity : 8
  let letters = 0
  // isArray does not narrow a readonly union
  for (const one of value as readonly Json[]) letters += typeof one === 'object' ? Infinity : lettersOf(one)
  return letters
}
