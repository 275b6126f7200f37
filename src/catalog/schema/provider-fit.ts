import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { schemaLimits } from '../../model/schema/schema-limits.ts'
import { schemaTypes } from '../../model/schema/value-type.ts'
import { isCount, isShaped } from './keyword-shapes.ts'

/** What stands under a word of a schema. Where a word is not here, it is data. */
const kinds = new Map(
  Object.entries({
    type: 'type',
    text: 'description title pattern format',
    schemas: 'properties',
    schema: 'items additionalProperties',
    list: 'anyOf oneOf allOf',
    number: 'minimum maximum exclusiveMinimum exclusiveMaximum',
    count: 'minLength maxLength minItems maxItems minProperties maxProperties',
    names: 'required',
    values: 'enum const',
    rare: [
      'multipleOf uniqueItems deprecated readOnly writeOnly examples contentEncoding contentMediaType',
      'minContains maxContains',
    ].join(' '),
    // Looked at properly, or there to be rewritten.
    unusual: [
      '$ref $dynamicRef $recursiveRef $defs definitions $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary',
      '$comment $schema nullable prefixItems additionalItems patternProperties dependentSchemas contains propertyNames',
      'unevaluatedItems unevaluatedProperties not if then else dependentRequired dependencies contentSchema __proto__',
    ].join(' '),
  }).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const)),
)

/**
 * Whether a schema is fit for OpenAI and Anthropic as it came. Most are, and finding that out costs a fraction of making
 * another one of it: thousands of tools are converted in less time than it takes to parse them. One loop over all it
 * holds, level by level and without recursion: V8 puts functions that call each other into one another, and that took
 * longer than all of them ran.
 */
export function isFit(top: JsonObject, isKey: (name: string) => boolean): boolean {
  if (top['type'] !== 'object' || top['properties'] === undefined) return false
  const held: (Json | undefined)[] = [top]
  let [depth, levelEnd] = [0, 1]
  // A word counts as sixteen letters, a number as eight, and half of what is allowed is left for the rest.
  let letters = 0
  for (let at = 0; at < held.length; at++) {
    if (at === levelEnd) {
      depth++
      levelEnd = held.length
    }
    const schema = held[at]
    if (!isObject(schema) || depth > schemaLimits.depth || at >= schemaLimits.nodes) return false
    for (const key in schema) {
      const value = schema[key]
      const kind = kinds.get(key)
      letters += 16
      if (kind === 'text') {
        if (typeof value !== 'string') return false
        letters += value.length
      } else if (kind === 'type') {
        if (value === undefined || !schemaTypes.has(value)) return false
        if (value === 'array' && schema['items'] === undefined) return false
      } else if (kind === 'schemas') {
        if (!isObject(value)) return false
        for (const name in value) {
          if (name === '__proto__' || (at === 0 && !isKey(name))) return false
          letters += name.length
          held.push(value[name])
        }
      } else if (kind === 'schema') {
        if (typeof value !== 'boolean' || key === 'items') held.push(value)
      } else if (kind === 'list') {
        if (at === 0 || !Array.isArray(value) || value.length === 0) return false
        // isArray does not narrow a readonly union
        for (const one of value as readonly Json[]) held.push(one)
      } else if (kind === 'number') {
        if (!Number.isFinite(value)) return false
        letters += 8
      } else if (kind === 'count') {
        if (!isCount(value)) return false
        letters += 8
      } else {
        if (kind === 'unusual' || (kind === 'names' && !isUniqueStrings(value))) return false
        if (kind === 'values' && (at === 0 || (key === 'enum' && !isFilled(value)))) return false
        if (kind === 'rare' && !isShaped(key, value)) return false
        letters += key.length + lettersOf(value)
      }
    }
    if (letters >= schemaLimits.bytes / 2) return false
  }
  return true
}

function isUniqueStrings(value: Json | undefined): boolean {
  return isStringArray(value) && new Set(value).size === value.length
}

function isFilled(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0
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
