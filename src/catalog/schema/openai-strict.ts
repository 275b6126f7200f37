import { isObject, listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { SchemaError } from './inline-refs.ts'
import { objectsOf, optionsOf, propertiesOf, propertySchemas, requiredOf } from '../../model/schema/parts.ts'
import type { Draft } from '../../model/schema/subschemas.ts'
import { typesOf } from '../../model/schema/value-type.ts'
import { mergeAll, distribute } from './merge-schemas.ts'
import { admitsNull, impliedType, listItemsOf, withHint } from './rewrite-schema.ts'

const keptKeywords = new Set([
  'type',
  'title',
  'description',
  'enum',
  'pattern',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
])
const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
/** Stands for an array element in a path. */
const element = '[]'

const limits = { depth: 10, properties: 5000, enums: 1000, texts: 120_000 } as const

/**
 * Converts to the subset that OpenAI enforces: every property is required, an optional one may be `null`, and no object
 * has other properties. Throws for a schema that accepts any value or any key.
 */
export function toStrict(schema: JsonObject): JsonObject {
  return new StrictConverter().convertObject(mergeAll(schema), [])
}

class StrictConverter {
  #properties = 0
  #enums = 0
  #texts = 0

  convertObject(schema: JsonObject, path: readonly string[]): JsonObject {
    const properties = Object.entries(propertySchemas(schema))
    const { additionalProperties } = schema
    const isMap = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
    const isOpen = properties.length === 0 && additionalProperties !== false && path.length > 0
    if (isMap || isOpen || schema['patternProperties'] !== undefined) throw notStrictError(path, 'any keys')
    if (path.filter((name) => name !== element).length > limits.depth)
      throw new SchemaError(`its objects are nested more than ${limits.depth} levels deep`)
    this.#properties += properties.length
    if (this.#properties > limits.properties)
      throw new SchemaError(`it has more than ${limits.properties} properties`)
    const required = new Set(requiredOf(schema))
    const undeclared = findUndeclared(schema)
    if (undeclared !== undefined) throw notStrictError([...path, undeclared], 'any value')
    const entries = properties.map(([name, property]): [string, Json] => {
      this.#countText(name)
      const value = this.#convertValue(property, [...path, name])
      return [name, required.has(name) ? value : allowNull(value)]
    })
    return {
      type: 'object',
      ...(schema['description'] !== undefined && { description: schema['description'] }),
      properties: Object.fromEntries(entries),
      required: properties.map(([name]) => name),
      additionalProperties: false,
    }
  }

  #convertValue(raw: JsonObject, path: readonly string[]): JsonObject {
    const schema = mergeAll(raw)
    const choice = optionsOf(schema)
    if (choice.length > 0) return this.#convertChoice(schema, choice, path)
    const type = schema['type'] ?? impliedType(schema)
    if (type === undefined && schema['enum'] === undefined && schema['const'] === undefined) {
      throw notStrictError(path, 'any value')
    }
    const types = typesOf({ type: type ?? null })
    if (types.includes('object')) return this.#nullable(schema, this.convertObject(schema, path), types)
    return this.#convertPlain(schema, type, path)
  }

  #convertChoice(schema: JsonObject, choice: readonly JsonObject[], path: readonly string[]): JsonObject {
    const { anyOf: _anyOf, oneOf: _oneOf, title: _title, description, default: fallback, ...common } = schema
    const options = distribute(common, choice).map((option) => this.#convertValue(option, path))
    return { anyOf: options, ...toDescription(description, fallback) }
  }

  #convertPlain(schema: JsonObject, type: Json | undefined, path: readonly string[]): JsonObject {
    const draft: Draft = Object.fromEntries(Object.entries(schema).filter(([key]) => keptKeywords.has(key)))
    if (type !== undefined) draft['type'] = type
    if (schema['const'] !== undefined) draft['enum'] = [schema['const']]
    for (const value of listOf(draft['enum'])) this.#countText(typeof value === 'string' ? value : '')
    this.#enums += listOf(draft['enum']).length
    if (this.#enums > limits.enums)
      throw new SchemaError(`it has more than ${limits.enums} values to choose from`)
    if (isFormat(schema['format'])) draft['format'] = schema['format']
    if (typesOf(draft).includes('array')) {
      draft['items'] = this.#convertValue(listItemsOf(schema), [...path, element])
    }
    return { ...draft, ...toDescription(schema['description'], schema['default']) }
  }

  #nullable(schema: JsonObject, object: JsonObject, types: readonly string[]): JsonObject {
    if (types.some((type) => type !== 'object' && type !== 'null')) {
      throw new SchemaError('it mixes objects with other values')
    }
    return admitsNull(schema) ? allowNull(object) : object
  }

  #countText(text: string): void {
    this.#texts += text.length
    if (this.#texts > limits.texts) throw new SchemaError('its names and values are too long in total')
  }
}

/** A property that is required, always or under a condition, but not declared: it accepts any value. */
function findUndeclared(schema: JsonObject): string | undefined {
  const { then, else: otherwise, dependentRequired } = schema
  const declared = new Set(Object.keys(propertiesOf(schema)))
  const lists = isObject(dependentRequired) ? Object.values(dependentRequired) : []
  return [schema, then, otherwise, ...lists.map((required) => ({ required }))]
    .flatMap((part) => (isObject(part) ? requiredOf(part) : []))
    .find((name) => !declared.has(name))
}

function isFormat(format: Json | undefined): format is string {
  return typeof format === 'string' && formats.includes(format)
}

function toDescription(description: Json | undefined, fallback: Json | undefined): JsonObject {
  if (fallback !== undefined && fallback !== null) {
    return { description: withHint(description, `default: ${JSON.stringify(fallback)}`) }
  }
  return typeof description === 'string' ? { description } : {}
}

function allowNull(schema: JsonObject): JsonObject {
  if (admitsNull(schema)) return schema
  const options = objectsOf(schema['anyOf'])
  if (options.length > 0) return { ...schema, anyOf: [...options, { type: 'null' }] }
  if (schema['type'] === 'object') {
    const { description, ...rest } = schema
    return { anyOf: [rest, { type: 'null' }], ...(description !== undefined && { description }) }
  }
  const values = listOf(schema['enum'])
  const types = typesOf(schema)
  return {
    ...schema,
    ...(types.length > 0 && { type: [...types, 'null'] }),
    ...(values.length > 0 && { enum: [...values, null] }),
  }
}

function notStrictError(path: readonly string[], what: string): SchemaError {
  return new SchemaError(`its "${path.join('.')}" takes ${what}, which a strict schema cannot express`)
}
