import type { Json, JsonObject } from '../../../../index.ts'
import { isObject, propertyOf, requiredOf } from '../../../../internal.ts'
import { toArguments } from '../../arguments/tool-arguments.ts'
import { usage } from '../../errors.ts'
import type { CallWords } from './call.ts'

/** A value of an expression: one with quotes or brackets is exact, a bare word is read by the schema as in `key=value`. */
type Value = { readonly exact: Json } | { readonly bare: string }

interface Argument {
  /** Undefined for an argument without a key. */
  readonly key: string | undefined
  readonly value: Value
}

const form = `Write: plugboard call 'server.tool(key: "value", other: 3)'`

/** Reads `server.tool(key: "value", …)`. Some command lines have split it at blanks, and have eaten its quotes. */
export function readExpression(first: string, words: readonly string[], args: string | undefined): CallWords {
  const isOpen = !first.trimEnd().endsWith(')')
  const text = (isOpen ? [first, ...words] : [first]).join(' ').trim()
  const at = text.indexOf('(')
  if (!text.endsWith(')') || at < 1) throw usage(`"${text}" is not a call.`, form)
  if (args !== undefined || (!isOpen && words.length > 0)) throw usage('The arguments were given twice.')
  const name = text.slice(0, at).trim()
  const list = new ArgumentReader(text.slice(at + 1, -1)).read()
  return { typed: async () => name, argumentsFor: (schema) => toObject(list, schema, name) }
}

function toObject(list: readonly Argument[], schema: JsonObject, name: string): JsonObject {
  const [only] = list
  if (
    only?.key === undefined &&
    list.length === 1 &&
    only &&
    'exact' in only.value &&
    isObject(only.value.exact)
  )
    return only.value.exact
  const given = list.map(({ key, value }) => ({ key: key ?? onlyKey(list, schema, name), value }))
  refuseRepeated(given.map(({ key }) => key))
  const bare = given.flatMap(({ key, value }) => ('bare' in value ? [{ key, value: value.bare }] : []))
  const exact = given.flatMap(({ key, value }) => ('exact' in value ? [[key, value.exact] as const] : []))
  return { ...toArguments(bare, schema), ...Object.fromEntries(exact) }
}

function refuseRepeated(keys: readonly string[]): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key)) throw usage(`"${key}" is given twice.`, 'For several values, write a list: [1, 2]')
    seen.add(key)
  }
}

/** The key of a single argument without one, if the tool takes or needs only one. */
function onlyKey(list: readonly Argument[], schema: JsonObject, name: string): string {
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  const needed = requiredOf(schema).filter((key) => propertyOf(schema, key) !== undefined)
  const keys = needed.length > 0 ? needed : properties
  const [key, ...others] = keys
  if (list.length === 1 && key !== undefined && others.length === 0) return key
  const example = keys.length === 0 ? 'key: …' : keys.map((each) => `${each}: …`).join(', ')
  throw usage('Each argument needs its key.', `Write: ${name}(${example})`)
}

const maxDepth = 100

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** Reads arguments as in JavaScript, and a little more: `=` instead of `:`, keys and short texts without quotes. */
class ArgumentReader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): readonly Argument[] {
    return this.#items('', () => {
      const key = this.#key()
      return { key, value: this.#value() }
    })
  }

  /** Items separated by commas, up to the bracket; without one, up to the end. */
  #items<T>(end: string, read: () => T): readonly T[] {
    const items: T[] = []
    for (;;) {
      this.#skipBlanks()
      if (this.#isAt(end)) break
      items.push(read())
      this.#skipBlanks()
      if (this.#isAt(end)) break
      if (this.#text[this.#at] !== ',') throw this.#problem()
      this.#at++
    }
    this.#at++
    return items
  }

  #isAt(end: string): boolean {
    if (this.#at >= this.#text.length && end !== '') throw this.#problem()
    return end === '' ? this.#at >= this.#text.length : this.#text[this.#at] === end
  }

  /** A key with its colon, if there is one here. */
  #key(): string | undefined {
    const pattern = /(?:([\w$.-]+)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*[:=](?!\/\/)\s*/y
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (!found) return undefined
    this.#at = pattern.lastIndex
    return found[1] ?? unescape(found[2] ?? found[3] ?? '')
  }

  #value(): Value {
    const char = this.#text[this.#at] ?? ''
    if (char === '"' || char === "'") return { exact: this.#quoted(char) }
    if (char === '{' || char === '[') return { exact: this.#nested(char) }
    const [bare = ''] = /^[^,]*/.exec(this.#text.slice(this.#at)) ?? []
    this.#at += bare.length
    if (bare.trim() === '') throw this.#problem()
    return { bare: bare.trim() }
  }

  #quoted(quote: string): string {
    let end = this.#at + 1
    while (end < this.#text.length && this.#text[end] !== quote) end += this.#text[end] === '\\' ? 2 : 1
    if (end >= this.#text.length) throw this.#problem()
    const inner = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    return unescape(inner)
  }

  #nested(open: string): Json {
    if (++this.#depth > maxDepth)
      throw usage(
        `The arguments have more than ${maxDepth} brackets in each other.`,
        'Pass them as JSON: --args -',
      )
    const value = this.#bracket(open)
    this.#depth--
    return value
  }

  #bracket(open: string): Json {
    this.#at++
    const end = closing[open] ?? ''
    if (open === '[') return this.#items(end, () => this.#nestedValue())
    const pairs = this.#items(end, () => {
      const key = this.#key()
      if (key === undefined) throw this.#problem()
      return [key, this.#nestedValue()] as const
    })
    refuseRepeated(pairs.map(([key]) => key))
    return Object.fromEntries(pairs)
  }

  /** Inside brackets no schema is looked up: a bare word is JSON, or a text. */
  #nestedValue(): Json {
    const char = this.#text[this.#at] ?? ''
    if (char === '"' || char === "'") return this.#quoted(char)
    if (char === '{' || char === '[') return this.#nested(char)
    const [bare = ''] = /^[^,\]}]*/.exec(this.#text.slice(this.#at)) ?? []
    this.#at += bare.length
    const word = bare.trim()
    if (word === '') throw this.#problem()
    if (/^(?:true|false|null)$/.test(word)) return JSON.parse(word) as Json // a JSON word
    return isNumber(word) ? toExactNumber(word) : word
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #problem(): Error {
    const rest = this.#text.slice(this.#at)
    return usage(
      rest === ''
        ? 'The arguments in brackets end too early.'
        : `The arguments cannot be read from here: ${rest}`,
      form,
    )
  }
}

function isNumber(word: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)
}

/** Refuses a number that would become another one. */
function toExactNumber(word: string): number {
  const number = Number(word)
  if (Number.isFinite(number) && (Number.isSafeInteger(number) || !/^-?\d+$/.test(word))) return number
  throw usage(`${word} is too large for a number.`, `To pass it as a text, put it in quotes: "${word}"`)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

function unescape(text: string): string {
  return text.replace(/\\(?:u([\dA-Fa-f]{4})|(.))/gs, (_, code: string | undefined, char: string) =>
    code === undefined ? (escapes[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
