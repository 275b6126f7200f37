import { isObject, listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { SchemaError } from './inline-refs.ts'
import { objectsOf, optionsOf, propertiesOf, valuesOf } from '../../model/schema/parts.ts'
import { mapSchemas } from '../../model/schema/subschemas.ts'
import type { Draft } from '../../model/schema/subschemas.ts'
import { typesOf } from '../../model/schema/value-type.ts'
import { mergeAll, mergeChoice } from './merge-schemas.ts'

/** Merges a choice at the top into one object: OpenAI and Anthropic reject the whole request for it. */
export function toTopObject(schema: JsonObject): JsonObject {
  const types = typesOf(schema)
  if (types.length > 0 && !types.includes('object')) throw new SchemaError('its arguments are not an object')
  const { enum: _enum, const: _const, not: _not, ...rest } = mergeChoice(mergeAll(schema))
  return { ...rest, type: 'object', properties: propertiesOf(rest) }
}

/** Adds `items` to every array schema, which OpenAI requires. */
export function withItems(schema: JsonObject): JsonObject {
  const draft = mapSchemas(schema, (held) => (isObject(held) ? withItems(held) : held))
  if (typesOf(draft).includes('array') || draft['prefixItems'] !== undefined) setItems(draft)
  return draft
}

/** Turns a tuple into a list whose items match any member. */
function setItems(draft: Draft): void {
  const members = objectsOf(draft['prefixItems'])
  delete draft['prefixItems']
  if (members.length > 0) {
    const all = isObject(draft['items']) ? [...members, draft['items']] : members
    draft['items'] = all.length === 1 ? (all[0] ?? {}) : { anyOf: all }
  }
  if (!isObject(draft['items'])) draft['items'] = {}
}

/** One schema for all items of a list; for a tuple a choice of its members. */
export function listItemsOf(schema: JsonObject): JsonObject {
  const list: Draft = { ...schema }
  setItems(list)
  return isObject(list['items']) ? list['items'] : {}
}

/** Whether a schema explicitly allows `null`; one without a type does not. */
export function admitsNull(schema: JsonObject): boolean {
  if (schema['const'] === null || listOf(schema['enum']).includes(null) || typesOf(schema).includes('null'))
    return true
  return optionsOf(schema).some(admitsNull)
}

/** Adds a constraint to the description when the dialect has no keyword for it. */
export function withHint(description: Json | undefined, hint: string): string {
  return typeof description === 'string' && description !== '' ? `${description} (${hint})` : hint
}

/** The type that the keywords of a schema without `type` imply. */
export function impliedType(schema: JsonObject): string | undefined {
  if (schema['properties'] !== undefined || schema['additionalProperties'] !== undefined) return 'object'
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array'
  const [kind, ...others] = new Set(
    valuesOf(schema)
      .filter((value) => value !== null)
      .map((value) => typeof value),
  )
  if (others.length > 0) return undefined
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : undefined
}
