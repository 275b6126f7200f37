import { indentOf, isBlank } from './agent-fields.ts'
import type { Field, Line, ListProblem } from './agent-fields.ts'

export type ToolList = { readonly items: readonly string[] } | ListProblem

/**
 * A `tools:` list as people write it: `[*, !web_*]` over one or more lines, `- item` lines, or `a, b`; items plain or
 * quoted. To YAML the first is an alias, and the denial in it a tag that vanishes. What is not exactly one of these
 * forms is a problem: a list that is misread would admit what it was meant to deny.
 */
export function readToolList({ value, line, below }: Field): ToolList {
  const own = withoutComment(value)
  if (own === '') return readBlock(below, line)
  if (own.startsWith('[')) return readFlow([{ text: own, line }, ...below])
  const rest = below.filter((each) => !isBlank(each))
  const flush = rest.find(({ text }) => indentOf(text) === 0)
  if (flush) return { problem: 'this line belongs to no item', line: flush.line }
  const text = [own, ...rest.map((each) => withoutComment(each.text))].join(' ')
  return toList(splitItems(wholeQuoted(text) ?? text), line)
}

/** `- item`, one to a line, all in one column. */
function readBlock(lines: readonly Line[], at: number): ToolList {
  const rows = lines.filter((line) => !isBlank(line))
  const [first] = rows
  if (!first) return { problem: 'there is nothing in it', line: at }
  const items: string[] = []
  for (const { text, line } of rows) {
    const row = withoutComment(text)
    if (indentOf(text) !== indentOf(first.text) || !/^-[ \t]/.test(row)) {
      return { problem: 'this is no "- item" in the column of the others', line }
    }
    const found = splitItems(row.slice(1))
    if (typeof found === 'string') return { problem: found, line }
    if (found.length !== 1) return { problem: 'one item stands on each line', line }
    items.push(...found)
  }
  return { items }
}

/** From `[` to `]`; the caller gives every line that may belong to it. */
function readFlow(lines: readonly Line[]): ToolList {
  const line = lines[0]?.line ?? 1
  const parts: string[] = []
  for (const { text } of lines) {
    const part = withoutComment(text)
    parts.push(part)
    if (part.endsWith(']')) break
  }
  const text = parts.join(' ').trim()
  if (!text.endsWith(']')) return { problem: 'its "[" has no "]"', line }
  const after = lines.slice(parts.length).find((each) => !isBlank(each))
  if (after) return { problem: 'this line belongs to no item', line: after.line }
  return toList(splitItems(text.slice(1, -1)), line)
}

function toList(found: readonly string[] | string, line: number): ToolList {
  return typeof found === 'string' ? { problem: found, line } : { items: found }
}

/** Parentheses may hold what they like: Claude Code writes `Agent(a, b)`. */
const plainItem = /!?[^\s,![\]{}()"'`#&|>\\][^\s,[\]{}()"'`#&|>\\]*(?:\([^()]*\))?/y
const quotedItem = /(!?)(?:"([^"\\]*)"|'([^']*)'|`([^`]*)`)/y

/** The items between commas, or what is wrong with them. */
function splitItems(text: string): readonly string[] | string {
  const items: string[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const found = itemAt(text, at)
    if (!found) return `${shown(text.slice(at))} is no item of a list`
    if (isDoubtful(found.item)) return `${shown(found.item)} cannot be the name of a tool`
    items.push(found.item)
    at = skipSpace(text, found.end)
    if (at < text.length && text[at] !== ',') return `a comma is missing before ${shown(text.slice(at))}`
    at = skipSpace(text, at + 1)
  }
  return items
}

function itemAt(text: string, at: number): { readonly item: string; readonly end: number } | undefined {
  quotedItem.lastIndex = at
  const quoted = quotedItem.exec(text)
  if (quoted) {
    const [, deny = '', double, single, tick] = quoted
    return { item: deny + (double ?? single ?? tick ?? ''), end: quotedItem.lastIndex }
  }
  plainItem.lastIndex = at
  const plain = plainItem.exec(text)
  return plain ? { item: plain[0], end: plainItem.lastIndex } : undefined
}

/** Nothing, a list in quotes, or characters nobody sees: as a denial it would deny nothing. */
function isDoubtful(item: string): boolean {
  const name = item.startsWith('!') ? item.slice(1) : item
  const outside = name.replace(/\([^()]*\)$/, '')
  return outside === '' || outside !== outside.trim() || /^!|,|\p{Cc}|\p{Cf}/u.test(outside)
}

/** All of it in quotes: what they hold is the list. */
function wholeQuoted(text: string): string | undefined {
  return /^"([^"\\]*)"$/.exec(text)?.[1] ?? /^'([^']*)'$/.exec(text)?.[1]
}

/** A `#` begins a comment where a space stands before it, or nothing. */
export function withoutComment(text: string): string {
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? ''
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || char === "'" || char === '`') quote = char
    else if (char === '#' && (index === 0 || /\s/.test(text[index - 1] ?? '')))
      return text.slice(0, index).trim()
  }
  return text.trim()
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at++
  return at
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
