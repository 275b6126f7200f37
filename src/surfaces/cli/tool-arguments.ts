import type { Json, JsonObject } from '../../index.ts'
import { usage } from './errors.ts'

/** `key=value …` as arguments, once it is known what the tool takes. */
export function parsePairs(words: readonly string[]): (schema: JsonObject) => JsonObject {
  const pairs = words.map((word) => {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? []
    if (key === '') throw usage(`"${word}" is no argument.`, `Arguments are a JSON object, or key=value.`)
    return { key, text }
  })
  return ({ properties }) =>
    Object.fromEntries(pairs.map(({ key, text }) => [key, wantsText(properties, key) ? text : read(text)]))
}

/** Whether the tool takes nothing but a text there. */
function wantsText(properties: Json | undefined, key: string): boolean {
  if (!isObject(properties) || !Object.hasOwn(properties, key)) return false
  const property = properties[key]
  return isObject(property) && property['type'] === 'string'
}

/** A number, `true`, `null`, a list, an object or a quoted text; anything else is a text as it stands. */
function read(text: string): Json {
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
