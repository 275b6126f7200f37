import type { Json, JsonObject } from '../../../index.ts'
import {
  isList,
  isObject,
  listOf,
  objectsOf,
  propertiesOf,
  requiredOf,
  toExampleValue,
  toTypeText,
  typesOf,
} from '../../../internal.ts'
import type { Field, FieldOption } from '../../api/form-field.ts'
import { readOptions, wordFor } from './form-options.ts'
import { mergeSchemas, numbersIn, resolveSchema, textIn, withoutNull } from './form-schema.ts'
import type { SchemaBudget } from './form-schema.ts'

export interface FormLimits {
  /** Levels of objects, lists, maps and choices between shapes; deeper ones are `json`. */
  readonly depth: number
  /** Fields of the whole form; an object that has no room is `json`. */
  readonly fields: number
}

const formLimits: FormLimits = { depth: 4, fields: 40 }
const maxParts = 500
const maxOptions = 1000
const maxVariants = 12
const maxInitialLength = 10_000
const maxSignatureLength = 4000
/** The fields of a larger object are not listed in its signature either. */
const maxListed = 1000

interface FieldPlace {
  readonly name: string
  readonly isRequired: boolean
  readonly depth: number
}

interface ReadContext {
  readonly root: JsonObject
  readonly limits: FormLimits
  readonly left: SchemaBudget & { fields: number; options: number }
}

type FieldBase = Pick<Field, 'name' | 'title' | 'description' | 'isRequired' | 'isNullable'>

/**
 * The form for values that a JSON Schema admits, such as the arguments of a tool. Total: whatever a server sends, the parts
 * that a form cannot show are `json`. The work is bounded by the limits, and linear in the names of one object.
 */
export function toForm(schema: JsonObject, limits: FormLimits = formLimits): Field {
  const left = { parts: maxParts, fields: limits.fields, options: maxOptions }
  const context: ReadContext = { root: schema, limits, left }
  // The protocol says that the arguments are an object, whether or not the schema does.
  const root = schema['type'] === undefined ? { ...schema, type: 'object' } : schema
  return readField(root, { name: '', isRequired: true, depth: 0 }, context)
}

function readField(raw: Json | undefined, place: FieldPlace, context: ReadContext): Field {
  if (!isObject(raw)) return toJson({}, place, raw === true ? 'may be any value' : 'has no schema', context)
  const resolved = resolveSchema(raw, context.root, context.left)
  if (!resolved) return toJson(raw, place, 'combines schemas that no form can show', context)
  const { schema, isNullable } = withoutNull(resolved)
  const [only, ...others] = [...objectsOf(schema['anyOf']), ...objectsOf(schema['oneOf'])]
  if (only && others.length === 0 && readOptions(schema) === undefined) {
    const { anyOf: _any, oneOf: _one, ...own } = schema
    const chosen = resolveSchema(only, context.root, context.left)
    const merged = chosen && mergeSchemas(chosen, own)
    if (!merged) return toJson(schema, place, 'combines schemas that no form can show', context)
    const inner = withoutNull(merged)
    return readPlain(inner.schema, place, isNullable || inner.isNullable, context)
  }
  return readPlain(schema, place, isNullable, context)
}

/** Reads a schema without references, `allOf` and `null`. */
function readPlain(schema: JsonObject, place: FieldPlace, isNullable: boolean, context: ReadContext): Field {
  const base = baseOf(schema, place, isNullable)
  const { const: only } = schema
  if (only !== undefined) return { ...base, kind: 'constant', value: only }
  const options = readOptions(schema)
  if (options) return readChoice(base, schema, options, place, context)
  const variants = variantsOf(schema)
  if (variants.length > 0) return readVariants(base, schema, variants, place, context)
  const types = typesOf(schema)
  if (types.length > 1) {
    const each = types.map((type): JsonObject => ({ ...schema, type, title: typeWords[type] ?? type }))
    return readVariants(base, schema, each, place, context)
  }
  return readType(types[0] ?? guessType(schema), base, schema, place, context)
}

function readType(
  type: string | undefined,
  base: FieldBase,
  schema: JsonObject,
  place: FieldPlace,
  context: ReadContext,
): Field {
  const { default: initial } = schema
  switch (type) {
    case 'string':
      return { ...base, kind: 'text', ...textLimits(schema, place.name) }
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: 'number',
        isInteger: type === 'integer',
        ...numberLimits(schema, type === 'integer'),
        ...(typeof initial === 'number' && { initial }),
      }
    case 'boolean':
      return { ...base, kind: 'yes-no', ...(typeof initial === 'boolean' && { initial }) }
    case 'array':
      return readList(base, schema, place, context)
    case 'object':
      return readObject(base, schema, place, context)
    case 'null':
      return { ...base, kind: 'constant', value: null }
    default: {
      const isAny = schema['type'] === undefined && Object.keys(schema).every((key) => isAnnotation.test(key))
      const named = JSON.stringify(schema['type'] ?? null)
      const reason = isAny ? 'may be any value' : `has a type that forms do not support (${named})`
      return toJson(schema, place, reason, context, base)
    }
  }
}

