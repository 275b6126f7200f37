import type { AddressClash } from '../../catalog/address-clashes.ts'
import { HostError } from '../../model/error.ts'
import type { JsonObject } from '../../model/json.ts'
import type { OfferedResource } from '../view/view.ts'

interface ListedItem {
  readonly server: string
  readonly item: JsonObject
}

/** Puts what other servers list at an address after the resource of the server that listed it first. */
export function ownersFirst<T extends ListedItem>(
  items: readonly T[],
  clashes: readonly AddressClash[],
): readonly T[] {
  if (clashes.length === 0) return items
  const others = new Map(clashes.map(({ uri, others: servers }) => [uri, new Set(servers)]))
  const isOther = ({ server, item: { uri } }: T) =>
    typeof uri === 'string' && (others.get(uri)?.has(server) ?? false)
  return [...items.filter((each) => !isOther(each)), ...items.filter(isOther)]
}

/** The servers that list this URI; if none does, those with a matching template. */
export function ownersOf(uri: string, offered: readonly OfferedResource[]): readonly string[] {
  const listing = offered.filter(({ resource }) => resource['uri'] === uri)
  const owners = listing.length > 0 ? listing : withTemplates(uri, offered)
  return [...new Set(owners.map(({ server }) => server))]
}

/** Limit of characters compared with the templates of one server: a server may list any number of templates. */
const maxCompared = 500_000

function withTemplates(uri: string, offered: readonly OfferedResource[]): readonly OfferedResource[] {
  const compared = new Map<string, number>()
  return offered.filter(({ server, resource: { uriTemplate } }) => {
    if (typeof uriTemplate !== 'string' || !startsWithLiteral(uri, uriTemplate)) return false
    const all = (compared.get(server) ?? 0) + uri.length
    compared.set(server, all)
    return all <= maxCompared && matchesTemplate(uriTemplate, uri)
  })
}

function startsWithLiteral(uri: string, template: string): boolean {
  return uri.startsWith(literalStart(template))
}

/** What every address of a template starts with. */
export function literalStart(template: string): string {
  return template.slice(0, Math.max(template.indexOf('{'), 0))
}

/**
 * The one server that a resource belongs to; throws if there is none or more than one.
 *
 * @param unlisted Servers whose resources are unknown: one of them may have it.
 */
export function ownerOf(
  uri: string,
  offered: readonly OfferedResource[],
  unlisted: readonly string[] = [],
): string {
  const [owner, ...others] = ownersOf(uri, offered)
  if (owner !== undefined && others.length === 0) return owner
  if (owner === undefined) {
    const unknown =
      unlisted.length === 0 ? '' : ` The resources of these servers are unknown: ${unlisted.join(', ')}.`
    const message = `No server lists ${uri} or a template for it: name the server.${unknown}`
    throw new HostError('resource.unknown', { uri }, message)
  }
  const all = [owner, ...others].sort() // by name: the order of the list is that of listing
  throw new HostError('usage', {}, `${all.join(' and ')} list ${uri}: name the server.`)
}

interface TemplatePart {
  readonly literal: string
  /** The text between the braces that follow the literal. */
  readonly expression?: string
}

/** Longer URIs and templates with more expressions never match: both may come from an untrusted server. */
const maxUriLength = 2048
const maxExpressions = 16

/** Whether `matchesTemplate` compares the two at all. */
export function isComparable(template: string, uri: string): boolean {
  return uri.length <= maxUriLength && template.split('{').length - 1 <= maxExpressions
}

/** Whether a URI matches a template: `{name}` stands for one path segment, `{+name}` and other operators for any text. */
export function matchesTemplate(template: string, uri: string): boolean {
  const parts = parseTemplate(template)
  const expressions = parts.filter(({ expression }) => expression !== undefined)
  if (expressions.length === 0 || expressions.length > maxExpressions) return false
  if (uri.length > maxUriLength || !uri.startsWith(parts[0]?.literal ?? '')) return false
  // All positions where the parts so far may end; each part is visited once, so there is no backtracking.
  let ends: readonly number[] = [0]
  for (const { literal, expression } of parts) {
    ends = ends.filter((at) => uri.startsWith(literal, at)).map((at) => at + literal.length)
    if (expression !== undefined) ends = valueEnds(uri, ends, isSimpleName(expression) ? /[/?#]/ : undefined)
  }
  return ends.includes(uri.length)
}

/** Positions where a value that starts at one of `starts` may end. It has at least one character, and no delimiter. */
function valueEnds(uri: string, starts: readonly number[], delimiter: RegExp | undefined): readonly number[] {
  const begins = new Set(starts)
  const ends: number[] = []
  let isInside = false
  for (let at = 0; at < uri.length; at++) {
    const isEnd = delimiter?.test(uri.charAt(at)) ?? false
    isInside = !isEnd && (isInside || begins.has(at))
    if (isInside) ends.push(at + 1)
  }
  return ends
}

/** A brace without a closing one is literal text. */
function parseTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let at = 0
  for (;;) {
    const open = template.indexOf('{', at)
    const close = open < 0 ? -1 : template.indexOf('}', open)
    if (close < 0) return [...parts, { literal: template.slice(at) }]
    parts.push({ literal: template.slice(at, open), expression: template.slice(open + 1, close) })
    at = close + 1
  }
}

function isSimpleName(expression: string): boolean {
  return /^[A-Za-z0-9_.%]+$/.test(expression)
}
