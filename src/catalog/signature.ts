import { isObject, listOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import {
  objectsOf,
  optionsOf,
  propertiesOf,
  propertySchemas,
  requiredOf,
  valuesOf,
} from '../model/schema/parts.ts'
import { replaceRef } from '../model/schema/reference.ts'
import { typesOf } from '../model/schema/value-type.ts'

/** However much a server says, a person reads no more than this. */
const limits = { parts: 1000, depth: 6, properties: 40, options: 12, words: 100 } as const

interface Reading {
  readonly root: JsonObject
  /** How deep in the schema, and how far from the margin. */
  readonly depth: number
  readonly indent: string
  /** What is left to say, over all of the schema: one that holds itself many times would never end. */
  readonly left: { parts: number }
}

/** What a tool takes and gives, the way a programmer would write it down. It is for reading, not for a compiler. */
export function toSignature({ name, inputSchema, outputSchema }: Tool): string {
  const taken = toType(inputSchema, begin(inputSchema))
  const given = outputSchema ? toType(outputSchema, begin(outputSchema)) : undefined
  const args = taken === '{}' ? '' : taken
  return `${name}(${args})${given === undefined ? '' : `: ${given}`}`
}

/** Arguments that a call could have: every one that is needed, with a value the schema itself gives where it gives one. */
export function toExample({ inputSchema }: Pick<Tool, 'inputSchema'>): JsonObject {
  const example = exampleOf(inputSchema, begin(inputSchema), '')
  return isObject(example) ? example : {}
}

function begin(root: JsonObject): Reading {
  return { root, depth: 0, indent: '', left: { parts: limits.parts } }
}

function toType(raw: JsonObject, reading: Reading): string {
  return toOptions(raw, reading).join(' | ')
}

function toOptions(raw: JsonObject, reading: Reading): readonly string[] {
  if (reading.left.parts-- <= 0) return ['…']
  const schema = resolve(raw, reading)
  const values = valuesOf(schema)
  if (values.length > 0) return few(values.map((value) => JSON.stringify(value)))
  const options = optionsOf(schema)
  if (options.length > 0 && !isObject(schema['properties'])) {
    return few(options.flatMap((option) => toOptions(option, deeper(reading))))
  }
  const types = typesOf(schema)
  const known = types.length > 0 ? types : [isObject(schema['properties']) ? 'object' : 'unknown']
  return few(known.map((type) => toOneType(type, schema, reading)))
}

function toOneType(type: string, schema: JsonObject, reading: Reading): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return toArray(schema, reading)
  return type === 'object' ? toObject(schema, reading) : type
}

function toArray({ items }: JsonObject, reading: Reading): string {
  const options = isObject(items) ? toOptions(items, deeper(reading)) : ['unknown']
  return options.length > 1 ? `(${options.join(' | ')})[]` : `${options.join('')}[]`
}

function toObject(schema: JsonObject, reading: Reading): string {
  const properties = Object.entries(propertySchemas(schema))
  if (properties.length === 0) return reading.depth === 0 && !hasMore(schema) ? '{}' : 'object'
  if (reading.depth >= limits.depth) return 'object'
  const required = new Set(requiredOf(schema))
  const indent = `${reading.indent}  `
  const shown = properties.slice(0, limits.properties).map(([name, property]) => {
    const mark = required.has(name) ? '' : '?'
    return `${indent}${toKey(name)}${mark}: ${toType(property, { ...deeper(reading), indent })}${toComment(resolve(property, reading))}`
  })
  const left = properties.length - shown.length
  const rest = left > 0 ? [`${indent}// and ${left} more`] : []
  return ['{', ...shown, ...rest, `${reading.indent}}`].join('\n')
}

function hasMore({ additionalProperties, patternProperties }: JsonObject): boolean {
  return additionalProperties === true || isObject(additionalProperties) || isObject(patternProperties)
}

function toKey(name: string): string {
  return /^[\w$]+$/.test(name) ? name : JSON.stringify(name)
}

/** The first words of a description, and the value that counts when none is given. */
function toComment({ description, default: fallback }: JsonObject): string {
  const words = typeof description === 'string' ? description.replace(/\s+/g, ' ').trim() : ''
  const short = words.length > limits.words ? `${words.slice(0, limits.words - 1).trimEnd()}…` : words
  const value = fallback === undefined || fallback === null ? '' : `default ${JSON.stringify(fallback)}`
  const comment = [short, value.length > limits.words ? '' : value].filter((part) => part !== '').join(' · ')
  return comment === '' ? '' : `  // ${comment}`
}

function few(types: readonly string[]): readonly string[] {
  const all = [...new Set(types)]
  return all.length > limits.options ? [...all.slice(0, limits.options), '…'] : all
}

function deeper(reading: Reading): Reading {
  return { ...reading, depth: reading.depth + 1 }
}

/** References are followed within the schema, and not for ever; what must hold together is one. */
function resolve(schema: JsonObject, reading: Reading): JsonObject {
  const { allOf, ...own } = replaceRef(schema, reading.root)
  const parts = objectsOf(allOf)
  if (parts.length === 0 || (reading.left.parts -= parts.length) <= 0) return own
  return [...parts.map((part) => resolve(part, reading)), own].reduce(join)
}

function join(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...propertiesOf(one), ...propertiesOf(other) }
  const required = [...requiredOf(one), ...requiredOf(other)]
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

function exampleOf(raw: JsonObject, reading: Reading, name: string): Json {
  reading.left.parts--
  const schema = resolve(raw, reading)
  const given = [schema['const'], listOf(schema['examples'])[0], schema['default'], listOf(schema['enum'])[0]]
  const value = given.find((one) => one !== undefined && one !== null)
  if (value !== undefined) return value
  const [option] = optionsOf(schema)
  if (option && !isObject(schema['properties'])) return exampleOf(option, deeper(reading), name)
  const type =
    typesOf(schema).find((one) => one !== 'null') ?? (isObject(schema['properties']) ? 'object' : 'string')
  return exampleOfType(type, schema, reading, name)
}

function exampleOfType(type: string, schema: JsonObject, reading: Reading, name: string): Json {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number')
    return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1
  if (type === 'array') {
    const isDeep = reading.depth >= limits.depth || !isObject(schema['items'])
    return isDeep ? [] : [exampleOf(schema['items'] as JsonObject, deeper(reading), name)] // looked at right here
  }
  if (type !== 'object') return `<${name === '' ? 'value' : name}>`
  if (reading.depth >= limits.depth || reading.left.parts <= 0) return {}
  const properties = propertySchemas(schema)
  const needed = requiredOf(schema).filter((key) => Object.hasOwn(properties, key))
  return Object.fromEntries(
    needed.map((key) => [key, exampleOf(properties[key] ?? {}, deeper(reading), key)]),
  )
}