const isAnnotation = /^(?:title|description|default|examples?|deprecated|readOnly|writeOnly|\$comment|x-.*)$/

function readObject(base: FieldBase, schema: JsonObject, place: FieldPlace, context: ReadContext): Field {
  const { left, limits } = context
  const names = Object.keys(propertiesOf(schema))
  const values = names.length === 0 ? mapValueOf(schema) : undefined
  if (names.length === 0 && values === undefined) {
    const isEmpty = place.depth === 0 || schema['additionalProperties'] === false
    return isEmpty
      ? { ...base, kind: 'object', fields: [] }
      : toJson(schema, place, 'may have any fields', context, base)
  }
  const count = values === undefined ? names.length : 1
  if (place.depth >= limits.depth) return toJson(schema, place, tooDeep, context, base)
  if (count > left.fields) {
    const listed = count > maxListed ? { type: 'object' } : schema
    return toJson(listed, place, `has ${count} fields`, context, base)
  }
  left.fields -= count
  const initial = initialOf(schema, isObject)
  const depth = place.depth + 1
  if (values !== undefined)
    return {
      ...base,
      kind: 'map',
      value: readField(values, { name: '', isRequired: true, depth }, context),
      ...initial,
    }
  const properties = propertiesOf(schema)
  const required = new Set(requiredOf(schema))
  const fields = names.map((name) =>
    readField(properties[name], { name, isRequired: required.has(name), depth }, context),
  )
  return { ...base, kind: 'object', fields, ...initial }
}

const tooDeep = 'is nested too deep for a form'

/** The schema of the values of an object whose names the person chooses. */
function mapValueOf({ additionalProperties, patternProperties }: JsonObject): Json | undefined {
  if (isObject(additionalProperties)) return additionalProperties
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : []
  return patterns.length === 1 ? patterns[0] : undefined
}

function readList(base: FieldBase, schema: JsonObject, place: FieldPlace, context: ReadContext): Field {
  const { items, prefixItems } = schema
  const counts = numbersIn(schema, { min: 'minItems', max: 'maxItems' })
  if (isList(items) || listOf(prefixItems).length > 0)
    return toJson(schema, place, 'has its own schema for each item', context, base)
  if (!isObject(items) || Object.keys(items).length === 0)
    return toJson(schema, place, 'may have items of any kind', context, base)
  const each = resolveSchema(items, context.root, context.left)
  const options = each && readOptions(each)
  if (options && options.length > 0 && options.length <= context.left.options) {
    context.left.options -= options.length
    const chosen = listOf(schema['default']).filter((value) =>
      options.some((option) => option.value === value),
    )
    return { ...base, kind: 'choices', options, ...counts, ...(chosen.length > 0 && { initial: chosen }) }
  }
  if (place.depth >= context.limits.depth) return toJson(schema, place, tooDeep, context, base)
  if (context.left.fields < 1) return toJson(schema, place, 'has no room in this form', context, base)
  context.left.fields--
  const item = readField(items, { name: '', isRequired: true, depth: place.depth + 1 }, context)
  return { ...base, kind: 'list', item, ...counts, ...initialOf(schema, isList) }
}

function readChoice(
  base: FieldBase,
  schema: JsonObject,
  options: readonly FieldOption[],
  place: FieldPlace,
  context: ReadContext,
): Field {
  if (options.length === 0) {
    const word = schema['type'] === 'string' ? 'text ' : ''
    return toJson(schema, place, `has no ${word}options to choose from`, context, base)
  }
  if (options.length > context.left.options)
    return options.every(({ value }) => typeof value === 'string')
      ? { ...base, kind: 'text', ...textLimits(schema, place.name) }
      : toJson(schema, place, `has ${options.length} options`, context, base)
  context.left.options -= options.length
  const initial = options.find(({ value }) => value === schema['default'])?.value
  return { ...base, kind: 'choice', options, ...(initial !== undefined && { initial }) }
}

/** The shapes to choose from. Options that only say which names are needed together leave the form as it is. */
function variantsOf(schema: JsonObject): readonly JsonObject[] {
  const all = objectsOf(schema['anyOf']).length > 0 ? objectsOf(schema['anyOf']) : objectsOf(schema['oneOf'])
  const hasOwn = Object.keys(propertiesOf(schema)).length > 0
  return hasOwn && all.every(onlyRestricts) ? [] : all
}

function onlyRestricts(option: JsonObject): boolean {
  return Object.keys(option).every((key) => /^(?:required|not|title|description|\$comment)$/.test(key))
}

