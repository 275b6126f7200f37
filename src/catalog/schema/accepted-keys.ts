import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { propertiesOf } from '../../model/schema/parts.ts'
import { mapSchemas } from '../../model/schema/subschemas.ts'
import { toTopObject } from './rewrite-schema.ts'

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

/** Arguments under the names their tool has for them. */
export function restoreKeys(args: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [renamed.get(name) ?? name, value]))
}

type Rename = (name: string) => string

/** What is said here is said of the same object, and not of one that it holds. */
const ofTheSame = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'])

/** The same schema of an object whose properties have other names, wherever it speaks of them. */
function renameKeys(schema: JsonObject, rename: Rename): JsonObject {
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
