import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { propertiesOf } from '../../model/schema/parts.ts'
import { mapSchemas } from '../../model/schema/subschemas.ts'
import { toTopObject } from './rewrite-schema.ts'

export function isAcceptedKey(name: string): boolean {
  return /^[a-zA-Z0-9_.-]{1,64}$/.test(name)
}

interface RenamedSchema {
  readonly schema: JsonObject
  /** The original argument names by their new names. */
  readonly renamed: ReadonlyMap<string, string>
}

/** Renames the arguments whose names Anthropic rejects; `restoreKeys` reverses it in a call. */
export function toAcceptedKeys(schema: JsonObject): RenamedSchema {
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
    // Rename before merging: the merge writes names into descriptions.
    schema: toTopObject(renameKeys(schema, (name) => toAccepted.get(name) ?? name)),
    renamed: new Map(Array.from(toAccepted, ([name, accepted]) => [accepted, name])),
  }
}

/** Gives the arguments back the names that the tool expects. */
export function restoreKeys(args: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [renamed.get(name) ?? name, value]))
}

type Rename = (name: string) => string

/** Keywords whose subschemas apply to the same object, not to a property of it. */
const sameObjectKeywords = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
])

/** Renames properties wherever the schema refers to them. */
function renameKeys(schema: JsonObject, rename: Rename): JsonObject {
  const draft = mapSchemas(schema, (held, key) =>
    sameObjectKeywords.has(key) && isObject(held) ? renameKeys(held, rename) : held,
  )
  for (const key of ['properties', 'dependentSchemas', 'dependentRequired']) {
    if (isObject(draft[key])) draft[key] = withKeys(draft[key], rename)
  }
  if (isStringArray(draft['required'])) draft['required'] = draft['required'].map(rename)
  // It constrains the original names.
  delete draft['propertyNames']
  return draft
}

function withKeys(named: JsonObject, rename: Rename): JsonObject {
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [rename(name), renameEach(value, rename)]),
  )
}

/** A list of strings under these keywords holds property names. */
function renameEach(value: Json, rename: Rename): Json {
  return isStringArray(value) ? value.map(rename) : value
}
