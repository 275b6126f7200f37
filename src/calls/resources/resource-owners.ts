import { HostError } from '../../model/error.ts'
import type { OfferedResource } from '../view/view.ts'

/** The servers that list this very address; where none does, those with a template for it. */
export function ownersOf(uri: string, offered: readonly OfferedResource[]): readonly string[] {
  const listing = offered.filter(({ resource }) => resource['uri'] === uri)
  const owners = listing.length > 0 ? listing : withTemplates(uri, offered)
  return [...new Set(owners.map(({ server }) => server))]
}

/** How much of an address is compared with the templates of one server: it may list any number of them. */
const mostCompared = 500_000

function withTemplates(uri: string, offered: readonly OfferedResource[]): readonly OfferedResource[] {
  const compared = new Map<string, number>()
  return offered.filter(({ server, resource: { uriTemplate } }) => {
    if (typeof uriTemplate !== 'string' || !beginsAlike(uriTemplate, uri)) return false
    const all = (compared.get(server) ?? 0) + uri.length
    compared.set(server, all)
    return all <= mostCompared && matchesTemplate(uriTemplate, uri)
  })
}

function beginsAlike(template: string, uri: string): boolean {
  return uri.startsWith(template.slice(0, Math.max(template.indexOf('{'), 0)))
}

/** The one server that a resource belongs to; throws where there is none or more than one. */
export function ownerOf(uri: string, offered: readonly OfferedResource[]): string {
  const [owner, ...others] = ownersOf(uri, offered)
  if (owner !== undefined && others.length === 0) return owner
  const asking = (why: string) => `Whose resource is ${uri}? ${why}: name the server.`
  if (owner === undefined)
    throw new HostError('resource.unknown', { uri }, asking('No server lists it or a template for it'))
  throw new HostError('usage', {}, asking(`${[owner, ...others].join(' and ')} list it`))
}

interface Piece {
  readonly literal: string
  /** What stands between the braces behind it. */
  readonly expression?: string
}

/** Longer addresses, and templates of more parts, are not looked through: both may be a stranger's. */
const longestMatched = 2048
const mostExpressions = 16

/** Whether an address can be one of a template: `{name}` stands for one part of it, `{+name}` and the like for any text. */
export function matchesTemplate(template: string, uri: string): boolean {
  const pieces = piecesOf(template)
  const expressions = pieces.filter(({ expression }) => expression !== undefined)
  if (expressions.length === 0 || expressions.length > mostExpressions) return false
  if (uri.length > longestMatched || !uri.startsWith(pieces[0]?.literal ?? '')) return false
  // Where the pieces so far may end; every piece is looked at once.
  let ends: readonly number[] = [0]
  for (const { literal, expression } of pieces) {
    ends = ends.filter((at) => uri.startsWith(literal, at)).map((at) => at + literal.length)
    if (expression !== undefined) ends = endsOf(uri, ends, isName(expression) ? /[/?#]/ : undefined)
  }
  return ends.includes(uri.length)
}

/** Where a value that begins at one of these places may end; it has at least one character, and none that ends a part. */
function endsOf(uri: string, starts: readonly number[], ending: RegExp | undefined): readonly number[] {
  const begins = new Set(starts)
  const ends: number[] = []
  let isInside = false
  for (let at = 0; at < uri.length; at++) {
    const isEnd = ending?.test(uri.charAt(at)) ?? false
    isInside = !isEnd && (isInside || begins.has(at))
    if (isInside) ends.push(at + 1)
  }
  return ends
}

/** A brace that is never closed is a text like any other. */
function piecesOf(template: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (;;) {
    const open = template.indexOf('{', at)
    const close = open < 0 ? -1 : template.indexOf('}', open)
    if (close < 0) return [...pieces, { literal: template.slice(at) }]
    pieces.push({ literal: template.slice(at, open), expression: template.slice(open + 1, close) })
    at = close + 1
  }
}

function isName(expression: string): boolean {
  return /^[A-Za-z0-9_.%]+$/.test(expression)
}
