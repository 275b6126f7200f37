import { parseTree } from 'jsonc-parser'
import type { Node } from 'jsonc-parser'
import type { Json } from '../../model/json.ts'
import type { Doc, Path } from './doc.ts'
import { checkedEdit, checkedRead, nest } from './checked-edit.ts'
import { applySplices, eolOf, lineEnd, lineStart, nextLine } from './splice.ts'
import type { Splice } from './splice.ts'
import { parseJsonc } from './jsonc.ts'
import { indentUnit, inlineJson, layoutJson, spaced, tight } from './layout-json.ts'
import type { Layout, Spacing } from './layout-json.ts'

const format = { parse: parseJsonc, ensureRoot }

export function read(text: string): Doc {
  return checkedRead(text, format)
}

/** Writes a value into JSON or JSONC. Neighbors, comments, indentation, line breaks and the BOM are preserved. */
export function setIn(text: string, path: Path, value: Json): string {
  const edit = (body: string) => applySplices(body, setSplices(body, path, value))
  return checkedEdit(text, path, value, { ...format, strategies: [edit] })
}

/** Removes a value with its key, its comma and the comments on its own lines. Comments above it are preserved. */
export function removeIn(text: string, path: Path): string {
  const edit = (body: string): string => {
    const { node, parent, rest } = find(body, path)
    if (rest.length > 0) return body
    const removed = applySplices(body, removeSplices(body, node, parent))
    // Repeat: a duplicate key is gone only once every occurrence is removed.
    return parent?.type === 'object' ? edit(removed) : removed
  }
  return checkedEdit(text, path, undefined, { ...format, strategies: [edit] })
}

/** Appends an empty object to a text that is empty or has only comments. */
function ensureRoot(text: string): string {
  if (skip(anyTrivia, text, 0) < text.length) return text
  const eol = eolOf(text)
  return text === '' || text.endsWith('\n') ? `${text}{}${eol}` : `${text}${eol}{}`
}

/** Takes an empty object at the end of a text away again, as `ensureRoot` appended it. */
export function removeRoot(text: string): string {
  return text.replace(/(?:(?<=^|\n)\{\}\r?\n|\r?\n\{\})$/, '')
}

interface FoundNode {
  readonly node: Node
  readonly parent: Node | undefined
  /** The part of the path that does not exist yet. */
  readonly rest: Path
}

/** Finds the deepest existing part of the path. Of a duplicate key it takes the last occurrence, the one in effect. */
function find(text: string, path: Path): FoundNode {
  let node = parseTree(text, [], { allowTrailingComma: true }) as Node // the text was parsed without errors before
  let parent: Node | undefined
  for (const [index, part] of path.entries()) {
    const next = childOf(node, part)
    if (!next) return { node, parent, rest: path.slice(index) }
    parent = node
    node = next
  }
  return { node, parent, rest: [] }
}

function childOf(node: Node, part: string | number): Node | undefined {
  if (node.type === 'array') return node.children?.[Number(part)]
  if (node.type !== 'object') return undefined
  return node.children?.findLast((property) => property.children?.[0]?.value === String(part))?.children?.[1]
}

function setSplices(text: string, path: Path, value: Json): readonly Splice[] {
  const { node, parent, rest } = find(text, path)
  const layout = { eol: eolOf(text), unit: indentUnit(text), indent: '' }
  const isContainer = node.type === 'object' || node.type === 'array'
  if (rest.length === 0 || !isContainer) {
    const inside = { ...layout, indent: indentAt(text, node.offset) }
    const content = nest(rest, value)
    const by = isInline(text, parent) ? inlineJson(content, spacing(text)) : layoutJson(content, inside)
    return [{ start: node.offset, end: node.offset + node.length, text: by }]
  }
  const [key, ...deeper] = rest
  const content = nest(deeper, value)
  const item = (render: (content: Json) => string, colon: string) =>
    node.type === 'array' ? render(content) : `${JSON.stringify(String(key))}${colon}${render(content)}`
  return insertSplices(text, node, layout, item)
}

type Item = (render: (content: Json) => string, colon: string) => string

/** Appends a member to an object or a list, formatted like its neighbors. */
function insertSplices(text: string, node: Node, layout: Layout, item: Item): readonly Splice[] {
  const last = node.children?.at(-1)
  if (!last) return [insertFirst(text, node, layout, item)]
  const end = last.offset + last.length
  const comma = commaAfter(text, end)
  const closesBesideLast = !text.slice(end, node.offset + node.length).includes('\n')
  if (isInline(text, node) || closesBesideLast) {
    const style = spacing(text)
    const added = item((content) => inlineJson(content, style), style.colon)
    if (comma === undefined) return [{ start: end, end, text: style.comma + added }]
    return [{ start: comma + 1, end: comma + 1, text: `${style.comma.slice(1)}${added},` }]
  }
  const indent = indentAt(text, last.offset)
  const added = item((content) => layoutJson(content, { ...layout, indent }), ': ')
  // After a comment on the same line, which belongs to the neighbor.
  const at = skip(commentsHere, text, comma === undefined ? end : comma + 1)
  const line = { start: at, end: at, text: `${layout.eol}${indent}${added}${comma === undefined ? '' : ','}` }
  return comma === undefined ? [{ start: end, end, text: ',' }, line] : [line]
}

