import type { Json, JsonObject } from '../../model/json.ts'
import { optionsOf, propertySchemas, requiredOf, valuesOf } from '../../model/schema/parts.ts'
import type { Draft } from '../../model/schema/subschemas.ts'
import { typesOf } from '../../model/schema/value-type.ts'
import { mergeAll, distribute } from './merge-schemas.ts'
import { admitsNull, impliedType, listItemsOf, withHint } from './rewrite-schema.ts'

const keptKeywords = [
  'title',
  'description',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]

/** The types for a schema that allows any value. */
const anyTypes = ['string', 'number', 'boolean', 'object']

/**
 * Converts to Gemini's subset of OpenAPI 3.0. What the subset lacks goes into a description or is left to the server's
 * check.
 */
export function toGemini(raw: JsonObject): JsonObject {
  const schema = mergeAll(raw)
  const choice = choicesOf(schema)
  if (choice.length !== 1) return toAnyOf(schema, choice)
  const [type] = choice.flatMap(typesOf)
  const { enum: _values, const: _const, ...only } = choice[0] ?? {}
  const made: Draft = Object.fromEntries(
    keptKeywords.flatMap((key) => (only[key] === undefined ? [] : [[key, only[key]]])),
  )
  if (type !== undefined) made['type'] = type
  if (admitsNull(schema)) made['nullable'] = true
  setValues(made, choice[0] ?? {})
  if (type === 'object') setProperties(made, only)
  if (type === 'array') made['items'] = toGemini(listItemsOf(only))
  if (only['format'] === 'date-time' && type === 'string' && made['enum'] === undefined)
    made['format'] = 'date-time'
  return made
}

/** One schema per possible type, without `null`. */
function choicesOf(schema: JsonObject): readonly JsonObject[] {
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema
  const others = distribute(rest, optionsOf(schema)).filter((option) => !isNull(option))
  if (others.length > 0) return others.flatMap(choicesOf)
  const types = typesOf(rest).filter((type) => type !== 'null')
  const implied = types.length > 0 ? types : [impliedType(rest) ?? anyTypes].flat()
  return implied.map((type) => ({ ...rest, type }))
}

function isNull(schema: JsonObject): boolean {
  return schema['const'] === null || (typesOf(schema).length === 1 && typesOf(schema)[0] === 'null')
}

/** Gemini allows nothing beside `anyOf`, so the common keywords are repeated in each option. */
function toAnyOf(schema: JsonObject, choice: readonly JsonObject[]): JsonObject {
  const nullable = admitsNull(schema) && { nullable: true }
  const { title, description } = schema
  const words = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
  return { anyOf: choice.map((option) => ({ ...words, ...toGemini(option), ...nullable })) }
}

/** Gemini supports `enum` for strings only; other values are listed in the description. */
function setValues(made: Draft, schema: JsonObject): void {
  const values = valuesOf(schema).filter(isNotNull)
  if (values.length === 0) return
  const isText =
    made['type'] === 'string' && values.every((value) => typeof value === 'string' && value !== '')
  if (isText) made['enum'] = values
  else
    made['description'] = withHint(
      made['description'],
      `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    )
}

function isNotNull(value: Json): boolean {
  return value !== null
}

function setProperties(made: Draft, schema: JsonObject): void {
  const properties = Object.entries(propertySchemas(schema))
  if (properties.length === 0) return
  made['properties'] = Object.fromEntries(properties.map(([name, property]) => [name, toGemini(property)]))
  const names = new Set(properties.map(([name]) => name))
  const required = requiredOf(schema).filter((name) => names.has(name))
  if (required.length > 0) made['required'] = required
}
