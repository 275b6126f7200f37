import { isCollection, isMap, isNode, isPair, isScalar, isSeq, parseDocument } from 'yaml'
import type { Node, Pair, YAMLMap, YAMLSeq } from 'yaml'
import type { Path } from './doc.ts'

export type Member = Pair<Node, Node | null>

export type Holder = YAMLMap<Node, Node | null> | YAMLSeq<Node>

/** The deepest part of the path that exists. */
interface Found {
  readonly holder: Holder | undefined
  readonly member: Member | Node | undefined
  readonly rest: Path
}

export function find(text: string, path: Path): Found | undefined {
  let node: unknown = parseDocument(text).contents
  let found: Found = { holder: undefined, member: undefined, rest: path }
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

/** Nothing, `null`, `{}` or `[]`: a place that lines can be put into. */
export function isEmpty(node: unknown): boolean {
  if (isCollection(node)) return node.items.length === 0
  return node === null || (isScalar(node) && node.value === null)
}

export function startOf(member: Member | Node): number | undefined {
  return (isPair(member) ? member.key : member).range?.[0]
}

/** Without the comments below, which the library counts as part of a block. */
export function endOf(member: Member | Node): number {
  const node = isPair(member) ? (member.value ?? member.key) : member
  const last: unknown = isCollection(node) && !node.flow ? node.items.at(-1) : undefined
  if (isPair(last) || isNode(last)) return endOf(last as Member | Node) // as above: parsed pairs hold nodes
  return node.range?.[1] ?? 0
}
