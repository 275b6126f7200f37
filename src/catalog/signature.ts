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

/** Limits for the output, whatever the size of the schema. */
const limits = { parts: 1000, partsOfText: 100, depth: 6, properties: 40, options: 12, words: 100 } as const

interface ReadContext {
  readonly root: JsonObject
  /** Nesting level within the schema. */
  readonly depth: number
  readonly indent: string
  /** Budget for the whole schema, so that a recursive one ends. */
  readonly left: { parts: number }
}

/** The arguments and the result of a tool, written like a TypeScript signature. For reading, not for a compiler. */
export function toSignature({ name, inputSchema, outputSchema }: Tool): string {
  const taken = toType(inputSchema, createContext(inputSchema))
  const given = outputSchema ? toType(outputSchema, createContext(outputSchema)) : undefined
  const args = taken === '{}' ? '' : taken
  return `${name}(${args})${given === undefined ? '' : `: ${given}`}`
}

/** Example arguments for a call: all required ones, with values from the schema where it has any. */
export function toExample({ inputSchema }: Pick<Tool, 'inputSchema'>): JsonObject {
  const example = exampleOf(inputSchema, createContext(inputSchema), '')
  return isObject(example) ? example : {}
}

/** The type of a part of a schema document, as in a signature. */
export function toTypeText(schema: JsonObject, root: JsonObject): string {
  const context = createContext(root)
  return toType(schema, { ...deeper(context), left: { parts: limits.partsOfText } })
}

/** An example of a value for a part of a schema document; `name` is shown where nothing else is known. */
export function toExampleValue(schema: JsonObject, root: JsonObject, name: string): Json {
  return exampleOf(schema, createContext(root), name)
}

function createContext(root: JsonObject): ReadContext {
  return { root, depth: 0, indent: '', left: { parts: limits.parts } }
}

function toType(raw: JsonObject, context: ReadContext): string {
  return toOptions(raw, context).join(' | ')
}

function toOptions(raw: JsonObject, context: ReadContext): readonly string[] {
  if (context.left.parts-- <= 0) return ['…']
  const schema = resolveSchema(raw, context)
  const values = valuesOf(schema)
  if (values.length > 0) return limitOptions(values.map((value) => JSON.stringify(value)))
  const options = optionsOf(schema)
  if (options.length > 0 && !isObject(schema['properties'])) {
    return limitOptions(options.flatMap((option) => toOptions(option, deeper(context))))
  }
  const types = typesOf(schema)
  const known = types.length > 0 ? types : [isObject(schema['properties']) ? 'object' : 'unknown']
  return limitOptions(known.map((type) => toOneType(type, schema, context)))
}

function toOneType(type: string, schema: JsonObject, context: ReadContext): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return toArray(schema, context)
  return type === 'object' ? toObject(schema, context) : type
}

function toArray({ items }: JsonObject, context: ReadContext): string {
  const options = isObject(items) ? toOptions(items, deeper(context)) : ['unknown']
  return options.length > 1 ? `(${options.join(' | ')})[]` : `${options.join('')}[]`
}

function toObject(schema: JsonObject, context: ReadContext): string {
  const properties = Object.entries(propertySchemas(schema))
  if (properties.length === 0) return context.depth === 0 && !hasMore(schema) ? '{}' : 'object'
  if (context.depth >= limits.depth) return 'object'
  const required = new Set(requiredOf(schema))
  const indent = `${context.indent}  `
  const shown = properties.slice(0, limits.properties).map(([name, property]) => {
    const mark = required.has(name) ? '' : '?'
    return `${indent}${toKey(name)}${mark}: ${toType(property, { ...deeper(context), indent })}${toComment(resolveSchema(property, context))}`
  })
  const left = properties.length - shown.length
  const rest = left > 0 ? [`${indent}// and ${left} more`] : []
  return ['{', ...shown, ...rest, `${context.indent}}`].join('\n')
}

function hasMore({ additionalProperties, patternProperties }: JsonObject): boolean {
  return additionalProperties === true || isObject(additionalProperties) || isObject(patternProperties)
}

function toKey(name: string): string {
  return /^[\w$]+$/.test(name) ? name : JSON.stringify(name)
}

/** The start of the description, and the default value. */
function toComment({ description, default: fallback }: JsonObject): string {
  const words = typeof description === 'string' ? description.replace(/\s+/g, ' ').trim() : ''
  const short = words.length > limits.words ? `${words.slice(0, limits.words - 1).trimEnd()}…` : words
  const value = fallback === undefined || fallback === null ? '' : `default ${JSON.stringify(fallback)}`
  const comment = [short, value.length > limits.words ? '' : value].filter((part) => part !== '').join(' · ')
  return comment === '' ? '' : `  // ${comment}`
}

function limitOptions(types: readonly string[]): readonly string[] {
  const all = [...new Set(types)]
  return all.length > limits.options ? [...all.slice(0, limits.options), '…'] : all
}

function deeper(context: ReadContext): ReadContext {
  return { ...context, depth: context.depth + 1 }
}

/** Follows references within the schema and merges `allOf`, as far as the budget allows. */
function resolveSchema(schema: JsonObject, context: ReadContext): JsonObject {
  const { allOf, ...own } = replaceRef(schema, context.root)
  const parts = objectsOf(allOf)
  if (parts.length === 0 || (context.left.parts -= parts.length) <= 0) return own
  return [...parts.map((part) => resolveSchema(part, context)), own].reduce(mergeSchemas)
}

function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...propertiesOf(one), ...propertiesOf(other) }
  const required = [...requiredOf(one), ...requiredOf(other)]
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

function exampleOf(raw: JsonObject, context: ReadContext, name: string): Json {
  context.left.parts--
  const schema = resolveSchema(raw, context)
  const given = [schema['const'], listOf(schema['examples'])[0], schema['default'], listOf(schema['enum'])[0]]
  const value = given.find((one) => one !== undefined && one !== null)
  if (value !== undefined) return value
  const [option] = optionsOf(schema)
  const isDeep = context.depth >= limits.depth
  if (option && !isDeep && !isObject(schema['properties'])) return exampleOf(option, deeper(context), name)
  const type =
    typesOf(schema).find((one) => one !== 'null') ?? (isObject(schema['properties']) ? 'object' : 'string')
  return exampleOfType(type, schema, context, name)
}

function exampleOfType(type: string, schema: JsonObject, context: ReadContext, name: string): Json {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number')
    return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1
  if (type === 'array') {
    const isDeep = context.depth >= limits.depth || !isObject(schema['items'])
    return isDeep ? [] : [exampleOf(schema['items'] as JsonObject, deeper(context), name)] // checked above
  }
  if (type !== 'object') return `<${name === '' ? 'value' : name}>`
  if (context.depth >= limits.depth || context.left.parts <= 0) return {}
  const properties = propertySchemas(schema)
  const needed = requiredOf(schema).filter((key) => Object.hasOwn(properties, key))
  return Object.fromEntries(
    needed.map((key) => [key, exampleOf(properties[key] ?? {}, deeper(context), key)]),
  )
}
