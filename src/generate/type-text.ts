/** The text of a TypeScript type, with what is needed to combine it. */
export interface TypeText {
  readonly text: string
  readonly kind: 'unknown' | 'never' | 'atom' | 'array' | 'union' | 'intersection'
  /** The members of a union. */
  readonly options?: readonly TypeText[]
  /** How many members it has as one flat union: an intersection of unions has the product of their numbers. */
  readonly size: number
}

/** TypeScript refuses an intersection that becomes a union of 100,000 members, and takes long for a large one. */
const largestProduct = 1000

export const unknownType: TypeText = { text: 'unknown', kind: 'unknown', size: 1 }
export const neverType: TypeText = { text: 'never', kind: 'never', size: 1 }

export function atom(text: string): TypeText {
  return { text, kind: 'atom', size: 1 }
}

export function unionOf(types: readonly TypeText[]): TypeText {
  const all = types.flatMap((type) => type.options ?? [type]).filter(({ kind }) => kind !== 'never')
  if (all.some(({ kind }) => kind === 'unknown')) return unknownType
  const options = [...new Map(all.map((type) => [type.text, type])).values()]
  const [first = neverType] = options
  if (options.length <= 1) return first
  const size = options.reduce((sum, option) => sum + option.size, 0)
  return { text: options.map(inUnion).join(' | '), kind: 'union', options, size }
}

export function intersectionOf(types: readonly TypeText[]): TypeText {
  const all = types.filter(({ kind }) => kind !== 'unknown')
  if (all.some(({ kind }) => kind === 'never')) return neverType
  const parts: TypeText[] = []
  let size = 1
  // Unions beyond the limit are left out: the type is then wider than the schema.
  for (const type of new Map(all.map((each) => [each.text, each])).values()) {
    if (size * type.size > largestProduct && parts.length > 0) continue
    parts.push(type)
    size *= type.size
  }
  const [first = unknownType] = parts
  if (parts.length <= 1) return first
  return { text: parts.map(inIntersection).join(' & '), kind: 'intersection', size }
}

export function arrayOf(item: TypeText, { isReadonly }: { readonly isReadonly: boolean }): TypeText {
  const text =
    item.kind === 'atom' || item.kind === 'unknown' || item.kind === 'never' ? item.text : `(${item.text})`
  return { text: `${isReadonly ? 'readonly ' : ''}${text}[]`, kind: 'array', size: 1 }
}

function inUnion({ text, kind }: TypeText): string {
  return kind === 'intersection' ? `(${text})` : text
}

function inIntersection({ text, kind }: TypeText): string {
  return kind === 'union' ? `(${text})` : text
}
