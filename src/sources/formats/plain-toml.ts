import { isForbiddenKey } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { maxDepth } from './doc.ts'

/** For a longer text, one expression over all of it could overflow the regular expression engine's stack. */
const maxLength = 1_000_000

// Parts of the expressions: no control characters, and only the escapes that JSON shares.
const plainChars = String.raw`[^"\\\x00-\x1f\x7f]*`
const basic = String.raw`"${plainChars}(?:\\["\\bfnrt]${plainChars})*"`
const literal = String.raw`'[^'\x00-\x1f\x7f]*'`
const text = `(?:${basic}|${literal})`
const bare = String.raw`[\w-]+`
const part = `(?:${bare}|${text})`
const comment = String.raw`#[^\x00-\x08\x0a-\x1f\x7f]*(?=\r?\n|$)`
const blanks = String.raw`(?:[ \t\n]|\r\n)*`
const pair = `${bare}[ \\t]*=[ \\t]*${text}[ \\t]*`
const list = String.raw`\[${blanks}(?:${text}${blanks}(?:,${blanks}${text}${blanks})*(?:,${blanks})?)?\]`
const inline = String.raw`\{[ \t]*((?:${pair}(?:,[ \t]*${pair})*)?)\}`
const number = String.raw`(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?`
const value = `(?:(${text})|(${list})|${inline}|(true|false)|(${number}))`
const header = String.raw`\[(${part}(?:\.${part})*)\]`

/** Blanks and comments, then a statement. Groups: 1 header · 2 key and its 3 string, 4 list, 5 table, 6 boolean or 7 number. */
const statement = String.raw`(?:[ \t\n]|\r\n|${comment})*(?:(?:${header}|(${bare})[ \t]*=[ \t]*${value})[ \t]*(?=\r?\n|#|$))?`

/** Rare constructs that are cheap to detect: multi-line strings, arrays of tables, dotted keys. */
const notPlain = /"""|'''|^[ \t]*(?:\[\[|[\w-]+[ \t]*\.)/m

type Table = Record<string, Json>

/**
 * Reads TOML made of headers and keys with strings, lists of strings, booleans, numbers and flat tables, as most files are,
 * with a few regular expressions. Returns `undefined` for anything else, including every error: that needs the full parser.
 */
export function readPlainToml(source: string): JsonObject | undefined {
  if (source.length > maxLength || notPlain.test(source)) return undefined
  const next = new RegExp(statement, 'y')
  const root = createTable()
  const byHeader = new Map<Table, 'named' | 'implied'>([[root, 'named']])
  let table: Table | undefined = root
  while (next.lastIndex < source.length) {
    const found = next.exec(source)
    if (!found) return undefined
    const [, name, key] = found
    if (name !== undefined) table = openTable(root, name, byHeader)
    else if (key !== undefined) table = putKey(table, key, valueOf(found))
    else if (next.lastIndex < source.length) return undefined
    if (!table) return undefined
  }
  return root
}

/** Adds the key and returns the table; `undefined` if the key is not allowed there. */
function putKey(table: Table, key: string, item: Json | undefined): Table | undefined {
  if (item === undefined || isForbiddenKey(key) || Object.hasOwn(table, key)) return undefined
  table[key] = item
  return table
}

/** An object without a prototype. `Object.create(null)` would put each one into slow dictionary mode. */
function createTable(): Table {
  return Object.setPrototypeOf({}, null) as Table // setPrototypeOf returns its argument
}

function openTable(root: Table, name: string, byHeader: Map<Table, 'named' | 'implied'>): Table | undefined {
  const parts = partsOf(name)
  if (parts.length > maxDepth) return undefined
  let table = root
  for (const key of parts) {
    if (isForbiddenKey(key)) return undefined
    if (!Object.hasOwn(table, key)) {
      const made = createTable()
      byHeader.set(made, 'implied')
      table[key] = made
    }
    table = table[key] as Table // checked next: only tables are in the map
    if (!byHeader.has(table)) return undefined
  }
  if (byHeader.get(table) === 'named') return undefined
  byHeader.set(table, 'named')
  return table
}

const eachPart = new RegExp(part, 'g')
const eachText = new RegExp(text, 'g')
const eachPair = new RegExp(`(${bare})[ \\t]*=[ \\t]*(${text})`, 'g')

function partsOf(name: string): readonly string[] {
  if (!name.includes('"') && !name.includes("'")) return name.split('.')
  return (name.match(eachPart) ?? []).map((token) => (/^["']/.test(token) ? textOf(token) : token))
}

function valueOf(found: RegExpExecArray): Json | undefined {
  if (found[3] !== undefined) return textOf(found[3])
  if (found[4] !== undefined) return listOf(found[4])
  if (found[5] !== undefined) return tableOf(found[5])
  return found[6] === undefined ? Number(found[7]) : found[6] === 'true'
}

function textOf(token: string): string {
  const isPlain = token.startsWith("'") || !token.includes('\\')
  return isPlain ? token.slice(1, -1) : (JSON.parse(token) as string) // the same escapes
}

function listOf(token: string): readonly string[] {
  if (token.includes("'")) return (token.match(eachText) ?? []).map(textOf)
  return JSON.parse(token.replace(/,\s*\]$/, ']')) as readonly string[] // the expression admits only strings
}

function tableOf(token: string): JsonObject | undefined {
  const table = createTable()
  eachPair.lastIndex = 0
  for (let found = eachPair.exec(token); found; found = eachPair.exec(token)) {
    const [, key = '', item = ''] = found
    if (!putKey(table, key, textOf(item))) return undefined
  }
  return table
}
