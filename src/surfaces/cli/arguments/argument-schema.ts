import type { Json, JsonObject } from '../../../index.ts'
import {
  isListed,
  isObject,
  isOfType,
  itemSchemaAt,
  listOf,
  propertyOf,
  resolveRef,
} from '../../../internal.ts'

/** Limits for schemas from untrusted servers: below this depth, or after this many visits, the rest is ignored. */
const maxDepth = 40
const maxVisits = 5000

/** One value of every JSON type. */
const sampleValues: readonly Json[] = ['', 0.5, true, null, [], {}]

type Selector = (schema: JsonObject) => Json | undefined

/** Answers which values an input schema admits for an argument: their types, and the listed ones. */
export class ArgumentSchema {
  readonly #root: JsonObject
  #visits = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  /** The combined schema of an argument from all parts of the input schema; `undefined` if none mentions it. */
  ofArgument(name: string): Json | undefined {
    return this.#collect(this.#root, (schema) => schemaOf(schema, name))
  }

  /** The combined schema of one item of a list. */
  ofItem(schema: Json | undefined, at: number): Json | undefined {
    return this.#collect(schema, (each) => itemSchemaAt(each, at))
  }

  wantsBase64(schema: Json | undefined): boolean {
    return this.#collect(schema, ({ contentEncoding }) => contentEncoding) === 'base64'
  }

  admitsAll(schema: Json | undefined): boolean {
    return sampleValues.every((value) => this.admits(schema, value))
  }

  /** Whether the types and listed values of the schema admit a value. A schema without either admits everything. */
  admits(schema: Json | undefined, value: Json): boolean {
    this.#visits = maxVisits
    return this.#admits(schema, value, maxDepth)
  }

  #admits(schema: Json | undefined, value: Json, depth: number): boolean {
    if (schema === false) return false
    if (!isObject(schema) || this.#isExhausted(depth)) return true
    const { $ref: ref, allOf, anyOf, oneOf } = schema
    const admits = (each: Json | undefined) => this.#admits(each, value, depth - 1)
    const some = (options: readonly Json[]) => options.length === 0 || options.some(admits)
    return (
      isOfType(value, schema['type']) !== false &&
      isListed(schema, value) &&
      listOf(value).every((item, at) => this.#admits(itemSchemaAt(schema, at), item, depth - 1)) &&
      admits(resolveRef(ref, this.#root)) &&
      listOf(allOf).every(admits) &&
      some(listOf(anyOf)) &&
      some(listOf(oneOf))
    )
  }

  #collect(schema: Json | undefined, select: Selector): Json | undefined {
    this.#visits = maxVisits
    return this.#collectFrom(schema, select, maxDepth)
  }

  /**
   * Collects a subschema from every schema that applies together: `allOf` and `$ref` parts are combined with `allOf`, the
   * alternatives with `anyOf`. Alternatives without such a subschema are ignored.
   */
  #collectFrom(schema: Json | undefined, select: Selector, depth: number): Json | undefined {
    if (!isObject(schema) || this.#isExhausted(depth)) return undefined
    const { $ref: ref, allOf, anyOf, oneOf, then, else: other } = schema
    const collected = (parts: readonly (Json | undefined)[]) =>
      parts.map((part) => this.#collectFrom(part, select, depth - 1)).filter((each) => each !== undefined)
    const some = collected([...listOf(anyOf), ...listOf(oneOf), then, other])
    const own = select(schema)
    const all = [
      ...(own === undefined ? [] : [own]),
      ...collected([resolveRef(ref, this.#root), ...listOf(allOf)]),
      ...(some.length > 1 ? [{ anyOf: some }] : some),
    ]
    return all.length > 1 ? { allOf: all } : all[0]
  }

  #isExhausted(depth: number): boolean {
    return depth <= 0 || --this.#visits < 0
  }
}

function schemaOf(schema: JsonObject, name: string): Json | undefined {
  const declared = propertyOf(schema, name)
  if (declared !== undefined) return declared
  const { additionalProperties: others } = schema
  return isObject(others) ? others : undefined
}
