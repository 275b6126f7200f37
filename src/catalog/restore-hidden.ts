import { removeHidden, withoutHidden } from '../model/hidden.ts'
import { isEqual, isList, isObject, listOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { itemSchemaAt, propertiesOf, propertyOf } from '../model/schema/parts.ts'
import { resolveRef } from '../model/schema/reference.ts'

/** A schema is a stranger's word: where it asks for more looks than this, the arguments stay as they are, all of them. */
const mostLooks = 250_000
/** Deeper than anybody means it. */
const maxDepth = 100
const tooMuch = new Error('it takes too many looks')

/**
 * Arguments as the server knows them. A model is shown names of properties and listed texts without what is hidden in
 * them (T17), and so calls by those; a server waits for its own. The schema is the server's, and says where they stand: a
 * free text that reads the same is none of them.
 */
export function restoreHidden(args: JsonObject, root: JsonObject): JsonObject {
  try {
    return new Restoring(root).restore(args, [root], maxDepth) as JsonObject // an object stays one
  } catch (error) {
    if (error !== tooMuch) throw error
    return args
  }
}

class Restoring {
  readonly #root: JsonObject
  readonly #shown = new Map<Json, Json>()
  #looks = mostLooks

  constructor(root: JsonObject) {
    this.#root = root
  }

  restore(value: Json, schemas: readonly Json[], depth: number): Json {
    if (schemas.length === 0 || depth === 0) return value
    const here = this.#applying(schemas)
    if (typeof value === 'string') return this.#ownWords(here.flatMap(valuesIn))(value)
    const whole = this.#listedWhole(value, here)
    if (whole !== undefined) return whole
    if (isObject(value)) return this.#restoreObject(value, here, depth)
    if (!isList(value)) return value
    return value.map((item, at) => {
      this.#spend(here.length)
      const within = here.flatMap((schema) => given(itemSchemaAt(schema, at)))
      return this.restore(item, within, depth - 1)
    })
  }

  /** An object or a list that is one of those listed, or reads like one. */
  #listedWhole(value: Json, here: readonly JsonObject[]): Json | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    const listed = here.flatMap(valuesIn).filter((each) => typeof each === 'object' && each !== null)
    this.#spend(listed.length)
    const own = listed.find((each) => isEqual(each, value))
    return own ?? listed.find((each) => isEqual(this.#shownAs(each), value))
  }

  #shownAs(own: Json): Json {
    const shown = this.#shown.get(own) ?? withoutHidden(own)
    this.#shown.set(own, shown)
    return shown
  }

  #restoreObject(value: JsonObject, here: readonly JsonObject[], depth: number): JsonObject {
    const own = this.#ownWords(here.flatMap(namesIn))
    const entries = Object.entries(value).map(([key, item]): [string, Json] => {
      this.#spend(here.length)
      const name = own(key)
      const within = here.flatMap((schema) => propertyIn(schema, name))
      return [name, this.restore(item, within, depth - 1)]
    })
    return Object.fromEntries(entries)
  }

  /** All that count where these do. One that refers to itself is met once. */
  #applying(schemas: readonly Json[]): readonly JsonObject[] {
    const met = new Set<JsonObject>()
    const left = [...schemas]
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (!isObject(next) || met.has(next)) continue
      met.add(next)
      const { $ref: ref, allOf, anyOf, oneOf, if: first, then, else: other } = next
      const parts = [...[allOf, anyOf, oneOf].flatMap(listOf), first, then, other]
      this.#spend(1 + parts.length)
      for (const part of [...parts, resolveRef(ref, this.#root)]) if (part !== undefined) left.push(part)
    }
    return [...met]
  }

  #ownWords(listed: readonly Json[]): (text: string) => string {
    this.#spend(listed.length)
    return ownWords(listed)
  }

  #spend(looks: number): void {
    this.#looks -= looks
    if (this.#looks < 0) throw tooMuch
  }
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

function valuesIn({ enum: allowed, const: only }: JsonObject): readonly Json[] {
  return only === undefined ? listOf(allowed) : [...listOf(allowed), only]
}

function namesIn(schema: JsonObject): readonly Json[] {
  return [...Object.keys(propertiesOf(schema)), ...listOf(schema['required'])]
}

/** Which of `patternProperties` a name belongs to is known to whoever runs a stranger's pattern; none is run here. */
function propertyIn(schema: JsonObject, name: string): readonly Json[] {
  const declared = propertyOf(schema, name)
  return given(declared === undefined ? schema['additionalProperties'] : declared)
}

function given(schema: Json | undefined): readonly Json[] {
  return schema === undefined ? [] : [schema]
}
