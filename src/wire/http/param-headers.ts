import { isObject, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { encodeHeaderValue } from './message-headers.ts'

/** An argument of a tool that is mirrored into a header (`x-mcp-header`). */
export interface ParamHeader {
  readonly header: string
  readonly path: readonly string[]
}
export type ParamHeaders = readonly ParamHeader[]
/** By the name of the header in lower case. */
type Found = Map<string, ParamHeader>

const annotation = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Names that mean something to whoever stands between us and the server (T25). */
const forbidden = /^(?:authorization|proxy-authorization|cookie|set-cookie|host|mcp-.*)$/i
const types: readonly Json[] = ['string', 'integer', 'boolean']
/** Keywords whose value maps names to schemas, and those whose value is data. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const data = new Set(['default', 'const', 'enum', 'examples'])

/** The annotations of an `inputSchema`, or why the tool must be left out. */
export function readParamHeaders(inputSchema: JsonObject): ParamHeaders | string {
  const found: Found = new Map()
  const problem = visit(inputSchema, [], true, found)
  return problem ?? [...found.values()]
}

/** The headers of one call. What is absent or null has none. */
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

/** `path` leads to this schema through `properties` alone where `isReachable`. */
function visit(
  schema: Json,
  path: readonly string[],
  isReachable: boolean,
  found: Found,
): string | undefined {
  if (Array.isArray(schema)) return first(schema, (item: Json) => visit(item, path, false, found))
  if (!isObject(schema)) return undefined
  if (Object.hasOwn(schema, annotation)) {
    const problem = isReachable && path.length > 0 ? add(schema, path, found) : outOfPlace
    if (problem !== undefined) return problem
  }
  return first(Object.keys(schema), (key) => {
    const value = schema[key] ?? null
    if (data.has(key) || key === annotation) return undefined
    if (!maps.has(key) || !isObject(value)) return visit(value, path, false, found)
    return first(Object.keys(value), (name) =>
      visit(value[name] ?? null, [...path, name], isReachable && key === 'properties', found),
    )
  })
}

const outOfPlace = `an ${annotation} stands where no argument can be told from the schema alone`

function add(schema: JsonObject, path: readonly string[], found: Found): string | undefined {
  const name = schema[annotation]
  const where = `the ${annotation} of ${JSON.stringify(path.join('.'))}`
  if (typeof name !== 'string' || !token.test(name)) return `${where} is no header name`
  if (forbidden.test(name)) return `${where} takes the name ${name}`
  if (!types.includes(schema['type'] ?? null))
    return `${where} is on something else than a string, integer or boolean`
  const header = `Mcp-Param-${name}`
  if (found.has(header.toLowerCase())) return `${where} uses the name ${name} a second time`
  found.set(header.toLowerCase(), { header, path })
  return undefined
}

function toText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  // Beyond this a number is written in more than one way.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)
}

function first<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item)
    if (problem !== undefined) return problem
  }
  return undefined
}
