import { isForbiddenKey } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { maxDepth, withoutBom } from './doc.ts'
import type { Doc } from './doc.ts'
import { createPlainPlaces } from './plain-places.ts'

/** A file of that kind; other JSON needs `jsonc.ts`. */
export function readPlainJson(source: string): Doc | undefined {
  const text = withoutBom(source)
  const value = parsePlainJson(text)
  if (value === undefined) return undefined
  const position = createPlainPlaces(text)
  return { format: 'json', value, errors: [], relaxed: [], duplicates: [], forbidden: [], position }
}

/**
 * Strict JSON in which no key stands twice: what most files are, read by the engine's own parser. Anything that needs a
 * second look (comments, a repeated or forbidden key, an endless number, great depth, an error) is `undefined` here.
 */
function parsePlainJson(text: string): Json | undefined {
  let value: Json
  try {
    value = JSON.parse(text) as Json // JSON.parse gives nothing else
  } catch {
    return undefined
  }
  return countKeys(value, 0) === countKeysIn(text) ? value : undefined
}

/** Takes the prototypes away on the way. Not a number where there is something to look at. */
function countKeys(value: Json, depth: number): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  if (depth >= maxDepth) return Number.NaN
  if (Array.isArray(value)) {
    return (value as readonly Json[]).reduce<number>((sum, item) => sum + countKeys(item, depth + 1), 0)
  }
  Object.setPrototypeOf(value, null)
  let count = 0
  for (const [key, item] of Object.entries(value)) {
    if (isForbiddenKey(key)) return Number.NaN
    count += 1 + countKeys(item, depth + 1)
  }
  return count
}

/** In valid JSON a string in front of a colon is a key. */
function countKeysIn(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start >= 0;) {
    let end = text.indexOf('"', start + 1)
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
    let next = end + 1
    while (text.charCodeAt(next) <= 32) next++
    if (text.charCodeAt(next) === 58) count++
    start = text.indexOf('"', next)
  }
  return count
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes++
  return slashes % 2 === 1
}
