import { removeHidden } from '../model/hidden.ts'
import { fromPointer, isObject, valueAt } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** A schema is a stranger's word: once this many of its parts were looked at, the rest stays as it is. */
const mostLooks = 20_000
/** Deeper than anybody means it. */
const maxDepth = 100

/**
 * Arguments as the server knows them. A model is shown names of properties and listed texts without what is hidden in
 * them (T17), and so calls by those; a server waits for its own. The schema is the server's, and says where they stand: a
 * free text that reads the same is none of them.
 */
export function restoreHidden(args: JsonObject, root: JsonObject): JsonObject {
  let looks = mostLooks
  const restore = (value: Json, schemas: readonly Json[], depth: number): Json => {
    if (schemas.length === 0 || depth === 0 || looks <= 0) return value
    const here = applying(schemas, root)
    const listed = typeof value === 'string' ? here.flatMap(valuesIn) : here.flatMap(namesIn)
    looks -= here.length + listed.length
    const own = ownWords(listed)
    if (typeof value === 'string') return own(value)
    if (isObject(value)) {
      const entries = Object.entries(value).map(([key, item]): [string, Json] => {
        const name = own(key)
        const within = here.flatMap((schema) => propertyIn(schema, name))
        return [name, restore(item, within, depth - 1)]
      })
      return Object.fromEntries(entries)
    }
    return Array.isArray(value)
      ? listOf(value).map((item, at) => {
          const within = here.flatMap((schema) => itemIn(schema, at))
          return restore(item, within, depth - 1)
        })
      : value
  }
  return restore(args, [root], maxDepth) as JsonObject // an object stays one
}

/** What a text stands for among these: itself, if it is one of them, else the first that reads like it. */
function ownWords(listed: readonly Json[]): (text: string) => string {
  const words = new Set(listed.filter((each) => typeof each === 'string'))
  let byLook: ReadonlyMap<string, string> | undefined
  return (text) => {
    if (words.has(text)) return text
    byLook ??= new Map([...words].reverse().map((word) => [removeHidden(word).text, word]))
    return byLook.get(text) ?? text
  }
}

/** All that count where these do. One that refers to itself is met once. */
function applying(schemas: readonly Json[], root: JsonObject): readonly JsonObject[] {
  const met = new Set<JsonObject>()
  const left = [...schemas]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!isObject(next) || met.has(next)) continue
    met.add(next)
    const { $ref: ref, allOf, anyOf, oneOf, if: first, then, else: other } = next
    const parts = [allOf, anyOf, oneOf].flatMap(listOf)
    for (const part of [...parts, first, then, other, targetOf(ref, root)])
      if (part !== undefined) left.push(part)
  }
  return [...met]
}

function targetOf(ref: Json | undefined, root: JsonObject): Json | undefined {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
  try {
    return valueAt(root, fromPointer(decodeURIComponent(ref.slice(1))))
  } catch {
    return undefined
  }
}

function valuesIn({ enum: allowed, const: only }: JsonObject): readonly Json[] {
  return only === undefined ? listOf(allowed) : [...listOf(allowed), only]
}

function namesIn({ properties, required }: JsonObject): readonly Json[] {
  return isObject(properties) ? [...Object.keys(properties), ...listOf(required)] : listOf(required)
}

function propertyIn({ properties, additionalProperties }: JsonObject, name: string): readonly Json[] {
  if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name] ?? null]
  return additionalProperties === undefined ? [] : [additionalProperties]
}

function itemIn({ prefixItems, items }: JsonObject, at: number): readonly Json[] {
  const first = listOf(Array.isArray(items) ? items : prefixItems)
  if (at < first.length) return first.slice(at, at + 1)
  return items === undefined ? [] : [items]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [] // isArray does not narrow a readonly union
}
