import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { mapSchemas } from '../../model/schema/subschemas.ts'
import type { Draft } from '../../model/schema/subschemas.ts'
import { schemaTypes, typesOf } from '../../model/schema/value-type.ts'
import { hasValidShape } from './keyword-shapes.ts'

/**
 * Rewrites keywords of older drafts as draft 2020-12, because providers reject a whole request for one of them. A
 * keyword with a value that no draft allows is removed.
 */
export function normalizeSchema(schema: JsonObject): JsonObject {
  const wellFormed = Object.entries(schema).filter(([word, value]) => hasValidShape(word, value))
  const draft = mapSchemas(Object.fromEntries(wellFormed), normalizeSubschema)
  setType(draft)
  setBound(draft, 'minimum', 'exclusiveMinimum')
  setBound(draft, 'maximum', 'exclusiveMaximum')
  setItems(draft)
  setDependencies(draft)
  if (isStringArray(draft['required'])) draft['required'] = [...new Set(draft['required'])]
  return draft
}

/** Rewrites boolean schemas as objects, except where the keyword itself takes a boolean. */
function normalizeSubschema(held: Json, key: string): Json {
  if (isObject(held)) return normalizeSchema(held)
  if (key === 'additionalProperties' || key.startsWith('unevaluated')) return held !== false
  return held === false ? { not: {} } : {}
}

function setType(draft: Draft): void {
  const known = typesOf(draft)
    .map((type) => type.toLowerCase())
    .filter((type) => schemaTypes.has(type))
  if (draft['nullable'] === true && known.length > 0) known.push('null')
  delete draft['nullable']
  const [first, ...more] = new Set(known)
  if (first === undefined) delete draft['type']
  else draft['type'] = more.length > 0 ? [first, ...more] : first
}

/** Draft 4 marked `minimum` as exclusive with `exclusiveMinimum: true`. */
function setBound(draft: Draft, bound: string, exclusive: string): void {
  const [limit, isExclusive] = [draft[bound], draft[exclusive]]
  if (typeof isExclusive !== 'boolean') return
  delete draft[exclusive]
  if (!isExclusive || limit === undefined) return
  draft[exclusive] = limit
  delete draft[bound]
}

/** Before 2020-12, a list of `items` was a tuple. */
function setItems(draft: Draft): void {
  const { items, additionalItems } = draft
  if (Array.isArray(items)) {
    delete draft['items']
    if (items.length > 0) draft['prefixItems'] = items
    if (additionalItems !== undefined) draft['items'] = additionalItems
  }
  delete draft['additionalItems']
}

/** Before 2019-09, `dependencies` was both `dependentRequired` and `dependentSchemas`. */
function setDependencies(draft: Draft): void {
  const { dependencies, dependentRequired } = draft
  if (dependencies === undefined && dependentRequired === undefined) return
  const older = entriesOf(dependencies)
  const required = [...older, ...entriesOf(dependentRequired)].flatMap(([name, names]) =>
    isStringArray(names) ? [[name, [...new Set(names)]] as const] : [],
  )
  const schemas = [
    ...older.filter(([, held]) => isNonEmptyObject(held)),
    ...entriesOf(draft['dependentSchemas']),
  ]
  for (const key of ['dependencies', 'dependentRequired', 'dependentSchemas']) delete draft[key]
  if (required.length > 0) draft['dependentRequired'] = Object.fromEntries(required)
  if (schemas.length > 0) draft['dependentSchemas'] = Object.fromEntries(schemas)
}

function isNonEmptyObject(held: Json): boolean {
  return isObject(held) && Object.keys(held).length > 0
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value) : []
}
