import { isEqual, isList, isObject, listOf } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

// Readers for single keywords of a JSON Schema. Schemas come from servers: a keyword with a value of the wrong shape
// counts as absent, and keys are looked up as own properties only.

/** The declared properties, as written. */
export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {}
}

/** The declared properties with a schema for each. `true`, or a value that is not a schema, becomes `{}`. */
export function propertySchemas(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const entries = Object.entries(propertiesOf(schema))
  return Object.fromEntries(entries.map(([name, value]) => [name, isObject(value) ? value : {}]))
}

/** The schema of one property; `undefined` if it is not declared. */
export function propertyOf(schema: JsonObject, name: string): Json | undefined {
  const properties = propertiesOf(schema)
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

export function requiredOf({ required }: JsonObject): readonly string[] {
  return listOf(required).filter((name) => typeof name === 'string')
}

/** The schemas for the items of an array. */
export interface ItemSchemas {
  /** One for each of the first items: `prefixItems`, or a list as `items` in older drafts. */
  readonly first: readonly Json[]
  /** The schema for all items after those. */
  readonly others: Json | undefined
}

export function itemSchemas({ items, prefixItems, additionalItems }: JsonObject): ItemSchemas {
  return isList(items)
    ? { first: items, others: additionalItems }
    : { first: listOf(prefixItems), others: items }
}

export function itemSchemaAt(schema: JsonObject, index: number): Json | undefined {
  const { first, others } = itemSchemas(schema)
  return index < first.length ? first[index] : others
}

/** The schemas in a list of schemas, such as `allOf`, without `true` and `false`. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isObject)
}

/** The schemas to choose from: those of `anyOf`, then those of `oneOf`. */
export function optionsOf({ anyOf, oneOf }: JsonObject): readonly JsonObject[] {
  return [...objectsOf(anyOf), ...objectsOf(oneOf)]
}

/** The values to choose from: the only one of `const`, else those of `enum`. */
export function valuesOf({ const: only, enum: values }: JsonObject): readonly Json[] {
  return only === undefined ? listOf(values) : [only]
}

/** Whether `const` and `enum` admit a value. */
export function isListed({ const: only, enum: values }: JsonObject, value: Json): boolean {
  if (only !== undefined && !isEqual(only, value)) return false
  return !isList(values) || values.some((each) => isEqual(each, value))
}
