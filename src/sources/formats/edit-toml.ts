import { parseTOML } from 'toml-eslint-parser'
import type { AST } from 'toml-eslint-parser'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Doc, Path } from './doc.ts'
import { checkedEdit, checkedRead } from './checked-edit.ts'
import { applySplices, eolOf, lineEnd, lineRemoval, lineStart, nextLine } from './splice.ts'
import type { Splice } from './splice.ts'
import { parseToml } from './toml.ts'
import { HostError } from '../../model/error.ts'

const format = { parse: parseToml, emptyIsAbsent: true }

export function read(text: string): Doc {
  return checkedRead(text, format)
}

/** Writes a value into TOML: replaces an existing key in place, else adds it beside its neighbors, else appends a table. */
export function setIn(text: string, path: Path, value: Json): string {
  const edit = (body: string): string => {
    const { pairs } = indexOf(body)
    const found = pairs.find((pair) => isSamePath(pair.path, path))
    if (found) {
      const [start, end] = found.node.value.range
      return applySplices(body, [{ start, end, text: inlineToml(value) }])
    }
    return insert(remove(body, path), path, value)
  }
  return checkedEdit(text, path, value, { ...format, strategies: [edit] })
}

/** Removes a key, or a table with its subtables, and the comments on their lines. Comments above are preserved. */
export function removeIn(text: string, path: Path): string {
  const edit = (body: string) => remove(body, path)
  return checkedEdit(text, path, undefined, { ...format, strategies: [edit] })
}

interface Pair {
  readonly path: Path
  readonly node: AST.TOMLKeyValue
  /** The path of the enclosing table. */
  readonly base: Path
  /** The inline table that holds it; absent for a pair on its own line. */
  readonly braces?: AST.TOMLInlineTable
}

interface Table {
  readonly path: Path
  readonly node: AST.TOMLTable
}

function indexOf(text: string): { readonly tables: readonly Table[]; readonly pairs: readonly Pair[] } {
  const tables: Table[] = []
  const pairs: Pair[] = []
  const addPair = (node: AST.TOMLKeyValue, base: Path, braces?: AST.TOMLInlineTable): void => {
    const path = [...base, ...node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))]
    pairs.push({ path, node, base, ...(braces && { braces }) })
    if (node.value.type !== 'TOMLInlineTable') return
    for (const inner of node.value.body) addPair(inner, path, node.value)
  }
  for (const node of parseTOML(text).body[0].body) {
    if (node.type === 'TOMLKeyValue') addPair(node, [])
    else {
      tables.push({ path: node.resolvedKey, node })
      for (const pair of node.body) addPair(pair, node.resolvedKey)
    }
  }
  return { tables, pairs }
}

function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && isWithin(a, b)
}

function isWithin(path: Path, ancestor: Path): boolean {
  return ancestor.every((part, index) => path[index] === part)
}

/** Removes one piece at a time, because a table may be written in several. */
function remove(text: string, path: Path): string {
  const { tables, pairs } = indexOf(text)
  const table = tables.find((candidate) => isWithin(candidate.path, path))
  const pair = pairs.find((candidate) => isWithin(candidate.path, path))
  if (table) return remove(applySplices(text, [tableRemoval(text, table.node)]), path)
  if (pair) return remove(applySplices(text, [pairRemoval(text, pair)]), path)
  return text
}

function tableRemoval(text: string, node: AST.TOMLTable): Splice {
  let start = lineStart(text, node.range[0])
  let end = nextLine(text, node.range[1])
  while (end < text.length && text.slice(end, lineEnd(text, end)).trim() === '') end = nextLine(text, end)
  if (end < text.length || start === 0) return { start, end, text: '' }
  // The last table goes with the blank line that `appendTable` writes above it.
  const above = lineStart(text, start - 1)
  if (text.slice(above, start).trim() === '') start = above
  if (!text.endsWith('\n') && start > 0) start = lineEnd(text, lineStart(text, start - 1))
  return { start, end, text: '' }
}

function pairRemoval(text: string, { node, braces }: Pair): Splice {
  const [start, end] = node.range
  if (!braces) return lineRemoval(text, start, end)
  const index = braces.body.indexOf(node)
  const [before, after] = [braces.body[index - 1], braces.body[index + 1]]
  if (after) return { start, end: after.range[0], text: '' }
  if (before) return { start: before.range[1], end, text: '' }
  return { start: braces.range[0], end: braces.range[1], text: '{}' }
}

