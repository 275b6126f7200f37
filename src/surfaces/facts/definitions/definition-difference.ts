import type { Json, JsonObject } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { DefinitionChange, DefinitionDifference } from '../../api/lock-routes.ts'
import { escapeLine, escapeText } from '../../terminal/escape.ts'
import { toBoundedJson } from '../bounded-json.ts'
import { loosenedHints } from './loosened-hints.ts'
import { newWork, wordDifference } from './word-difference.ts'
import type { WorkLeft } from './word-difference.ts'

/** A definition of a server; of the instructions, their text. */
type Definition = JsonObject | string

/** Beyond these, changes are counted, and the values of others are shortened. */
const maxChanges = 500
const maxDepth = 64
const maxValue = 4_000
const maxText = 20_000

/**
 * What changed from one definition to another, for a person who decides about it: loosened annotations first, then texts
 * word by word, then schemas field by field, then all other keys. Nothing that differs is left out without saying so.
 * Without an accepted one everything is an addition. All texts are escaped.
 */
export function definitionDifference(
  accepted: Definition | undefined,
  current: Definition,
): DefinitionDifference {
  const found = new Changes()
  if (typeof current === 'string' || typeof accepted === 'string') {
    found.compare('text', '', accepted, current)
    return found.result()
  }
  const keys = [...new Set([...ordered, ...Object.keys(current), ...Object.keys(accepted ?? {})])]
  for (const key of keys) {
    const [before, after] = [own(accepted, key), own(current, key)]
    if (key === 'annotations') compareHints(found, before, after, loosenedHints(accepted, current))
    else if (key === 'inputSchema') found.compareSchema('input', '', before, after, 0)
    else if (key === 'outputSchema') found.compareSchema('output', '', before, after, 0)
    else found.compare(textKeys.has(key) ? 'text' : 'other', key, before, after)
  }
  return found.result()
}

/** The order in which a person reads them. */
const ordered = ['annotations', 'name', 'title', 'description', 'inputSchema', 'outputSchema']
const textKeys = new Set(['name', 'title', 'description'])

function own(object: JsonObject | undefined, key: string): Json | undefined {
  return object && Object.hasOwn(object, key) ? object[key] : undefined
}

function compareHints(
  found: Changes,
  before: Json | undefined,
  after: Json | undefined,
  loosened: readonly string[],
): void {
  const names = [before, after].flatMap((hints) => (isObject(hints) ? Object.keys(hints) : []))
  if (names.length === 0 || !isFields(before) || !isFields(after))
    return found.compare('annotations', '', before, after)
  for (const name of new Set(names))
    found.compare('annotations', name, own(before, name), own(after, name), loosened.includes(name))
}

/** Collects changes up to the limit, and counts the rest. */
class Changes {
  readonly #list: DefinitionChange[] = []
  readonly #work: WorkLeft = newWork()
  #more = 0

  result(): DefinitionDifference {
    const rank = ({ isLoosened = false }: DefinitionChange) => (isLoosened ? 0 : 1)
    return {
      changes: this.#list.toSorted((one, other) => rank(one) - rank(other)),
      ...(this.#more > 0 && { more: this.#more }),
    }
  }

  /** One value, or one text word by word. */
  compare(
    part: DefinitionChange['part'],
    path: string,
    before: Json | undefined,
    after: Json | undefined,
    isLoosened = false,
  ): void {
    if (isSame(before, after)) return
    if (this.#list.length >= maxChanges) {
      this.#more++
      return
    }
    const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
    const place = { part, path: escapeLine(path), kind, ...(isLoosened && { isLoosened }) } as const
    this.#list.push({ ...place, ...this.#shown(before, after) })
  }

  /** A schema by its fields: `filter.kind`, `tags[]`. What is no field is compared by its keyword. */
  compareSchema(
    part: 'input' | 'output',
    path: string,
    before: Json | undefined,
    after: Json | undefined,
    depth: number,
  ): void {
    if (!isObject(before) || !isObject(after) || depth >= maxDepth)
      return this.compare(part, path, before, after)
    for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [old, now] = [own(before, keyword), own(after, keyword)]
      const place = `${path} ${keyword}`.trim()
      const told = this.#told
      if (keyword === 'properties' && isFields(old) && isFields(now)) {
        const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])
        for (const name of names)
          this.compareSchema(part, joined(path, name), own(old, name), own(now, name), depth + 1)
      } else if (keyword === 'required' && isNames(old) && isNames(now))
        this.#compareRequired(part, path, old, now)
      else if (isObject(old) && isObject(now))
        this.compareSchema(part, keyword === 'items' ? `${path}[]` : place, old, now, depth + 1)
      // What has no field of its own, such as an empty list of them, is told by its keyword.
      if (this.#told === told) this.compare(part, place, old, now)
    }
  }

  get #told(): number {
    return this.#list.length + this.#more
  }

  #compareRequired(
    part: 'input' | 'output',
    path: string,
    before: readonly string[] = [],
    after: readonly string[] = [],
  ): void {
    const [old, now] = [new Set(before), new Set(after)]
    const isIn = (names: ReadonlySet<string>, name: string) => (names.has(name) ? true : undefined)
    for (const name of new Set([...before, ...after]))
      this.compare(part, `${joined(path, name)} required`, isIn(old, name), isIn(now, name))
  }

  #shown(before: Json | undefined, after: Json | undefined): Partial<DefinitionChange> {
    if (!isText(before) || !isText(after))
      return {
        ...(before !== undefined && { before: valueText(before) }),
        ...(after !== undefined && { after: valueText(after) }),
      }
    const [old, now] = [cut(before ?? ''), cut(after ?? '')]
    const pieces = wordDifference(old.text, now.text, this.#work)
    const left = old.left + now.left
    return {
      pieces: pieces.map(({ kind, text }) => ({ kind, text: escapeText(text) })),
      ...(left > 0 && { left }),
    }
  }
}

function isText(value: Json | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function cut(text: string): { readonly text: string; readonly left: number } {
  return { text: text.slice(0, maxText), left: Math.max(0, text.length - maxText) }
}

function valueText(value: Json): string {
  const { text, isWhole } = toBoundedJson(value, maxValue)
  return escapeLine(isWhole ? text : `${text} …`)
}

function isFields(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isObject(value)
}

function isNames(value: Json | undefined): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'))
}

/** Equal up to the order of keys. Values of definitions come from JSON, and are not deeper than the wire allows. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isSame(each as Json, other[at] as Json))
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  )
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
