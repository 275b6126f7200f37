import type { JsonObject } from '../../index.ts'
import { isList, isObject, listOf, replaceRef, requiredOf } from '../../internal.ts'

interface FieldBase {
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly isRequired: boolean
}
export interface Option {
  readonly value: string
  readonly title: string
}
/** One field of a form. */
export type Field = FieldBase &
  (
    | {
        readonly kind: 'text'
        readonly initial?: string
        readonly min?: number
        readonly max?: number
        readonly pattern?: string
        readonly format?: string
      }
    | {
        readonly kind: 'number'
        readonly isInteger: boolean
        readonly initial?: number
        readonly min?: number
        readonly max?: number
      }
    | { readonly kind: 'yes-no'; readonly initial?: boolean }
    | { readonly kind: 'choice'; readonly options: readonly Option[]; readonly initial?: string }
    | {
        readonly kind: 'choices'
        readonly options: readonly Option[]
        readonly initial?: readonly string[]
        readonly min?: number
        readonly max?: number
      }
  )

const maxFields = 50

/** Reads the fields of a form, or returns why it cannot be shown. The protocol allows only flat forms of plain values. */
export function readForm(schema: JsonObject): readonly Field[] | string {
  const { type = 'object', properties } = schema
  if (type !== 'object' || !isObject(properties)) return 'its schema does not describe a form'
  const entries = Object.entries(properties)
  if (entries.length > maxFields) return `it has ${entries.length} fields`
  const required = new Set(requiredOf(schema))
  const fields: Field[] = []
  for (const [name, definition] of entries) {
    const field = isObject(definition)
      ? readField(name, replaceRef(definition, schema), { root: schema, isRequired: required.has(name) })
      : 'has no schema'
    if (typeof field === 'string') return `its field ${JSON.stringify(name)} ${field}`
    fields.push(field)
  }
  return fields
}

function readField(
  name: string,
  schema: JsonObject,
  { root, isRequired }: { readonly root: JsonObject; readonly isRequired: boolean },
): Field | string {
  const description = textIn(schema, 'description')
  const base = {
    name,
    title: textIn(schema, 'title') ?? name,
    isRequired,
    ...(description !== undefined && { description }),
  }
  switch (schema['type']) {
    case 'string':
      return schema['enum'] === undefined && schema['oneOf'] === undefined
        ? { ...base, kind: 'text', ...textLimits(schema) }
        : readChoice(base, schema)
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: 'number',
        isInteger: schema['type'] === 'integer',
        ...numbersIn(schema, { initial: 'default', min: 'minimum', max: 'maximum' }),
      }
    case 'boolean': {
      const { default: initial } = schema
      return { ...base, kind: 'yes-no', ...(typeof initial === 'boolean' && { initial }) }
    }
    case 'array':
      return readChoices(base, schema, root)
    default:
      return `has a type that forms do not support (${JSON.stringify(schema['type'] ?? null)})`
  }
}

function textLimits(schema: JsonObject) {
  const [initial, pattern, format] = ['default', 'pattern', 'format'].map((key) => textIn(schema, key))
  return {
    ...(initial !== undefined && { initial }),
    ...(pattern !== undefined && { pattern }),
    ...(format !== undefined && { format }),
    ...numbersIn(schema, { min: 'minLength', max: 'maxLength' }),
  }
}

function readChoice(base: FieldBase, schema: JsonObject): Field | string {
  const options = readOptions(schema)
  if (!options) return 'has no text options to choose from'
  const initial = textIn(schema, 'default')
  const isOffered = options.some(({ value }) => value === initial)
  return { ...base, kind: 'choice', options, ...(initial !== undefined && isOffered && { initial }) }
}

function readChoices(base: FieldBase, schema: JsonObject, root: JsonObject): Field | string {
  const { items, default: initial } = schema
  const options = isObject(items) ? readOptions(replaceRef(items, root)) : undefined
  if (!options) return 'has no text options to choose from'
  return {
    ...base,
    kind: 'choices',
    options,
    initial: listOf(initial).filter((value) => typeof value === 'string'),
    ...numbersIn(schema, { min: 'minItems', max: 'maxItems' }),
  }
}

/** Reads `enum` with the older `enumNames`, or a list of `const` and `title`. */
function readOptions(schema: JsonObject): readonly Option[] | undefined {
  const { enum: values, enumNames, oneOf, anyOf } = schema
  const titled = oneOf ?? anyOf
  if (isList(titled)) {
    const options = titled.flatMap((each): Option[] => {
      if (!isObject(each) || typeof each['const'] !== 'string') return []
      return [{ value: each['const'], title: textIn(each, 'title') ?? each['const'] }]
    })
    return options.length === titled.length && options.length > 0 ? options : undefined
  }
  if (!isList(values) || values.length === 0) return undefined
  const titles = listOf(enumNames)
  const options = values.flatMap((value, at): Option[] => {
    const title = titles[at]
    return typeof value === 'string' ? [{ value, title: typeof title === 'string' ? title : value }] : []
  })
  return options.length === values.length ? options : undefined
}

function numbersIn<Names extends string>(
  schema: JsonObject,
  keys: Readonly<Record<Names, string>>,
): Partial<Record<Names, number>> {
  const found: Partial<Record<Names, number>> = {}
  for (const name of Object.keys(keys) as Names[]) {
    // Object.keys() forgets the key type
    const value = schema[keys[name]]
    if (typeof value === 'number') found[name] = value
  }
  return found
}

function textIn(schema: JsonObject, key: string): string | undefined {
  const value = schema[key]
  return typeof value === 'string' ? value : undefined
}
