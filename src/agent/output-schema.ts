import { isList, isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'

const types: readonly unknown[] = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']
const one = ['additionalProperties', 'items', 'contains', 'propertyNames', 'not', 'if', 'then', 'else']
const many = ['anyOf', 'allOf', 'oneOf', 'prefixItems']
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const deepest = 64

/** What keeps a value from being a JSON Schema; `undefined` if nothing does. Keywords that are not known are left alone. */
export function schemaProblem(schema: Json, path = '', depth = 0): string | undefined {
  const at = (key: string) => `${path}/${key}`
  if (typeof schema === 'boolean' && path !== '') return undefined
  if (!isObject(schema)) return `${path === '' ? 'it' : path} must be a schema`
  if (depth > deepest) return `it has more than ${deepest} levels`
  const { type, required, enum: values } = schema
  const names = isList(type) ? type : type === undefined ? [] : [type]
  if (!names.every((name) => types.includes(name))) return `${at('type')} must be one of ${types.join(', ')}`
  if (required !== undefined && !(isList(required) && required.every((name) => typeof name === 'string')))
    return `${at('required')} must be a list of names`
  if (values !== undefined && !isList(values)) return `${at('enum')} must be a list`
  const inner: [string, Json][] = []
  for (const key of one) {
    const found = schema[key]
    // Older drafts have a list of schemas in `items`.
    if (key === 'items' && isList(found))
      inner.push(...found.map((each, index): [string, Json] => [`${key}/${index}`, each]))
    else if (found !== undefined) inner.push([key, found])
  }
  for (const key of many) {
    const found = schema[key]
    if (found === undefined) continue
    if (!isList(found)) return `${at(key)} must be a list of schemas`
    inner.push(...found.map((each, index): [string, Json] => [`${key}/${index}`, each]))
  }
  for (const key of named) {
    const found = schema[key]
    if (found === undefined) continue
    if (!isObject(found)) return `${at(key)} must be an object of schemas`
    inner.push(...Object.entries(found).map(([name, each]): [string, Json] => [`${key}/${name}`, each]))
  }
  for (const [key, each] of inner) {
    const problem = schemaProblem(each, at(key), depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}
