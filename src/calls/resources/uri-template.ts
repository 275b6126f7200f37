export type Expanded =
  | { readonly kind: 'uri'; readonly uri: string }
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  /** An expression of a higher level than `{name}`. */
  | { readonly kind: 'unsupported'; readonly expression: string }

interface Piece {
  readonly literal: string
  /** What stands between the braces behind it. */
  readonly expression?: string
}

/** RFC 6570, level 1: every `{name}` is replaced by its value, encoded so that it stays one value. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): Expanded {
  const missing: string[] = []
  let uri = ''
  for (const { literal, expression } of piecesOf(template)) {
    uri += literal
    if (expression === undefined) continue
    if (!isName(expression)) return { kind: 'unsupported', expression: `{${expression}}` }
    const value = Object.hasOwn(values, expression) ? values[expression] : undefined
    if (value === undefined) missing.push(expression)
    else uri += encode(value)
  }
  return missing.length > 0 ? { kind: 'missing', names: [...new Set(missing)] } : { kind: 'uri', uri }
}

/** The names a template asks for, in order. */
export function templateNames(template: string): readonly string[] {
  const names = piecesOf(template).flatMap(({ expression }) => (expression === undefined ? [] : [expression]))
  return [...new Set(names.filter(isName))]
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

/** Everything but letters, digits and `-._~`; half characters first become whole ones. */
function encode(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
