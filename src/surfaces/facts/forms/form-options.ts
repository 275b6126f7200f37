import type { Json, JsonObject } from '../../../index.ts'
import { isList, isObject, isOfType, listOf } from '../../../internal.ts'
import type { FieldOption } from '../../api/form-field.ts'
import { textIn } from './form-schema.ts'

/**
 * The values to choose from: `enum` with the older `enumNames`, or a list of `const` and `title`. Undefined if the schema
 * lists no values. Values that its own `type` does not admit are left out.
 */
export function readOptions(schema: JsonObject): readonly FieldOption[] | undefined {
  const { enum: values, enumNames, type } = schema
  const all = isList(values) ? readEnum(values, listOf(enumNames)) : readConstants(schema)
  return type === undefined ? all : all?.filter(({ value }) => isOfType(value, type) !== false)
}

function readEnum(values: readonly Json[], titles: readonly Json[]): readonly FieldOption[] {
  return values.map((value, at) => {
    const title = titles[at]
    return { value, title: typeof title === 'string' ? title : wordFor(value) }
  })
}

function readConstants(schema: JsonObject): readonly FieldOption[] | undefined {
  const listed = schema['oneOf'] ?? schema['anyOf']
  if (!isList(listed) || listed.length === 0) return undefined
  const options: FieldOption[] = []
  for (const each of listed) {
    const value = isObject(each) ? onlyValueOf(each) : undefined
    if (!isObject(each) || value === undefined) return undefined
    options.push({ value, title: textIn(each, 'title') ?? wordFor(value) })
  }
  return options
}

/** The value of `const`, or of an `enum` with one value. */
function onlyValueOf({ const: only, enum: values }: JsonObject): Json | undefined {
  if (only !== undefined) return only
  return isList(values) && values.length === 1 ? values[0] : undefined
}

export function wordFor(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
