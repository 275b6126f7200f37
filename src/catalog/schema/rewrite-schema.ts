import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { SchemaError } from './inline-refs.ts'
import { listOf, mapSchemas, objectsOf, propertiesOf, typesOf } from './keywords.ts'
import type { Draft } from './keywords.ts'
import { mergeAll, mergeChoice } from './merge-schemas.ts'
import { renameKeys } from './accepted-keys.ts'

/** Neither OpenAI nor Anthropic takes a choice at the top: that refuses the whole request, not the one tool. */
export function toTopObject(schema: JsonObject): JsonObject {
  const types = typesOf(schema)
  if (types.length > 0 && !types.includes('object')) throw new SchemaError('its arguments are no object')
  const { enum: _enum, const: _const, not: _not, ...rest } = mergeChoice(mergeAll(schema))
  return { ...rest, type: 'object', properties: isObject(rest['properties']) ? rest['properties'] : {} }
}

/** OpenAI wants to know what an array is made of. */
export function withItems(schema: JsonObject): JsonObject {
  const draft = mapSchemas(schema, (held) => (isObject(held) ? withItems(held) : held))
  if (typesOf(draft).includes('array') || draft['prefixItems'] !== undefined) setItems(draft)
  return draft
}

/** A tuple becomes a list of whatever may stand in it. */
export function setItems(draft: Draft): void {
  const members = objectsOf(draft['prefixItems'])
  delete draft['prefixItems']
  if (members.length > 0) {
    const all = isObject(draft['items']) ? [...members, draft['items']] : members
    draft['items'] = all.length === 1 ? (all[0] ?? {}) : { anyOf: all }
  }
  if (!isObject(draft['items'])) draft['items'] = {}
}

export function isAcceptedKey(name: string): boolean {
  return /^[a-zA-Z0-9_.-]{1,64}$/.test(name)
}

interface Renamed {
  readonly schema: JsonObject
  /** The name of an argument by the one it has here. */
  readonly renamed: ReadonlyMap<string, string>
}

/** Anthropic refuses other names of arguments; they get one that is accepted, and have their own again in a call. */
export function toAcceptedKeys(schema: JsonObject): Renamed {
  const top = toTopObject(schema)
  const names = Object.keys(propertiesOf(top))
  if (names.every(isAcceptedKey)) return { schema: top, renamed: new Map() }
  const taken = new Set(names.filter(isAcceptedKey))
  const toAccepted = new Map<string, string>()
  for (const name of names.filter((one) => !isAcceptedKey(one))) {
    const base = name.replace(/[^a-zA-Z0-9_.-]/g, '_').slice(0, 56) || '_'
    let accepted = base
    for (let count = 2; taken.has(accepted); count++) accepted = `${base}_${count}`
    taken.add(accepted)
    toAccepted.set(name, accepted)
  }
  return {
    // Before it is made into one object: that puts names into words.
    schema: toTopObject(renameKeys(schema, (name) => toAccepted.get(name) ?? name)),
    renamed: new Map(Array.from(toAccepted, ([name, accepted]) => [accepted, name])),
  }
}

/** A limit that a provider cannot be told, told to the model instead. */
export function withHint(description: Json | undefined, hint: string): string {
  return typeof description === 'string' && description !== '' ? `${description} (${hint})` : hint
}

/** The kind of value a schema speaks of without naming it. */
export function impliedType(schema: JsonObject): string | undefined {
  if (schema['properties'] !== undefined || schema['additionalProperties'] !== undefined) return 'object'
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array'
  const values = schema['const'] === undefined ? listOf(schema['enum']) : [schema['const']]
  const [kind, ...others] = new Set(values.filter((value) => value !== null).map((value) => typeof value))
  if (others.length > 0) return undefined
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : undefined
}
