import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { schemaLimits } from '../../model/schema/schema-limits.ts'
import { schemaTypes } from '../../model/schema/value-type.ts'
import { isCount, hasValidShape } from './keyword-shapes.ts'

/** The kind of value of each keyword. An unlisted keyword holds data. */
const keywordKinds = new Map(
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
    // Needs the full conversion.
    unusual: [
      '$ref $dynamicRef $recursiveRef $defs definitions $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary',
      '$comment $schema nullable prefixItems additionalItems patternProperties dependentSchemas contains propertyNames',
      'unevaluatedItems unevaluatedProperties not if then else dependentRequired dependencies contentSchema __proto__',
    ].join(' '),
  }).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const)),
)

/**
 * Whether OpenAI and Anthropic accept a schema unchanged. They accept most, and checking costs a fraction of
 * converting: thousands of tools are checked in less time than it takes to parse them. One loop over all subschemas,
 * level by level and without recursion: with recursive functions V8 spent longer on inlining them than they ran.
 */
export function isAcceptedAsIs(top: JsonObject, isKey: (name: string) => boolean): boolean {
  if (top['type'] !== 'object' || top['properties'] === undefined) return false
  const pending: (Json | undefined)[] = [top]
  let [depth, levelEnd] = [0, 1]
  // Estimates the size: 16 letters a keyword, 8 a number. The limit is half of the allowed bytes, as a margin.
  let letters = 0
  for (let at = 0; at < pending.length; at++) {
    if (at === levelEnd) {
      depth++
      levelEnd = pending.length
    }
    const schema = pending[at]
    if (!isObject(schema) || depth > schemaLimits.depth || at >= schemaLimits.nodes) return false
    for (const key in schema) {
      const value = schema[key]
      const kind = keywordKinds.get(key)
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
          pending.push(value[name])
        }
      } else if (kind === 'schema') {
        if (typeof value !== 'boolean' || key === 'items') pending.push(value)
      } else if (kind === 'list') {
        if (at === 0 || !Array.isArray(value) || value.length === 0) return false
        // isArray does not narrow a readonly union
        for (const one of value as readonly Json[]) pending.push(one)
      } else if (kind === 'number') {
        if (!Number.isFinite(value)) return false
        letters += 8
      } else if (kind === 'count') {
        if (!isCount(value)) return false
        letters += 8
      } else {
        if (kind === 'unusual' || (kind === 'names' && !isUniqueStrings(value))) return false
        if (kind === 'values' && (at === 0 || (key === 'enum' && !isNonEmptyList(value)))) return false
        if (kind === 'rare' && !hasValidShape(key, value)) return false
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

function isNonEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0
}

/** The letters of data. Infinite for nested data, which needs the full conversion. */
function lettersOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? Infinity : 8
  let letters = 0
  // isArray does not narrow a readonly union
  for (const one of value as readonly Json[]) letters += typeof one === 'object' ? Infinity : lettersOf(one)
  return letters
}
