import type { Json, JsonObject } from '../../index.ts'

/** A schema is a stranger's word: deeper than this, or after so many looks, it says nothing more. */
const maxDepth = 40
const mostLooks = 5000

/** One of every kind. */
const anything: readonly Json[] = ['', 0.5, true, null, [], {}]
const kinds = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

type Pick = (schema: JsonObject) => Json | undefined

/** What an input schema says of the values that a person writes: their kinds, and which are listed. */
export class ArgumentSchema {
  readonly #root: JsonObject
  #looks = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  /** What holds for an argument, wherever it is said; `undefined` if nowhere. */
  ofArgument(name: string): Json | undefined {
    return this.#saidWithin(this.#root, (schema) => propertyOf(schema, name))
  }

  /** What holds for one item of a list. */
  ofItem(schema: Json | undefined, at: number): Json | undefined {
    return this.#saidWithin(schema, (each) => itemOf(each, at))
  }

  wantsBase64(schema: Json | undefined): boolean {
    return this.#saidWithin(schema, ({ contentEncoding }) => contentEncoding) === 'base64'
  }

  admitsAll(schema: Json | undefined): boolean {
    return anything.every((value) => this.admits(schema, value))
  }

  /** Whether a value is one of those that are listed, or of a kind that is named. What is not said admits everything. */
  admits(schema: Json | undefined, value: Json): boolean {
    this.#looks = mostLooks
    return this.#admits(schema, value, maxDepth)
  }

  #admits(schema: Json | undefined, value: Json, depth: number): boolean {
    if (schema === false) return false
    if (!isObject(schema) || this.#isEnough(depth)) return true
    const { $ref: ref, allOf, anyOf, oneOf } = schema
    const admits = (each: Json | undefined) => this.#admits(each, value, depth - 1)
    const some = (options: readonly Json[]) => options.length === 0 || options.some(admits)
    return (
      isNamed(schema, value) &&
      isListed(schema, value) &&
      listOf(value).every((item, at) => this.#admits(itemOf(schema, at), item, depth - 1)) &&
      admits(targetOf(ref, this.#root)) &&
      listOf(allOf).every(admits) &&
      some(listOf(anyOf)) &&
      some(listOf(oneOf))
    )
  }

  #saidWithin(schema: Json | undefined, pick: Pick): Json | undefined {
    this.#looks = mostLooks
    return this.#within(schema, pick, maxDepth)
  }

  /**
   * What all schemas that count beside one another say of something within: all of what always holds, and any of what
   * holds in one form or another. Forms that do not speak of it are no help.
   */
  #within(schema: Json | undefined, pick: Pick, depth: number): Json | undefined {
    if (!isObject(schema) || this.#isEnough(depth)) return undefined
    const { $ref: ref, allOf, anyOf, oneOf, then, else: other } = schema
    const said = (parts: readonly (Json | undefined)[]) =>
      parts.map((part) => this.#within(part, pick, depth - 1)).filter((each) => each !== undefined)
    const some = said([...listOf(anyOf), ...listOf(oneOf), then, other])
    const own = pick(schema)
    const all = [
      ...(own === undefined ? [] : [own]),
      ...said([targetOf(ref, this.#root), ...listOf(allOf)]),
      ...(some.length > 1 ? [{ anyOf: some }] : some),
    ]
    return all.length > 1 ? { allOf: all } : all[0]
  }

  #isEnough(depth: number): boolean {
    return depth <= 0 || --this.#looks < 0
  }
}

function propertyOf({ properties, additionalProperties }: JsonObject, name: string): Json | undefined {
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name]
  return isObject(additionalProperties) ? additionalProperties : undefined
}

/** The first items may have schemas of their own: `prefixItems`, or a list as `items` in older drafts. */
function itemOf({ items, prefixItems, additionalItems }: JsonObject, at: number): Json | undefined {
  const first = listOf(Array.isArray(items) ? items : prefixItems)
  if (at < first.length) return first[at]
  return Array.isArray(items) ? additionalItems : items
}

function isNamed({ type }: JsonObject, value: Json): boolean {
  const names = typeof type === 'string' ? [type] : listOf(type)
  // A kind that nobody knows may be any.
  const isSaid = names.length > 0 && names.every((name) => kinds.some((kind) => kind === name))
  return !isSaid || kindsOf(value).some((kind) => names.includes(kind))
}

function kindsOf(value: Json): readonly string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}

function isListed({ enum: values, const: only }: JsonObject, value: Json): boolean {
  const text = JSON.stringify(value)
  const isSame = (each: Json) => each === value || (typeof each === 'object' && JSON.stringify(each) === text)
  return (only === undefined || isSame(only)) && (!Array.isArray(values) || listOf(values).some(isSame))
}

/** Within the schema itself; no address is ever fetched. */
function targetOf(ref: Json | undefined, root: JsonObject): Json | undefined {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
  let target: Json | undefined = root
  for (const part of decoded(ref).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined
    target = (target as JsonObject)[key] // an own key, of a list as well
  }
  return target
}

function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref)
  } catch {
    return ref
  }
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [] // isArray does not narrow a readonly union
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
