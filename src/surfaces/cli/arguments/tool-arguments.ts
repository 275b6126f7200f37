import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Json, JsonObject } from '../../../index.ts'
import { listOf } from '../../../internal.ts'
import { ArgumentSchema } from './argument-schema.ts'
import { usage } from '../errors.ts'

/** One `key=value` of a command line. */
export interface Pair {
  readonly key: string
  /** The bytes of a file where the value is `@file`. */
  readonly value: string | Buffer
}

/** Parses `key=value …`; `@file` values are read. */
export function parsePairs(words: readonly string[], folder: string): readonly Pair[] {
  return words.map((word) => {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? []
    if (key === '')
      throw usage(`"${word}" is not an argument.`, `Write arguments as key=value, or as one JSON object.`)
    return { key, value: valueOf(text, folder) }
  })
}

/** `@file` is the content of the file; `@@text` is a text that starts with `@`. */
function valueOf(text: string, folder: string): string | Buffer {
  if (!text.startsWith('@') || text === '@') return text
  if (text.startsWith('@@')) return text.slice(1)
  try {
    return readFileSync(resolve(folder, text.slice(1)))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw usage(
      `The file ${text.slice(1)} cannot be read: ${why}`,
      'To pass a text that starts with @, write @@.',
    )
  }
}

/** The arguments of a call, each converted to the type its schema expects. A repeated key becomes a list. */
export function toArguments(pairs: readonly Pair[], inputSchema: JsonObject): JsonObject {
  const schema = new ArgumentSchema(inputSchema)
  const given = new Map<string, Pair['value'][]>()
  for (const { key, value } of pairs) {
    const values = given.get(key)
    if (values) values.push(value)
    else given.set(key, [value])
  }
  return Object.fromEntries(
    [...given].map(([key, values]) => [
      key,
      new ArgumentReader(schema, schema.ofArgument(key)).toArgument(values),
    ]),
  )
}

/** Converts the written values of one argument to the type that its schema expects. */
class ArgumentReader {
  readonly #schema: ArgumentSchema
  readonly #schemaHere: Json | undefined

  constructor(schema: ArgumentSchema, schemaHere: Json | undefined) {
    this.#schema = schema
    this.#schemaHere = schemaHere
  }

  /** If a list is expected, each value is one item, unless the single value is admitted as it is. */
  toArgument(values: readonly Pair['value'][]): Json {
    const single = values.map((value) => this.#toValue(value))
    const [only = null, ...others] = single
    const isList = this.#admits([]) && !this.#schema.admitsAll(this.#schemaHere)
    if (isList && (others.length > 0 || !this.#admits(only))) return this.#toList(values)
    return others.length > 0 ? single : only
  }

  #toList(values: readonly Pair['value'][]): readonly Json[] {
    const list: Json[] = []
    for (const value of values) list.push(...this.#toItems(value, list.length))
    return list
  }

  /** A JSON list contributes its items; any other value is one item. */
  #toItems(value: Pair['value'], at: number): readonly Json[] {
    const read = parseJsonOrText(String(value))
    const schemaHere = this.#schema.ofItem(this.#schemaHere, at)
    const isItem = !this.#admits(read) && this.#schema.admits(schemaHere, read)
    if (Array.isArray(read) && !isItem) return listOf(read)
    return [new ArgumentReader(this.#schema, schemaHere).#toValue(value)]
  }

  #toValue(value: Pair['value']): Json {
    if (typeof value === 'string') return this.#read(value)
    return this.#schema.wantsBase64(this.#schemaHere) ? value.toString('base64') : this.#read(String(value))
  }

  /** Reads a text as the expected type. A text that does not fit is passed on: argument validation reports it. */
  #read(text: string): Json {
    if (this.#schema.admitsAll(this.#schemaHere)) return parseJsonOrText(text)
    const isText = this.#admits(text)
    const other = isText ? parseJsonOrText(text) : (toNumber(text) ?? parseJsonOrText(text))
    if (typeof other !== 'string' && this.#admits(other)) return other
    return isText ? this.#unquote(text) : other
  }

  /** Keeps quotes as part of a text, unless the unquoted text would be read as another type. */
  #unquote(text: string): string {
    const inner = text.startsWith('"') ? parseJsonOrText(text) : text
    return typeof inner === 'string' && inner !== text && this.#read(inner) !== inner ? inner : text
  }

  #admits(value: Json): boolean {
    return this.#schema.admits(this.#schemaHere, value)
  }
}

/** Parses any decimal notation; an integer beyond the safe range is not converted, it would lose digits. */
function toNumber(text: string): number | undefined {
  const number = Number(text)
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) || !Number.isFinite(number)) return undefined
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? undefined : number
}

/** Parses JSON; anything else is a plain text. */
function parseJsonOrText(text: string): Json {
  try {
    const value = JSON.parse(text) as Json // JSON.parse returns JSON
    // Keep texts such as 007 and 1.10, which lose characters as numbers.
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}
