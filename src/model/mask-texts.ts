import type { Json, JsonObject } from './json.ts'

export type Mask = (text: string) => string

/**
 * Applies `mask` to every text and key of a value; returns the identical object if nothing changed. With `hasBytes`, the
 * base64 in `data` and `blob` is skipped: it may be megabytes.
 */
export function maskTexts(value: Json, mask: Mask, hasBytes = false): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value as readonly Json[] // isArray does not narrow a readonly union
    const masked = list.map((item) => maskTexts(item, mask, hasBytes))
    return masked.some((item, at) => item !== list[at]) ? masked : list
  }
  const object = value as JsonObject // neither null nor an array
  const isBytes = (key: string) => hasBytes && (key === 'data' || key === 'blob')
  const entries = Object.entries(object)
  const masked = entries.map(([key, item]): [string, Json] => [
    mask(key),
    isBytes(key) ? item : maskTexts(item, mask, hasBytes),
  ])
  const isChanged = masked.some(([key, item], at) => key !== entries[at]?.[0] || item !== entries[at]?.[1])
  return isChanged ? Object.fromEntries(masked) : object
}

/**
 * The same as `maskTexts` for an object of ours whose own keys are known. All texts are looked at together first, because
 * hardly any object has something to mask; one per line, which no form of a secret can tell from a text's end.
 */
export function maskFields(object: JsonObject, mask: Mask): JsonObject {
  const texts: string[] = []
  for (const value of Object.values(object)) collectTexts(value, texts)
  const all = texts.join('\n')
  return mask(all) === all ? object : (maskTexts(object, mask) as JsonObject) // an object stays one
}

function collectTexts(value: Json, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [key, item] of Object.entries(value)) {
    if (!isList) texts.push(key)
    collectTexts(item, texts)
  }
}

export interface Folded {
  readonly value: Json
  /** How many texts were shortened. */
  readonly folded: number
}

/** Shortens the texts of a value to their beginning and end, with how much is between them. Keys stay. */
export function foldValues(value: Json, longest: number): Folded {
  let folded = 0
  const fold = (each: Json): Json => {
    if (typeof each === 'string') {
      if (each.length <= longest) return each
      folded++
      const part = Math.floor(longest / 2)
      const left = (each.length - 2 * part).toLocaleString('en')
      return `${each.slice(0, part)} … ${left} characters not shown … ${each.slice(-part)}`
    }
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return (each as readonly Json[]).map(fold) // isArray does not narrow a readonly union
    return Object.fromEntries(Object.entries(each as JsonObject).map(([key, item]) => [key, fold(item)])) // neither null nor an array
  }
  return { value: fold(value), folded }
}