/** Inserts into the nearest enclosing inline table, table or group of dotted keys. */
function insert(text: string, path: Path, value: Json): string {
  const { tables, pairs } = indexOf(text)
  for (let length = path.length - 1; length >= 0; length--) {
    const outer = path.slice(0, length)
    const braces = pairs.find((pair) => isSamePath(pair.path, outer))?.node.value
    if (braces?.type === 'TOMLInlineTable') return insertInline(text, braces, path.slice(length), value)
    const table = tables.find((candidate) => isSamePath(candidate.path, outer))?.node
    const fits = !isObject(value) || (table?.body.length ?? 0) > 0
    if (table && fits && length === path.length - 1) {
      return insertLine(
        text,
        table.body.at(-1)?.range ?? [table.range[0], table.range[1]],
        path.slice(length),
        value,
      )
    }
    const dotted = pairs.findLast(
      (pair) => length > pair.base.length && !pair.braces && isWithin(pair.path, outer),
    )
    if (dotted) return insertLine(text, dotted.node.range, path.slice(dotted.base.length), value)
  }
  if (path.length === 1 && !isObject(value)) return insertTop(text, pairs, path, value)
  return appendTable(text, path, value)
}

function insertInline(text: string, braces: AST.TOMLInlineTable, key: Path, value: Json): string {
  const added = `${dottedKey(key)} = ${inlineToml(value)}`
  const last = braces.body.at(-1)
  if (!last)
    return applySplices(text, [{ start: braces.range[0], end: braces.range[1], text: `{ ${added} }` }])
  return applySplices(text, [{ start: last.range[1], end: last.range[1], text: `, ${added}` }])
}

/** Inserts on the line below a neighbor, with the neighbor's indentation. */
function insertLine(text: string, neighbor: AST.Range, key: Path, value: Json): string {
  const at = lineEnd(text, neighbor[1])
  const first = lineStart(text, neighbor[0])
  const indent = /^[ \t]*/.exec(text.slice(first, neighbor[0]))?.[0] ?? ''
  const line = `${eolOf(text)}${indent}${dottedKey(key)} = ${inlineToml(value)}`
  return applySplices(text, [{ start: at, end: at, text: line }])
}

/** Inserts a top-level key, which must precede all tables. */
function insertTop(text: string, pairs: readonly Pair[], key: Path, value: Json): string {
  const last = pairs.findLast(({ base, braces }) => base.length === 0 && !braces)
  if (last) return insertLine(text, last.node.range, key, value)
  const eol = eolOf(text)
  return `${dottedKey(key)} = ${inlineToml(value)}${eol}${text === '' ? '' : eol}${text}`
}

function appendTable(text: string, path: Path, value: Json): string {
  const eol = eolOf(text)
  const last = path.at(-1) ?? ''
  const lines = isObject(value) ? tomlTable(path, value) : tomlTable(path.slice(0, -1), { [last]: value })
  const ended = text === '' || text.endsWith('\n') ? text : text + eol
  // Also below a blank line: a removal could not tell that one from ours.
  const gap = ended === '' ? '' : eol
  return `${ended}${gap}${lines.join(eol)}${ended === text ? eol : ''}`
}

/** A table with its own keys first, then a subtable for each object in it, as TOML requires. */
function tomlTable(path: Path, value: JsonObject): readonly string[] {
  const members = Object.entries(value)
  const own = members.filter(([, item]) => !isObject(item))
  const nested = members.flatMap(([key, item]) => (isObject(item) ? [[key, item] as const] : []))
  return [
    `[${dottedKey(path)}]`,
    ...own.map(([key, item]) => `${dottedKey([key])} = ${inlineToml(item)}`),
    ...nested.flatMap(([key, item]) => ['', ...tomlTable([...path, key], item)]),
  ]
}

function inlineToml(value: Json): string {
  if (value === null) throw new HostError('config.invalid', {}, 'TOML cannot represent null.')
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(inlineToml).join(', ')}]`
  if (!isObject(value)) return Object.is(value, -0) ? '-0.0' : JSON.stringify(value)
  const members = Object.entries(value).map(([key, item]) => `${dottedKey([key])} = ${inlineToml(item)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function dottedKey(path: Path): string {
  return path
    .map(String)
    .map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key)))
    .join('.')
}

/** TOML accepts JSON's escapes; DEL is the one character that TOML requires to be escaped and JSON does not. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}
