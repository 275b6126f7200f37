/** No placeholder in braces is longer. */
export const longest = 4096

type Closer = '}' | '}}' | ')'

/**
 * Where the placeholders of one text end. It is asked from left to right, and what one search found or missed holds for
 * the next: however many openers a text has, it is read once for each kind of closer.
 */
export class Closers {
  readonly #text: string
  readonly #next = new Map<Closer, number>()
  #pairs: ReadonlyMap<number, number> | undefined
  /** How often the text was searched. */
  searches = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The first closer from there on, or -1. */
  next(closer: Closer, from: number): number {
    const known = this.#next.get(closer)
    if (known !== undefined && (known < 0 || known >= from)) return known
    this.searches++
    const found = this.#text.indexOf(closer, from)
    this.#next.set(closer, found)
    return found
  }

  /** The brace that closes the one at `open`, or -1. A default may hold a placeholder of its own; braces inside are counted. */
  ofBrace(open: number): number {
    const close = (this.#pairs ??= this.#pairBraces()).get(open) ?? -1
    return close - open > longest ? -1 : close
  }

  #pairBraces(): ReadonlyMap<number, number> {
    this.searches++
    const pairs = new Map<number, number>()
    const open: number[] = []
    for (const { 0: brace, index } of this.#text.matchAll(/[{}]/g)) {
      if (brace === '{') open.push(index)
      const opener = brace === '}' ? open.pop() : undefined
      if (opener !== undefined) pairs.set(opener, index)
    }
    return pairs
  }
}
