import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { mapSchemas } from './keywords.ts'

type Rename = (name: string) => string

/** What is said here is said of the same object, and not of one that it holds. */
const ofTheSame = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'])

/** The same schema of an object whose properties have other names, wherever it speaks of them. */
export function renameKeys(schema: JsonObject, rename: Rename): JsonObject {
  const draft = mapSchemas(schema, (held, key) =>
    ofTheSame.has(key) && isObject(held) ? renameKeys(held, rename) : held,
  )
  for (const key of ['properties', 'dependentSchemas', 'dependentRequired']) {
    if (isObject(draft[key])) draft[key] = withKeys(draft[key], rename)
  }
  if (isStringArray(draft['required'])) draft['required'] = draft['required'].map(rename)
  // Of the names that its tool has for them.
  delete draft['propertyNames']
  return draft
}

function withKeys(named: JsonObject, rename: Rename): JsonObject {
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [rename(name), renameEach(value, rename)]),
  )
}

/** A list is one of names. */
function renameEach(value: Json, rename: Rename): Json {
  return isStringArray(value) ? value.map(rename) : value
}
