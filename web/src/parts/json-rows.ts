import type { Json } from '../../../src/model/json.ts'
import { isList, isObject, toPointer } from '../../../src/model/json.ts'

/** A line of a JSON tree. */
export interface JsonRow {
  readonly pointer: string
  /** The name within the object or list; empty for the whole. */
  readonly name: string
  readonly depth: number
  readonly kind: 'object' | 'list' | 'text' | 'number' | 'word' | 'line' | 'more'
  /** The value in one line. */
  readonly shown: string
  /** Absent where there is nothing to open. */
  readonly isOpen?: boolean
}

/** A level shows so many values until it is asked for more. */
export const levelLimit = 500
/** A text of more characters, or of several lines, can be opened. */
const textLimit = 160

type Parts = readonly (string | number)[]

export interface OpenLevels {
  readonly open: ReadonlySet<string>
  /** How many values of a level are shown, if more than `levelLimit`. */
  readonly shown?: ReadonlyMap<string, number>
}

/** The rows of a tree that are in sight. Only levels that are open are walked. */
export function jsonRows(value: Json, levels: OpenLevels): readonly JsonRow[] {
  const rows: JsonRow[] = []
  addRows(rows, value, [], levels)
  return rows
}

function addRows(rows: JsonRow[], value: Json, path: Parts, levels: OpenLevels): void {
  const pointer = toPointer(path)
  const depth = path.length
  const name = String(path.at(-1) ?? '')
  const inner = innerOf(value)
  const isOpen = inner > 0 && levels.open.has(pointer)
  rows.push({
    pointer,
    name,
    depth,
    kind: kindOf(value),
    shown: shownValue(value),
    ...(inner > 0 && { isOpen }),
  })
  if (!isOpen) return
  if (typeof value === 'string') {
    for (const [index, line] of cutText(value).entries()) {
      rows.push({ pointer: `${pointer}#${index}`, name: '', depth: depth + 1, kind: 'line', shown: line })
    }
    return
  }
  const limit = levels.shown?.get(pointer) ?? levelLimit
  const entries: readonly (readonly [string | number, Json])[] = isList(value)
    ? value.slice(0, limit).map((item, index) => [index, item])
    : isObject(value)
      ? Object.entries(value).slice(0, limit)
      : []
  for (const [part, item] of entries) addRows(rows, item, [...path, part], levels)
  if (inner > limit) {
    const shown = `${inner - limit} more`
    rows.push({ pointer: `${pointer}#more`, name: '', depth: depth + 1, kind: 'more', shown })
  }
}

/** How many values or lines a value opens to. */
function innerOf(value: Json): number {
  if (isList(value)) return value.length
  if (isObject(value)) return Object.keys(value).length
  if (typeof value !== 'string') return 0
  return value.length > textLimit || value.includes('\n') ? 1 : 0
}

function kindOf(value: Json): JsonRow['kind'] {
  if (isList(value)) return 'list'
  if (isObject(value)) return 'object'
  if (typeof value === 'string') return 'text'
  return typeof value === 'number' ? 'number' : 'word'
}

function shownValue(value: Json): string {
  if (isList(value)) return value.length === 0 ? '[]' : `[ ${value.length} ]`
  if (isObject(value)) {
    const names = Object.keys(value)
    if (names.length === 0) return '{}'
    const first = names.slice(0, 4).join(', ')
    return `{ ${first.length > 60 ? `${first.slice(0, 60)}…` : first}${names.length > 4 ? ', …' : ''} }`
  }
  if (typeof value !== 'string') return String(value)
  return value.length > textLimit
    ? `${JSON.stringify(value.slice(0, textLimit))}… ${value.length} characters`
    : JSON.stringify(value)
}

/** The lines of a text, each of at most so many characters that it can be drawn. */
export function cutText(text: string, width = 200): readonly string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= width) return [line]
    return Array.from({ length: Math.ceil(line.length / width) }, (_, at) =>
      line.slice(at * width, (at + 1) * width),
    )
  })
}

/** The first levels, opened as far as the tree stays short. */
export function firstOpen(value: Json, maxRows = 60): ReadonlySet<string> {
  let open: ReadonlySet<string> = new Set([''])
  for (let depth = 1; depth <= 4; depth++) {
    const rows = jsonRows(value, { open })
    const isContainer = (row: JsonRow) => row.isOpen !== undefined && row.kind !== 'text'
    const next = new Set([...open, ...rows.filter(isContainer).map((row) => row.pointer)])
    if (next.size === open.size || jsonRows(value, { open: next }).length > maxRows) break
    open = next
  }
  return open
}

/** The places whose name or value contains the words. Walks at most so many values. */
export function findInJson(
  value: Json,
  words: string,
  { maxFound = 1000, maxSteps = 200_000 } = {},
): readonly string[] {
  const wanted = words.toLowerCase()
  if (wanted === '') return []
  const found: string[] = []
  const rest: (readonly [Json, Parts])[] = [[value, []]]
  for (let steps = 0; steps < maxSteps && found.length < maxFound; steps++) {
    const next = rest.pop()
    if (!next) break
    const [current, path] = next
    const name = String(path.at(-1) ?? '')
    const own = typeof current === 'object' && current !== null ? '' : String(current)
    if (name.toLowerCase().includes(wanted) || own.toLowerCase().includes(wanted)) found.push(toPointer(path))
    const inner: readonly (readonly [string | number, Json])[] = isList(current)
      ? current.map((item, index) => [index, item])
      : isObject(current)
        ? Object.entries(current)
        : []
    for (const [part, item] of inner.toReversed()) rest.push([item, [...path, part]])
  }
  return found
}

/** The levels above a place, which must be open for it to be in sight. */
export function levelsAbove(pointer: string): readonly string[] {
  const parts = pointer.split('/')
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** A path as a program writes it: `items[0].name`, `["a b"]`. */
export function shownPath(parts: readonly string[], value: Json): string {
  let current: Json | undefined = value
  let path = ''
  for (const part of parts) {
    if (isList(current)) {
      path += `[${part}]`
      current = current[Number(part)]
    } else {
      const isPlain = /^[\w$]+$/.test(part) && !/^\d/.test(part)
      path += isPlain ? (path === '' ? part : `.${part}`) : `[${JSON.stringify(part)}]`
      current = isObject(current) ? current[part] : undefined
    }
  }
  return path
}