/** Adds the first member to `{}` or `[]`; inline containers stay inline. */
function insertFirst(text: string, node: Node, layout: Layout, item: Item): Splice {
  const open = node.offset + 1
  const close = node.offset + node.length - 1
  const kept = text.slice(open, close).trimEnd() // comments
  const start = open + kept.length
  if (kept === '' && isInline(text, containerOf(node))) {
    const style = spacing(text)
    const pad = node.type === 'object' ? style.comma.slice(1) : ''
    return { start, end: close, text: pad + item((content) => inlineJson(content, style), style.colon) + pad }
  }
  const outer = indentAt(text, node.offset)
  const indent = outer + layout.unit
  const added = item((content) => layoutJson(content, { ...layout, indent }), ': ')
  return { start, end: close, text: `${layout.eol}${indent}${added}${layout.eol}${outer}` }
}

function removeSplices(text: string, value: Node, parent: Node | undefined): readonly Splice[] {
  if (!parent) return [{ start: value.offset, end: value.offset + value.length, text: '{}' }]
  const member = parent.type === 'object' && value.parent ? value.parent : value
  const siblings = parent.children ?? []
  const before = siblings[siblings.indexOf(member) - 1]
  const end = member.offset + member.length
  const comma = commaAfter(text, end)
  if (siblings.length === 1 && isOnlySpaceAround(text, parent, member, comma)) {
    return [{ start: parent.offset + 1, end: parent.offset + parent.length - 1, text: '' }]
  }
  const isLast = member === siblings.at(-1)
  const ownComma = comma !== undefined && text.slice(end, comma).trim() === ''
  const splices = [
    lineRemoval(text, member.offset, ownComma ? comma + 1 : end, before !== undefined && isLast),
  ]
  if (comma !== undefined && !ownComma) splices.push({ start: comma, end: comma + 1, text: '' })
  if (comma !== undefined || !before) return splices
  // The previous member becomes the last one, so its comma goes too.
  const left = commaAfter(text, before.offset + before.length)
  return left === undefined ? splices : [...splices, { start: left, end: left + 1, text: '' }]
}

function isOnlySpaceAround(text: string, parent: Node, member: Node, comma: number | undefined): boolean {
  const end = member.offset + member.length
  const before = text.slice(parent.offset + 1, member.offset)
  const after = text.slice(end, parent.offset + parent.length - 1)
  return before.trim() === '' && after.trim() === (comma === undefined ? '' : ',')
}

/** Removes whole lines if nothing else is on them; otherwise only the member and the spaces beside it. */
function lineRemoval(text: string, start: number, end: number, spacesBefore: boolean): Splice {
  const first = lineStart(text, start)
  const rest = skip(commentsHere, text, end)
  const last = lineEnd(text, end)
  const alone = text.slice(first, start).trim() === '' && rest <= last && text.slice(rest, last).trim() === ''
  if (alone && first > 0) return { start: first, end: nextLine(text, end), text: '' }
  const line = spacesBefore ? text.slice(first, start) : text.slice(end, last)
  const width = line.length - (spacesBefore ? line.trimEnd() : line.trimStart()).length
  return spacesBefore ? { start: start - width, end, text: '' } : { start, end: end + width, text: '' }
}

function containerOf(node: Node): Node | undefined {
  return node.parent?.type === 'property' ? node.parent.parent : node.parent
}

function isInline(text: string, node: Node | undefined): boolean {
  const last = node?.children?.at(-1)
  return last !== undefined && text.slice(lineStart(text, last.offset), last.offset).trim() !== ''
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''
}

/** The separators of inline JSON in this text: with spaces or without. */
function spacing(text: string): Spacing {
  return /":\S/.test(text) && !/": /.test(text) ? tight : spaced
}

function commaAfter(text: string, offset: number): number | undefined {
  const next = skip(anyTrivia, text, offset)
  return text[next] === ',' ? next : undefined
}

const anyTrivia = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y
/** Comments that begin on this line. */
const commentsHere = /(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[\s\S]*?\*\/))*/y

function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return offset + (pattern.exec(text)?.[0].length ?? 0)
}
