import { removeHidden, withoutHidden } from '../model/hidden.ts'
import { isEqual, isList, isObject, listOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { itemSchemaAt, propertiesOf, propertyOf } from '../model/schema/parts.ts'
import { resolveRef } from '../model/schema/reference.ts'

/** Limit for visited subschemas, because a schema is untrusted input. Beyond it all arguments stay as they are. */
const maxVisits = 250_000
/** Deeper than any real schema. */
const maxDepth = 100
const tooManyVisits = new Error('The schema needs too many visits.')

/**
 * Restores property names and enum values as the server wrote them. A model sees them without hidden characters (T17)
 * and uses that form in its calls, but the server expects the original. Only places where the server's schema lists a
 * name or a value are changed; free text stays as it is.
 */
export function restoreHidden(args: JsonObject, root: JsonObject): JsonObject {
  try {
    return new HiddenTextRestorer(root).restore(args, [root], maxDepth) as JsonObject // an object stays one
  } catch (error) {
    if (error !== tooManyVisits) throw error
    return args
  }
}

class HiddenTextRestorer {
  readonly #root: JsonObject
  readonly #visibleForms = new Map<Json, Json>()
  #visitsLeft = maxVisits

  constructor(root: JsonObject) {
    this.#root = root
  }

  restore(value: Json, schemas: readonly Json[], depth: number): Json {
    if (schemas.length === 0 || depth === 0) return value
    const here = this.#applicableSchemas(schemas)
    if (typeof value === 'string') return this.#createLookup(here.flatMap(listedValues))(value)
    const whole = this.#findListedValue(value, here)
    if (whole !== undefined) return whole
    if (isObject(value)) return this.#restoreObject(value, here, depth)
    if (!isList(value)) return value
    return value.map((item, at) => {
      this.#countVisits(here.length)
      const within = here.flatMap((schema) => toList(itemSchemaAt(schema, at)))
      return this.restore(item, within, depth - 1)
    })
  }

  /** The listed object or list that equals the value, exactly or without hidden characters. */
  #findListedValue(value: Json, here: readonly JsonObject[]): Json | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    const listed = here.flatMap(listedValues).filter((each) => typeof each === 'object' && each !== null)
    this.#countVisits(listed.length)
    const own = listed.find((each) => isEqual(each, value))
    return own ?? listed.find((each) => isEqual(this.#visibleForm(each), value))
  }

  #visibleForm(own: Json): Json {
    const shown = this.#visibleForms.get(own) ?? withoutHidden(own)
    this.#visibleForms.set(own, shown)
    return shown
  }

  #restoreObject(value: JsonObject, here: readonly JsonObject[], depth: number): JsonObject {
    const own = this.#createLookup(here.flatMap(propertyNames))
    const entries = Object.entries(value).map(([key, item]): [string, Json] => {
      this.#countVisits(here.length)
      const name = own(key)
      const within = here.flatMap((schema) => propertySchema(schema, name))
      return [name, this.restore(item, within, depth - 1)]
    })
    return Object.fromEntries(entries)
  }

  /** The schemas with all their branches and references. A schema that refers to itself is visited once. */
  #applicableSchemas(schemas: readonly Json[]): readonly JsonObject[] {
    const met = new Set<JsonObject>()
    const left = [...schemas]
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (!isObject(next) || met.has(next)) continue
      met.add(next)
      const { $ref: ref, allOf, anyOf, oneOf, if: first, then, else: other } = next
      const parts = [...[allOf, anyOf, oneOf].flatMap(listOf), first, then, other]
      this.#countVisits(1 + parts.length)
      for (const part of [...parts, resolveRef(ref, this.#root)]) if (part !== undefined) left.push(part)
    }
    return [...met]
  }

  #createLookup(listed: readonly Json[]): (text: string) => string {
    this.#countVisits(listed.length)
    return createLookup(listed)
  }

  #countVisits(looks: number): void {
    this.#visitsLeft -= looks
    if (this.#visitsLeft < 0) throw tooManyVisits
  }
}

/**
 * Looks up the original of a text: itself if listed, else the first listed text that looks the same without hidden
 * characters.
 */
function createLookup(listed: readonly Json[]): (text: string) => string {
  const words = new Set(listed.filter((each) => typeof each === 'string'))
  let byVisibleText: ReadonlyMap<string, string> | undefined
  return (text) => {
    if (words.has(text)) return text
    byVisibleText ??= new Map([...words].reverse().map((word) => [removeHidden(word).text, word]))
    return byVisibleText.get(text) ?? text
  }
}

function listedValues({ enum: allowed, const: only }: JsonObject): readonly Json[] {
  return only === undefined ? listOf(allowed) : [...listOf(allowed), only]
}

function propertyNames(schema: JsonObject): readonly Json[] {
  return [...Object.keys(propertiesOf(schema)), ...listOf(schema['required'])]
}

/** `patternProperties` are ignored: their patterns are untrusted and are not run. */
function propertySchema(schema: JsonObject, name: string): readonly Json[] {
  const declared = propertyOf(schema, name)
  return toList(declared === undefined ? schema['additionalProperties'] : declared)
}

function toList(schema: Json | undefined): readonly Json[] {
  return schema === undefined ? [] : [schema]
}
