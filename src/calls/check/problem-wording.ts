import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'

const maxShown = 60
const maxListed = 20
const maxKey = 100

/** A place in the arguments as a list from the inside out. The text is built only for problems: most values have none. */
export interface ArgumentPath {
  readonly above: ArgumentPath | undefined
  readonly key: string | number
}

/** `filter.labels[2]["odd key"]` */
export function formatPath(place: ArgumentPath | undefined): string {
  const keys: (string | number)[] = []
  for (let at = place; at; at = at.above) keys.unshift(at.key)
  return keys.reduce<string>((path, key) => path + formatStep(key, path === ''), '')
}

function formatStep(key: string | number, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`
  const short = key.length > maxKey ? `${key.slice(0, maxKey)}…` : key
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(short)) return `[${JSON.stringify(short)}]`
  return isFirst ? short : `.${short}`
}

/** Describes a value for a sentence. */
export function describeValue(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return isObject(value) ? 'an object' : JSON.stringify(value)
}

/** An allowed value as JSON, shortened if it is long. */
export function formatAllowedValue(value: Json): string {
  return typeof value === 'string' ? JSON.stringify(shorten(value)) : shorten(JSON.stringify(value))
}

/** `"a", "b" or null` */
export function joinAlternatives(texts: readonly string[]): string {
  const unique = [...new Set(texts)]
  const shown = unique.slice(0, maxListed)
  if (unique.length > maxListed) return `${shown.join(', ')} … (${unique.length} in all)`
  const last = shown.pop() ?? 'nothing'
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`
}

function shorten(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}
