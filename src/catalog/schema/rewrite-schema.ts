import { isObject, listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { SchemaError } from './inline-refs.ts'
import { objectsOf, optionsOf, propertiesOf, valuesOf } from '../../model/schema/parts.ts'
import { mapSchemas } from '../../model/schema/subschemas.ts'
import type { Draft } from '../../model/schema/subschemas.ts'
import { typesOf } from '../../model/schema/value-type.ts'
import { mergeAll, mergeChoice } from './merge-schemas.ts'

/** Neither OpenAI nor Anthropic takes a choice at the top: that refuses the whole request, not the one tool. */
export function toTopObject(schema: JsonObject): JsonObject {
  const types = typesOf(schema)
  if (types.length > 0 && !types.includes('object')) throw new SchemaError('its arguments are no object')
  const { enum: _enum, const: _const, not: _not, ...rest } = mergeChoice(mergeAll(schema))
  return { ...rest, type: 'object', properties: propertiesOf(rest) }
}

/** OpenAI wants to know what an array is made of. */
export function withItems(schema: JsonObject): JsonObject {
  const draft = mapSchemas(schema, (held) => (isObject(held) ? withItems(held) : held))
  if (typesOf(draft).includes('array') || draft['prefixItems'] !== undefined) setItems(draft)
  return draft
}

/** A tuple becomes a list of whatever may stand in it. */
function setItems(draft: Draft): void {
  const members = objectsOf(draft['prefixItems'])
  delete draft['prefixItems']
  if (members.length > 0) {
    const all = isObject(draft['items']) ? [...members, draft['items']] : members
    draft['items'] = all.length === 1 ? (all[0] ?? {}) : { anyOf: all }
  }
  if (!isObject(draft['items'])) draft['items'] = {}
}

/** The one schema for all items of a list; a tuple gives a choice of its members. */
export function listItemsOf(schema: JsonObject): JsonObject {
  const list: Draft = { ...schema }
  setItems(list)
  return isObject(list['items']) ? list['items'] : {}
}

/** Whether a schema names `null` itself; one that names no type at all does not. */
export function admitsNull(schema: JsonObject): boolean {
  if (schema['const'] === null || listOf(schema['enum']).includes(null) || typesOf(schema).includes('null'))
    return true
  return optionsOf(schema).some(admitsNull)
}

/** A limit that a provider cannot be told, told to the model instead. */
export function withHint(description: Json | undefined, hint: string): string {
  return typeof description === 'string' && description !== '' ? `${description} (${hint})` : hint
}

/** The kind of value a schema speaks of without naming it. */
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
