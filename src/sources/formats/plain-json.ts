import { fromPointer, isForbiddenKey } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { isEscaped, maxDepth, withoutBom } from './doc.ts'
import type { Doc, Position } from './doc.ts'

/** Reads strict JSON without duplicate keys; returns `undefined` for other JSON, which needs `jsonc.ts`. */
export function readPlainJson(source: string): Doc | undefined {
  const text = withoutBom(source)
  const value = parsePlainJson(text)
  if (value === undefined) return undefined
  const position = createPlainPlaces(text)
  return { format: 'json', value, errors: [], relaxed: [], duplicates: [], forbidden: [], position }
}

/**
 * Parses with `JSON.parse`, which covers most files. Returns `undefined` for everything that needs the full parser:
 * comments, a duplicate or forbidden key, an infinite number, deep nesting, an error.
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

/** Counts keys, and removes prototypes in the same pass. `NaN` if the full parser is needed. */
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

/** Counts keys in the text: in valid JSON, a string followed by a colon is a key. Differs from `countKeys` for duplicates. */
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

interface PlaceNode {
  readonly offset: number
  readonly children?: ReadonlyMap<string, PlaceNode>
}

/** Finds positions in valid, strict JSON. The text is scanned once, at the first lookup. */
function createPlainPlaces(text: string): (pointer: string) => Position {
  let root: PlaceNode | undefined
  let lines: readonly number[] | undefined
  return (pointer) => {
    let node = (root ??= new PlaceScanner(text).value())
    for (const part of fromPointer(pointer)) {
      const child = node.children?.get(part)
      if (!child) break // the nearest existing parent
      node = child
    }
    return positionOf((lines ??= lineStarts(text)), node.offset)
  }
}

/** The offset of each line's first character. */
function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

function positionOf(starts: readonly number[], offset: number): Position {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}

/** Scans a text that was parsed successfully before, so it does not validate. */
class PlaceScanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): PlaceNode {
    const offset = this.#skipBlanks()
    const char = this.#text[offset]
    if (char === '{') return { offset, children: this.#object() }
    if (char === '[') return { offset, children: this.#array() }
    if (char === '"') this.#string()
    else while (/[-+.\w]/.test(this.#text[this.#at] ?? '')) this.#at++
    return { offset }
  }

  #object(): ReadonlyMap<string, PlaceNode> {
    const children = new Map<string, PlaceNode>()
    for (this.#at++; this.#text[this.#skipBlanks()] !== '}';) {
      const offset = this.#at
      const key = JSON.parse(this.#string()) as string // a string token
      this.#skipBlanks()
      this.#at++ // the colon
      const { children: inside } = this.value()
      children.set(key, { offset, ...(inside && { children: inside }) })
      if (this.#text[this.#skipBlanks()] === ',') this.#at++
    }
    this.#at++
    return children
  }

  #array(): ReadonlyMap<string, PlaceNode> {
    const children = new Map<string, PlaceNode>()
    for (this.#at++; this.#text[this.#skipBlanks()] !== ']';) {
      children.set(String(children.size), this.value())
      if (this.#text[this.#skipBlanks()] === ',') this.#at++
    }
    this.#at++
    return children
  }

  #string(): string {
    const start = this.#at
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) if (this.#text[this.#at] === '\\') this.#at++
    return this.#text.slice(start, ++this.#at)
  }

  #skipBlanks(): number {
    while (this.#text.charCodeAt(this.#at) <= 32) this.#at++
    return this.#at
  }
}
