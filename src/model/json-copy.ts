import type { Json } from './json.ts'

/** Deeper than any message that is accepted. Values with a cycle reach it too. */
const maxDepth = 256
/** The value, or a part of it, is not plain JSON. */
const notPlain = Symbol('not plain')

/**
 * A copy of a value exactly as `JSON.stringify` writes it: with the results of `toJSON` and of getters, without what JSON
 * cannot hold. The copy is independent of the value, which may change later. Throws a `TypeError` if the value has no JSON.
 */
export function copyAsJson(value: unknown): Json {
  const copy = copyPlain(value, maxDepth)
  return copy === notPlain ? serialized(value) : copy
}

/** Faster than serializing; gives up at the first part that `JSON.stringify` would write as something else. */
function copyPlain(value: unknown, depth: number): Json | typeof notPlain {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : notPlain
  if (typeof value !== 'object' || depth === 0) return notPlain
  return Array.isArray(value) ? copyList(value, depth) : copyObject(value, depth)
}

function copyList(list: readonly unknown[], depth: number): Json | typeof notPlain {
  if (Object.getPrototypeOf(list) !== Array.prototype || 'toJSON' in list) return notPlain
  const copy: Json[] = []
  for (const item of list) {
    const plain = copyPlain(item, depth - 1)
    if (plain === notPlain) return notPlain
    copy.push(plain)
  }
  return copy
}

function copyObject(object: object, depth: number): Json | typeof notPlain {
  const prototype: unknown = Object.getPrototypeOf(object)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in object) return notPlain
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(object)) {
    // Assigning it would set the prototype of the copy.
    if (key === '__proto__') return notPlain
    const value = (object as Readonly<Record<string, unknown>>)[key] // any key of an object
    if (value === undefined) continue
    const plain = copyPlain(value, depth - 1)
    if (plain === notPlain) return notPlain
    copy[key] = plain
  }
  return copy
}

function serialized(value: unknown): Json {
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new TypeError(`A ${typeof value} has no JSON form`)
  return JSON.parse(json) as Json // JSON.parse returns JSON
}
