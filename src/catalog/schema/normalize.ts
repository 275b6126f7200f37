import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { listOf, mapSchemas, typesOf } from './keywords.ts'
import type { Draft } from './keywords.ts'

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const texts = ['title', 'description', 'pattern', 'format']
const numbers = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]

/** What older drafts and careless servers write, as draft 2020-12: providers refuse a whole request over one of these. */
export function normalize(schema: JsonObject): JsonObject {
  const draft = mapSchemas(schema, (held, key) => normalizeHeld(held, key))
  setType(draft)
  setBound(draft, 'minimum', 'exclusiveMinimum')
  setBound(draft, 'maximum', 'exclusiveMaximum')
  setItems(draft)
  if (isStringArray(draft['required'])) draft['required'] = [...new Set(draft['required'])]
  else delete draft['required']
  if (!isObject(draft['properties'])) delete draft['properties']
  for (const key of ['enum', 'anyOf', 'oneOf', 'allOf'])
    if (listOf(draft[key]).length === 0) delete draft[key]
  for (const key of texts) if (typeof draft[key] !== 'string') delete draft[key]
  for (const key of numbers) if (typeof draft[key] !== 'number') delete draft[key]
  return draft
}

/** `true` and `false` are schemas too, but only where they are said to be. */
function normalizeHeld(held: Json, key: string): Json {
  if (isObject(held)) return normalize(held)
  if (key === 'additionalProperties' || key.startsWith('unevaluated')) return held !== false
  return held === false ? { not: {} } : {}
}

function setType(draft: Draft): void {
  const known = typesOf(draft)
    .map((type) => type.toLowerCase())
    .filter((type) => types.includes(type))
  if (draft['nullable'] === true && known.length > 0) known.push('null')
  delete draft['nullable']
  const [first, ...more] = new Set(known)
  if (first === undefined) delete draft['type']
  else draft['type'] = more.length > 0 ? [first, ...more] : first
}

/** Draft 4 said `exclusiveMinimum: true` about its `minimum`. */
function setBound(draft: Draft, bound: string, exclusive: string): void {
  const limit = draft[bound]
  if (draft[exclusive] === true && typeof limit === 'number') {
    draft[exclusive] = limit
    delete draft[bound]
  }
}

/** Before 2020-12, a list of `items` was a tuple. */
function setItems(draft: Draft): void {
  const { items, additionalItems } = draft
  if (Array.isArray(items)) {
    delete draft['items']
    if (items.length > 0) draft['prefixItems'] = items
    if (isObject(additionalItems)) draft['items'] = normalize(additionalItems)
  }
  delete draft['additionalItems']
  if (listOf(draft['prefixItems']).length === 0) delete draft['prefixItems']
}
