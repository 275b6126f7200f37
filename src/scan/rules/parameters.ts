import { isList, isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'

/** A parameter of a tool, or a property below one. */
export interface Parameter {
  readonly name: string
  readonly path: readonly (string | number)[]
  readonly schema: JsonObject
  readonly isRequired: boolean
}

const maxParameters = 5000
const maxLevels = 32

/** The parameters of a tool's input, nested ones included, and those of a prompt. */
export function parametersOf(definition: JsonObject): readonly Parameter[] {
  const found: Parameter[] = []
  const walk = (schema: JsonObject, path: readonly (string | number)[]): void => {
    if (found.length >= maxParameters || path.length > maxLevels) return
    const { properties, items, required } = schema
    const names = isList(required) ? required : []
    if (isObject(properties))
      for (const [name, property] of Object.entries(properties)) {
        if (!isObject(property)) continue
        const at = [...path, 'properties', name]
        found.push({ name, path: at, schema: property, isRequired: names.includes(name) })
        walk(property, at)
      }
    if (isObject(items)) walk(items, [...path, 'items'])
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const list = schema[key]
      if (isList(list))
        for (const [index, item] of list.entries()) if (isObject(item)) walk(item, [...path, key, index])
    }
  }
  for (const key of ['inputSchema', 'requestedSchema']) {
    const schema = definition[key]
    if (isObject(schema)) walk(schema, [key])
  }
  const { arguments: list, uriTemplate } = definition
  if (typeof uriTemplate === 'string')
    for (const [, name = ''] of uriTemplate.slice(0, 4096).matchAll(/\{[+#./;?&]?([\w.%-]{1,200})/g))
      found.push({ name, path: ['uriTemplate'], schema: {}, isRequired: true })
  if (isList(list))
    for (const [index, item] of list.entries())
      if (isObject(item) && typeof item['name'] === 'string')
        found.push({
          name: item['name'],
          path: ['arguments', index],
          schema: item,
          isRequired: item['required'] === true,
        })
  return found
}
