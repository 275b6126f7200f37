import { isForbiddenKey, isStringArray, toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'

export type Format = 'json' | 'toml' | 'yaml' | 'markdown'

/** Line and column are 1-based. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface Remark extends Position {
  readonly message: string
}

/** A parsed text with the position of every value. */
export interface Doc {
  readonly format: Format
  /** If there are errors, this is the part that could be recovered: it may be shown but not used. */
  readonly value: Json | undefined
  readonly errors: readonly Remark[]
  /** Comments and trailing commas: legal in JSONC, an error where the owner reads strictly. */
  readonly relaxed: readonly Remark[]
  readonly duplicates: readonly string[]
  readonly forbidden: readonly string[]
  position(pointer: string): Position
}

/** Limit of nesting. No client's file comes near it; a deeper one is an attack on the parser. */
export const maxDepth = 64

/** Removes a leading byte order mark, which the parsers would reject. */
export function withoutBom(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Whether an odd number of backslashes precedes this offset. */
export function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes++
  return slashes % 2 === 1
}

export type Path = readonly (string | number)[]

/** Copies a parser's result into objects without a prototype, omitting the keys that could set one. */
export function toPlain(value: unknown, forbidden: string[], path: (string | number)[] = []): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return null
  if (value instanceof Date) return value.toISOString()
  if (path.length > maxDepth) throw new RangeError(`nested deeper than ${maxDepth}`)
  // Lists of strings, the most common kind, need no copy.
  if (isStringArray(value)) return value
  const plain: Record<string, Json> | Json[] = Array.isArray(value) ? [] : Object.create(null)
  for (const key of Object.keys(value)) {
    if (isForbiddenKey(key)) {
      forbidden.push(toPointer([...path, key]))
      continue
    }
    path.push(key)
    const item: unknown = (value as Record<string, unknown>)[key] // an index is a key too
    ;(plain as Record<string, Json>)[key] = typeof item === 'string' ? item : toPlain(item, forbidden, path)
    path.pop()
  }
  return plain
}
