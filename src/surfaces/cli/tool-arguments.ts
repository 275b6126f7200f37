import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Json, JsonObject } from '../../index.ts'
import { usage } from './errors.ts'

/** One `key=value` of a command line. */
interface Pair {
  readonly key: string
  /** The bytes of a file where the value is `@file`. */
  readonly value: string | Buffer
}

/** `key=value …`, with the files that they name read. */
export function parsePairs(words: readonly string[], folder = '.'): readonly Pair[] {
  return words.map((word) => {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? []
    if (key === '') throw usage(`"${word}" is no argument.`, `Arguments are a JSON object, or key=value.`)
    return { key, value: valueOf(text, folder) }
  })
}

/** `@file` is what is in the file, and `@@` a text that begins with an `@`. */
function valueOf(text: string, folder: string): string | Buffer {
  if (!text.startsWith('@') || text === '@') return text
  if (text.startsWith('@@')) return text.slice(1)
  try {
    return readFileSync(resolve(folder, text.slice(1)))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw usage(
      `The file ${text.slice(1)} cannot be read: ${why}`,
      'A text that begins with an @ is written @@.',
    )
  }
}

/** The arguments of a call, each value of the kind that the tool takes there. What comes twice is a list. */
export function toArguments(pairs: readonly Pair[], { properties }: JsonObject): JsonObject {
  const schemaOf = (key: string) =>
    isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  const isList = (key: string) => kindsIn(schemaOf(key)).has('array')
  const found = new Map<string, Json[]>()
  for (const { key, value } of pairs) {
    const values = found.get(key) ?? []
    found.set(key, values)
    if (isList(key)) values.push(...toItems(value, schemaOf(key)))
    else values.push(toValue(value, schemaOf(key)))
  }
  return Object.fromEntries(
    [...found].map(([key, values]) => {
      const [only = null, ...others] = values
      return [key, others.length > 0 || isList(key) ? values : only]
    }),
  )
}

/** A list as JSON, or one of its items. */
function toItems(value: string | Buffer, schema: Json | undefined): readonly Json[] {
  const text = String(value)
  const read = text.trimStart().startsWith('[') ? guess(text) : text
  if (Array.isArray(read)) return read as readonly Json[] // isArray does not narrow a readonly union
  return [toValue(value, isObject(schema) ? schema['items'] : undefined)]
}

function toValue(value: string | Buffer, schema: Json | undefined): Json {
  const wantsBase64 = isObject(schema) && schema['contentEncoding'] === 'base64'
  if (typeof value !== 'string' && wantsBase64) return value.toString('base64')
  const text = String(value)
  const kinds = kindsIn(schema)
  if (kinds.size === 0) return guess(text)
  if ((kinds.has('number') || kinds.has('integer')) && isNumber(text)) return Number(text)
  if (kinds.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (kinds.has('null') && text === 'null') return null
  // What is no JSON for a tool that wants some is said by the check of the arguments.
  return kinds.has('string') ? text : guess(text)
}

/** Of a value as the schema describes it right there; none where it does not say. */
function kindsIn(schema: Json | undefined): ReadonlySet<string> {
  if (!isObject(schema)) return new Set()
  const { type, anyOf, oneOf, enum: values } = schema
  const options = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []))
  const named = [type].flat().filter((kind) => typeof kind === 'string')
  if (named.length > 0) return new Set(named)
  if (Array.isArray(values))
    return new Set(values.map((value: Json) => (value === null ? 'null' : typeof value)))
  return new Set(options.flatMap((option) => [...kindsIn(option)]))
}

/** One that is the same number again when it is written down. */
function isNumber(text: string): boolean {
  return (
    /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) &&
    (!/^-?\d+$/.test(text) || Number.isSafeInteger(Number(text)))
  )
}

/** A number, `true`, `null`, a list, an object or a quoted text; anything else is a text as it stands. */
function guess(text: string): Json {
  try {
    const value = JSON.parse(text) as Json // what it parses is JSON
    // 007 and 1.10 are more than the numbers they could be read as.
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
