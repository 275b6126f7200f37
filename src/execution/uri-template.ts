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
