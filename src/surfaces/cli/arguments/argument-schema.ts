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

/** A schema is a stranger's word: deeper than this, or after so many looks, it says nothing more. */
const maxDepth = 40
const maxVisits = 5000

/** One of every kind. */
const sampleValues: readonly Json[] = ['', 0.5, true, null, [], {}]

type Selector = (schema: JsonObject) => Json | undefined

/** What an input schema says of the values that a person writes: their kinds, and which are listed. */
export class ArgumentSchema {
  readonly #root: JsonObject
  #visits = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  /** What holds for an argument, wherever it is said; `undefined` if nowhere. */
  ofArgument(name: string): Json | undefined {
    return this.#collect(this.#root, (schema) => schemaOf(schema, name))
  }

  /** What holds for one item of a list. */
  ofItem(schema: Json | undefined, at: number): Json | undefined {
    return this.#collect(schema, (each) => itemSchemaAt(each, at))
  }

  wantsBase64(schema: Json | undefined): boolean {
    return this.#collect(schema, ({ contentEncoding }) => contentEncoding) === 'base64'
  }

  admitsAll(schema: Json | undefined): boolean {
    return sampleValues.every((value) => this.admits(schema, value))
  }

  /** Whether a value is one of those that are listed, or of a kind that is named. What is not said admits everything. */
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
   * What all schemas that count beside one another say of something within: all of what always holds, and any of what
   * holds in one form or another. Forms that do not speak of it are no help.
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
