import { indentOf, isBlank } from './agent-fields.ts'
import type { Field, Line, ListProblem } from './agent-fields.ts'

export type ToolList = { readonly items: readonly string[] } | ListProblem

/**
 * Reads a `tools:` list: `[*, !web_*]` on one or more lines, `- item` lines, or `a, b`; items plain or quoted. YAML would
 * read `*` as an alias and drop the `!web_*` as a tag. Anything that is not exactly one of these forms is a problem: a
 * misread list would allow tools that it was meant to deny.
 */
export function readToolList({ value, line, below }: Field): ToolList {
  const own = withoutComment(value)
  if (own === '') return readBlock(below, line)
  if (own.startsWith('[')) return readFlow([{ text: own, line }, ...below])
  const rest = below.filter((each) => !isBlank(each))
  const flush = rest.find(({ text }) => indentOf(text) === 0)
  if (flush) return { problem: 'this line belongs to no item', line: flush.line }
  const text = [own, ...rest.map((each) => withoutComment(each.text))].join(' ')
  return toList(splitItems(unquoteWhole(text) ?? text), line)
}

/** `- item` lines, one item per line, all in one column. */
function readBlock(lines: readonly Line[], at: number): ToolList {
  const rows = lines.filter((line) => !isBlank(line))
  const [first] = rows
  if (!first) return { problem: 'it is empty', line: at }
  const items: string[] = []
  for (const { text, line } of rows) {
    const row = withoutComment(text)
    if (indentOf(text) !== indentOf(first.text) || !/^-[ \t]/.test(row)) {
      return { problem: 'this is not a "- item" in the same column as the others', line }
    }
    const found = splitItems(row.slice(1))
    if (typeof found === 'string') return { problem: found, line }
    if (found.length !== 1) return { problem: 'this line has more than one item', line }
    items.push(...found)
  }
  return { items }
}

/** A list from `[` to `]`; `lines` are all that may belong to it. */
function readFlow(lines: readonly Line[]): ToolList {
  const line = lines[0]?.line ?? 1
  const parts: string[] = []
  for (const { text } of lines) {
    const part = withoutComment(text)
    parts.push(part)
    if (part.endsWith(']')) break
  }
  const text = parts.join(' ').trim()
  if (!text.endsWith(']')) return { problem: 'the closing "]" is missing', line }
  const after = lines.slice(parts.length).find((each) => !isBlank(each))
  if (after) return { problem: 'this line belongs to no item', line: after.line }
  return toList(splitItems(text.slice(1, -1)), line)
}

function toList(found: readonly string[] | string, line: number): ToolList {
  return typeof found === 'string' ? { problem: found, line } : { items: found }
}

/** Parentheses may contain anything: Claude Code writes `Agent(a, b)`. */
const plainItem = /!?[^\s,![\]{}()"'`#&|>\\][^\s,[\]{}()"'`#&|>\\]*(?:\([^()]*\))?/y
const quotedItem = /(!?)(?:"([^"\\]*)"|'([^']*)'|`([^`]*)`)/y

/** The items between commas, or the problem with them. */
function splitItems(text: string): readonly string[] | string {
  const items: string[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const found = itemAt(text, at)
    if (!found) return `${quoteShort(text.slice(at))} is not a list item`
    if (isInvalidItem(found.item)) return `${quoteShort(found.item)} is not a valid tool name`
    items.push(found.item)
    at = skipSpace(text, found.end)
    if (at < text.length && text[at] !== ',') return `a comma is missing before ${quoteShort(text.slice(at))}`
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

/** Empty, a list in quotes, or invisible characters: a denial of such a name would have no effect. */
function isInvalidItem(item: string): boolean {
  const name = item.startsWith('!') ? item.slice(1) : item
  const outside = name.replace(/\([^()]*\)$/, '')
  return outside === '' || outside !== outside.trim() || /^!|,|\p{Cc}|\p{Cf}/u.test(outside)
}

/** The content, if all of the text is in one pair of quotes. */
function unquoteWhole(text: string): string | undefined {
  return /^"([^"\\]*)"$/.exec(text)?.[1] ?? /^'([^']*)'$/.exec(text)?.[1]
}

/** A `#` starts a comment at the start of the text or after a space. */
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

function quoteShort(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
