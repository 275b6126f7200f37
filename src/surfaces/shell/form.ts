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
/** One thing that a form asks for. */
export type Field = FieldBase &
  (
    | {
        readonly kind: 'text'
        readonly initial?: string
        readonly least?: number
        readonly most?: number
        readonly pattern?: string
        readonly format?: string
      }
    | {
        readonly kind: 'number'
        readonly isInteger: boolean
        readonly initial?: number
        readonly least?: number
        readonly most?: number
      }
    | { readonly kind: 'yes-no'; readonly initial?: boolean }
    | { readonly kind: 'choice'; readonly options: readonly Option[]; readonly initial?: string }
    | {
        readonly kind: 'choices'
        readonly options: readonly Option[]
        readonly initial?: readonly string[]
        readonly least?: number
        readonly most?: number
      }
  )

const mostFields = 50

/** What a form asks for, or why it cannot be shown. Only flat forms of plain values are allowed by the protocol. */
export function readForm(schema: JsonObject): readonly Field[] | string {
  const { type = 'object', properties } = schema
  if (type !== 'object' || !isObject(properties)) return 'it is no description of a form'
  const entries = Object.entries(properties)
  if (entries.length > mostFields) return `it has ${entries.length} fields`
  const needed = new Set(requiredOf(schema))
  const fields: Field[] = []
  for (const [name, described] of entries) {
    const field = isObject(described)
      ? readField(name, replaceRef(described, schema), { root: schema, isRequired: needed.has(name) })
      : 'is not described'
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
        ...numbersIn(schema, { initial: 'default', least: 'minimum', most: 'maximum' }),
      }
    case 'boolean': {
      const { default: initial } = schema
      return { ...base, kind: 'yes-no', ...(typeof initial === 'boolean' && { initial }) }
    }
    case 'array':
      return readChoices(base, schema, root)
    default:
      return `is of no kind that a form can have (${JSON.stringify(schema['type'] ?? null)})`
  }
}

function textLimits(schema: JsonObject) {
  const [initial, pattern, format] = ['default', 'pattern', 'format'].map((key) => textIn(schema, key))
  return {
    ...(initial !== undefined && { initial }),
    ...(pattern !== undefined && { pattern }),
    ...(format !== undefined && { format }),
    ...numbersIn(schema, { least: 'minLength', most: 'maxLength' }),
  }
}

function readChoice(base: FieldBase, schema: JsonObject): Field | string {
  const options = readOptions(schema)
  if (!options) return 'offers no texts to choose from'
  const initial = textIn(schema, 'default')
  const isOffered = options.some(({ value }) => value === initial)
  return { ...base, kind: 'choice', options, ...(initial !== undefined && isOffered && { initial }) }
}

function readChoices(base: FieldBase, schema: JsonObject, root: JsonObject): Field | string {
  const { items, default: initial } = schema
  const options = isObject(items) ? readOptions(replaceRef(items, root)) : undefined
  if (!options) return 'offers no texts to choose from'
  return {
    ...base,
    kind: 'choices',
    options,
    initial: listOf(initial).filter((value) => typeof value === 'string'),
    ...numbersIn(schema, { least: 'minItems', most: 'maxItems' }),
  }
}

/** `enum` with its old `enumNames`, or a list of `const` and `title`. */
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
    // the keys of a record of these names
    const value = schema[keys[name]]
    if (typeof value === 'number') found[name] = value
  }
  return found
}

function textIn(schema: JsonObject, key: string): string | undefined {
  const value = schema[key]
  return typeof value === 'string' ? value : undefined
}