function readVariants(
  base: FieldBase,
  { anyOf: _any, oneOf: _one, title: _title, description: _about, default: initial, ...own }: JsonObject,
  options: readonly JsonObject[],
  place: FieldPlace,
  context: ReadContext,
): Field {
  const { left, limits } = context
  const whole = { ...own, anyOf: options }
  if (place.depth >= limits.depth && limits.depth > 0) return toJson(whole, place, tooDeep, context, base)
  if (options.length > maxVariants || options.length > left.fields)
    return toJson(whole, place, `has ${options.length} shapes`, context, base)
  left.fields -= options.length
  const variants = options.map((option) => {
    const { type: _type, ...shared } = own
    const parts = { allOf: [option['type'] === undefined ? own : shared, option] }
    const variant = readField(parts, { ...place, depth: place.depth + 1 }, context)
    return { ...variant, title: variantTitle(option, variant) }
  })
  const fits = initial !== undefined && initial !== null && isShort(initial)
  return { ...base, kind: 'one-of', variants, ...(fits && { initial }) }
}

/** The title of a shape: its own, the value that tells it from the others, the name of its definition, or its type. */
function variantTitle(option: JsonObject, variant: Field): string {
  const { title, $ref: ref } = option
  if (typeof title === 'string' && title !== '') return title
  const inside = variant.kind === 'object' ? variant.fields.find(({ kind }) => kind === 'constant') : variant
  if (inside?.kind === 'constant') return wordFor(inside.value)
  if (variant.title !== '' && variant.title !== variant.name) return variant.title
  if (typeof ref === 'string') return ref.slice(ref.lastIndexOf('/') + 1)
  return kindWords[variant.kind]
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'yes or no',
  array: 'list',
  object: 'object',
}

const kindWords: Readonly<Record<Field['kind'], string>> = {
  text: 'text',
  number: 'number',
  'yes-no': 'yes or no',
  choice: 'one of a list',
  choices: 'several of a list',
  object: 'object',
  list: 'list',
  map: 'names and values',
  'one-of': 'one of several',
  constant: 'one value',
  json: 'JSON',
}

/** The type of a schema that leaves it out, by the keywords it has. */
function guessType(schema: JsonObject): string | undefined {
  const has = (...keys: readonly string[]) => keys.some((key) => schema[key] !== undefined)
  if (has('properties', 'additionalProperties', 'patternProperties', 'required')) return 'object'
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return 'array'
  if (has('pattern', 'format', 'minLength', 'maxLength')) return 'string'
  return has('minimum', 'maximum', 'multipleOf') ? 'number' : undefined
}

function textLimits(schema: JsonObject, name: string) {
  const [initial, pattern, format] = ['default', 'pattern', 'format'].map((key) => textIn(schema, key))
  const { maxLength, contentMediaType, contentEncoding } = schema
  const isWide = typeof maxLength === 'number' && maxLength > 300
  const isContent = contentMediaType !== undefined || contentEncoding !== undefined
  return {
    ...(initial !== undefined && { initial }),
    ...(pattern !== undefined && { pattern }),
    ...(format !== undefined && { format }),
    ...numbersIn(schema, { min: 'minLength', max: 'maxLength' }),
    ...((isWide || isContent || longNames.test(name)) && { isLong: true as const }),
  }
}

/** Names of arguments that usually have several lines. */
const longNames =
  /^(?:body|content|contents|code|script|sql|patch|diff|prompt|markdown|html|newText|oldText)$/

function numberLimits(schema: JsonObject, isInteger: boolean) {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema
  return {
    ...(isInteger && typeof above === 'number' && { min: Math.floor(above) + 1 }),
    ...(isInteger && typeof below === 'number' && { max: Math.ceil(below) - 1 }),
    ...numbersIn(schema, { min: 'minimum', max: 'maximum' }),
  }
}

function initialOf(schema: JsonObject, fits: (value: Json) => boolean): { readonly initial?: Json } {
  const { default: initial } = schema
  return initial !== undefined && fits(initial) && isShort(initial) ? { initial } : {}
}

function cut(text: string): string {
  return text.length > maxSignatureLength ? `${text.slice(0, maxSignatureLength)}…` : text
}

function isShort(value: Json): boolean {
  return JSON.stringify(value).length <= maxInitialLength
}

function baseOf(schema: JsonObject, { name, isRequired }: FieldPlace, isNullable: boolean): FieldBase {
  const description = textIn(schema, 'description')
  return {
    name,
    title: textIn(schema, 'title') ?? name,
    ...(description !== undefined && { description }),
    isRequired,
    ...(isNullable && { isNullable }),
  }
}

function toJson(
  schema: JsonObject,
  place: FieldPlace,
  reason: string,
  { root }: ReadContext,
  base: FieldBase = baseOf(schema, place, false),
): Field {
  const example = toExampleValue(schema, root, place.name)
  return {
    ...base,
    kind: 'json',
    signature: cut(toTypeText(schema, root)),
    ...(isShort(example) && { example }),
    reason,
    ...initialOf(schema, (value) => value !== null),
  }
}
