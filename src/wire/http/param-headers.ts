import { isObject, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { encodeHeaderValue } from './message-headers.ts'

/** A tool argument that is mirrored into a header (`x-mcp-header`). */
export interface ParamHeader {
  readonly header: string
  readonly path: readonly string[]
}
export type ParamHeaders = readonly ParamHeader[]
/** By header name in lower case. */
type HeadersByName = Map<string, ParamHeader>

const annotation = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Header names that proxies and servers interpret (T25). */
const forbidden = /^(?:authorization|proxy-authorization|cookie|set-cookie|host|mcp-.*)$/i
const types: readonly Json[] = ['string', 'integer', 'boolean']
/** Keywords whose value maps names to schemas, and keywords whose value is data. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const data = new Set(['default', 'const', 'enum', 'examples'])

/** The header annotations of an `inputSchema`, or the reason to leave the tool out. */
export function readParamHeaders(inputSchema: JsonObject): ParamHeaders | string {
  const found: HeadersByName = new Map()
  const problem = collectHeaders(inputSchema, [], true, found)
  return problem ?? [...found.values()]
}

/** The headers of one call. An absent or null argument sends no header. */
export function toParamHeaders(
  headers: ParamHeaders,
  args: Json | undefined,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const { header, path } of headers) {
    const text = toText(valueAt(args, path))
    if (text !== undefined) values[header] = encodeHeaderValue(text)
  }
  return values
}

/** `isReachable`: `path` leads to this schema through `properties` alone. */
function collectHeaders(
  schema: Json,
  path: readonly string[],
  isReachable: boolean,
  found: HeadersByName,
): string | undefined {
  if (Array.isArray(schema))
    return firstProblem(schema, (item: Json) => collectHeaders(item, path, false, found))
  if (!isObject(schema)) return undefined
  if (Object.hasOwn(schema, annotation)) {
    const problem = isReachable && path.length > 0 ? add(schema, path, found) : outOfPlace
    if (problem !== undefined) return problem
  }
  return firstProblem(Object.keys(schema), (key) => {
    const value = schema[key] ?? null
    if (data.has(key) || key === annotation) return undefined
    if (!maps.has(key) || !isObject(value)) return collectHeaders(value, path, false, found)
    return firstProblem(Object.keys(value), (name) =>
      collectHeaders(value[name] ?? null, [...path, name], isReachable && key === 'properties', found),
    )
  })
}

const outOfPlace = `an ${annotation} is in a place where the schema alone does not identify an argument`

function add(schema: JsonObject, path: readonly string[], found: HeadersByName): string | undefined {
  const name = schema[annotation]
  const where = `the ${annotation} of ${JSON.stringify(path.join('.'))}`
  if (typeof name !== 'string' || !token.test(name)) return `${where} is not a header name`
  if (forbidden.test(name)) return `${where} uses the reserved name ${name}`
  if (!types.includes(schema['type'] ?? null)) return `${where} is not on a string, integer or boolean`
  const header = `Mcp-Param-${name}`
  if (found.has(header.toLowerCase())) return `${where} uses the name ${name} a second time`
  found.set(header.toLowerCase(), { header, path })
  return undefined
}

function toText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  // Beyond the safe range, a number has more than one spelling.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)
}

function firstProblem<T>(
  items: readonly T[],
  problemOf: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const problem = problemOf(item)
    if (problem !== undefined) return problem
  }
  return undefined
}
