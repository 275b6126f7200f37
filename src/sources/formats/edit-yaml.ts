import {
  Document as YamlDocument,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from 'yaml'
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml'
import type { Json } from '../../model/json.ts'
import type { Doc, Path } from './doc.ts'
import { checkedEdit, checkedRead, nest } from './checked-edit.ts'
import { applySplices, eolOf, lineEnd, lineRemoval, lineStart } from './splice.ts'
import type { Splice } from './splice.ts'
import { inlineJson, spaced } from './layout-json.ts'
import { parseYaml } from './yaml.ts'

const format = { parse: parseYaml }

export function read(text: string): Doc {
  return checkedRead(text, format)
}

/** Writes a value into YAML by editing lines; if that is not possible, the document is serialized again with its comments. */
export function setIn(text: string, path: Path, value: Json): string {
  return checkedEdit(text, path, value, {
    ...format,
    strategies: [
      (body) => applyOptional(body, setSplices(body, path, value)),
      (body) => rewriteDocument(body, (document) => document.setIn(path, value)),
    ],
  })
}

/** Removes a key with its value and the comments on their lines. Comments above are preserved. */
export function removeIn(text: string, path: Path): string {
  return checkedEdit(text, path, undefined, {
    ...format,
    strategies: [
      (body) => applyOptional(body, removeSplices(body, path)),
      (body) => rewriteDocument(body, (document) => document.deleteIn(path)),
    ],
  })
}

function applyOptional(text: string, splices: readonly Splice[] | undefined): string | undefined {
  return splices && applySplices(text, splices)
}

function rewriteDocument(text: string, change: (document: Document.Parsed) => void): string | undefined {
  const document = parseDocument(text)
  change(document)
  return document.toString({ lineWidth: 0, indent: indentUnit(text).length }).replaceAll('\n', eolOf(text))
}

type Splices = readonly Splice[] | undefined

function setSplices(text: string, path: Path, value: Json): Splices {
  const found = find(text, path)
  if (!found) return undefined
  const { holder, member, rest } = found
  if (!holder) return append(text, nest(rest, value))
  if (!member) return insert(text, holder, rest, value)
  const old = isPair(member) ? member.value : member
  const content = isSeq(old) && rest.length > 0 ? [nest(rest.slice(1), value)] : nest(rest, value)
  return replace(text, holder, member, content)
}

function append(text: string, content: Json): Splices {
  const eol = eolOf(text)
  const endsLine = text === '' || text.endsWith('\n')
  const lines = block(text, content, '')
  // A missing last line break stays missing, so that a removal can give back the same text.
  return [{ start: text.length, end: text.length, text: endsLine ? `${lines}${eol}` : `${eol}${lines}` }]
}

/** Appends a member, formatted like its neighbors. */
function insert(text: string, holder: Holder, rest: Path, value: Json): Splices {
  const [first, last] = [holder.items[0], holder.items.at(-1)]
  const [key = '', ...deeper] = rest
  const content = nest(deeper, value)
  if (!last) return undefined
  const end = endOf(last)
  if (holder.flow) {
    const item = inlineJson(content, spaced)
    const added = isSeq(holder) ? item : `${block(text, key, '')}: ${item}`
    return [{ start: end, end, text: `, ${added}` }]
  }
  const start = isSeq(holder) ? holder.range?.[0] : isPair(first) ? first.key.range?.[0] : undefined
  if (start === undefined) return undefined
  const indent = indentTo(text, start)
  return [newLines(text, end, indent, isSeq(holder) ? [content] : { [key]: content })]
}

/** Inserts lines below the line that ends at `end`; a block scalar's range includes its line break already. */
function newLines(text: string, end: number, indent: string, content: Json): Splice {
  const lines = indent + block(text, content, indent)
  const eol = eolOf(text)
  if (text[end - 1] === '\n') return { start: end, end, text: lines + eol }
  const at = lineEnd(text, end)
  return { start: at, end: at, text: eol + lines }
}

function indentTo(text: string, offset: number): string {
  return ' '.repeat(offset - lineStart(text, offset))
}

function replace(text: string, holder: Holder, member: Member | Node, content: Json): Splices {
  const old = isPair(member) ? member.value : member
  const flow = holder.flow || (isCollection(old) && old.flow && old.items.length > 0)
  const opens = typeof content === 'object' && content !== null && Object.keys(content).length > 0
  if (old?.range && (flow || (!opens && isOneLine(text, old)))) {
    const [start, end] = old.range
    const written = flow ? inlineJson(content, spaced) : block(text, content, '')
    const by = typeof content === 'boolean' ? spelledLike(text.slice(start, end), written) : written
    return [{ start, end, text: by }]
  }
  if (!isPair(member) || !isScalar(member.key) || !member.key.range) return undefined
  const start = member.key.range[0]
  if (opens && isEmpty(old)) return expandEmpty(text, start, member.key.range[1], old, content)
  const end = endOf(member)
  const eol = text[end - 1] === '\n' ? eolOf(text) : ''
  const lines = block(text, { [String(member.key.value)]: content }, indentTo(text, start))
  return [{ start, end, text: lines + eol }]
}

/** YAML also reads `True` and `TRUE`: a boolean keeps the spelling of the one it replaces. */
function spelledLike(old: string, written: string): string {
  if (/^(?:TRUE|FALSE)$/.test(old)) return written.toUpperCase()
  return /^(?:True|False)$/.test(old) ? written.charAt(0).toUpperCase() + written.slice(1) : written
}

/** `key: {} # about it` becomes `key: # about it` with lines below. */
function expandEmpty(text: string, start: number, keyEnd: number, old: Node | null, content: Json): Splices {
  const colon = text.indexOf(':', keyEnd) + 1
  const line = lineEnd(text, colon)
  const [from = line, to = line] = old?.range ?? []
  const indent = indentTo(text, start) + indentUnit(text)
  const emptied = from < to && to <= line ? [{ start: colon, end: to, text: '' }] : []
  return [...emptied, newLines(text, line, indent, content)]
}

/** Whether a value is written on one line. An absent value is not written at all. */
function isOneLine(text: string, node: Node): boolean {
  const [start, end] = node.range ?? [0, 0]
  return (!isCollection(node) || isEmpty(node)) && start < end && !text.slice(start, end).includes('\n')
}

function removeSplices(text: string, path: Path): Splices {
  const found = find(text, path)
  if (!found?.holder || !found.member || found.rest.length > 0) return undefined
  const { holder, member } = found
  if (holder.items.length === 1) {
    const empty = isSeq(holder) ? [] : {}
    if (path.length > 1)
      return emptyBelowComments(text, path, found.holder) ?? setSplices(text, path.slice(0, -1), empty)
    // Only comments are left, which YAML reads as an empty document.
    if (holder.flow) return undefined
  }
  const start = startOf(member)
  const end = endOf(member)
  if (start === undefined) return undefined
  if (holder.flow) return removeFlow(holder, member, start, end)
  const first = lineStart(text, start)
  const lead = text.slice(first, start).trim()
  if (lead !== (isSeq(holder) ? '-' : '')) return undefined
  if (text[end - 1] === '\n') return [{ start: first, end, text: '' }]
  return [lineRemoval(text, start, end)]
}

/** Empties a block whose only member stands below comments, which would be replaced together with it. */
function emptyBelowComments(text: string, path: Path, holder: Holder): Splices {
  const owner = find(text, path.slice(0, -1))?.member
  const key = isPair(owner) && isScalar(owner.key) ? owner.key.range?.[1] : undefined
  const [member] = holder.items
  const start = member && startOf(member)
  if (key === undefined || !member || start === undefined || holder.flow) return undefined
  const colon = text.indexOf(':', key) + 1
  const first = lineStart(text, start)
  if (!text.slice(colon, first).includes('#')) return undefined
  const end = endOf(member)
  return [
    { start: colon, end: colon, text: isSeq(holder) ? ' []' : ' {}' },
    text[end - 1] === '\n' ? { start: first, end, text: '' } : lineRemoval(text, start, end),
  ]
}

function removeFlow(holder: Holder, member: Member | Node, start: number, end: number): Splices {
  const items: readonly (Member | Node)[] = holder.items
  const index = items.indexOf(member)
  const [before, after] = [items[index - 1], items[index + 1]]
  const next = after && startOf(after)
  if (next !== undefined) return [{ start, end: next, text: '' }]
  return before && [{ start: endOf(before), end, text: '' }]
}

/** A value as lines of YAML. The first line is not indented, because a key may precede it. */
function block(text: string, content: Json, indent: string): string {
  const options = { lineWidth: 0, indent: indentUnit(text).length }
  const document = new YamlDocument(content, { aliasDuplicateObjects: false })
  // Unquoted, other parsers read this name as a merge.
  visit(document, {
    Scalar(_key, node) {
      if (node.value === '<<') node.type = 'QUOTE_DOUBLE'
    },
  })
  return document
    .toString(options)
    .trimEnd()
    .split('\n')
    .map((line, index) => (index === 0 || line === '' ? line : indent + line))
    .join(eolOf(text))
}

function indentUnit(text: string): string {
  return (
    /^[^\s#-][^\n]*:[^\S\n]*(?:#[^\n]*)?\r?\n(?:[^\S\n]*(?:#[^\n]*)?\r?\n)*( +)[^\s#-]/m.exec(text)?.[1] ??
    '  '
  )
}

type Member = Pair<Node, Node | null>

type Holder = YAMLMap<Node, Node | null> | YAMLSeq<Node>

/** The deepest existing part of a path. */
interface FoundMember {
  readonly holder: Holder | undefined
  readonly member: Member | Node | undefined
  readonly rest: Path
}

function find(text: string, path: Path): FoundMember | undefined {
  let node: unknown = parseDocument(text).contents
  let found: FoundMember = { holder: undefined, member: undefined, rest: path }
  for (const [index, part] of path.entries()) {
    if (isEmpty(node)) return found
    const holder = asHolder(node)
    if (!holder) return undefined
    const member = memberOf(holder, part)
    found = { holder, member, rest: path.slice(index + 1) }
    if (!member) return { ...found, rest: path.slice(index) }
    node = isPair(member) ? member.value : member
  }
  return found
}

function asHolder(node: unknown): Holder | undefined {
  // Parsed collections hold nodes; the library types them as unknown.
  return isMap(node) || isSeq(node) ? (node as unknown as Holder) : undefined
}

function memberOf(holder: Holder, part: string | number): Member | Node | undefined {
  if (isSeq(holder)) return holder.items[Number(part)]
  return holder.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
}

/** Absent, `null`, `{}` or `[]`: a value that can become a block. */
function isEmpty(node: unknown): boolean {
  if (isCollection(node)) return node.items.length === 0
  return node === null || (isScalar(node) && node.value === null)
}

function startOf(member: Member | Node): number | undefined {
  return (isPair(member) ? member.key : member).range?.[0]
}

/** The end of a member without the comments below it, which the library includes in a block. */
function endOf(member: Member | Node): number {
  const node = isPair(member) ? (member.value ?? member.key) : member
  const last: unknown = isCollection(node) && !node.flow ? node.items.at(-1) : undefined
  if (isPair(last) || isNode(last)) return endOf(last as Member | Node) // as above: parsed pairs hold nodes
  return node.range?.[1] ?? 0
}
