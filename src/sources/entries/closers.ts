/** Maximum length of a placeholder in braces. */
export const longest = 4096

type Closer = '}' | '}}' | ')'

/**
 * Finds the ends of placeholders in one text. Calls must go from left to right. The result of each search is reused, so a
 * text is scanned once for each kind of closer, however many openers it has.
 */
export class Closers {
  readonly #text: string
  readonly #next = new Map<Closer, number>()
  #pairs: ReadonlyMap<number, number> | undefined
  /** The number of scans so far (for tests). */
  searches = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The offset of the first closer at or after `from`, or -1. */
  next(closer: Closer, from: number): number {
    const known = this.#next.get(closer)
    if (known !== undefined && (known < 0 || known >= from)) return known
    this.searches++
    const found = this.#text.indexOf(closer, from)
    this.#next.set(closer, found)
    return found
  }

  /** The brace that closes the one at `open`, or -1. Inner braces are paired: a default may contain a placeholder. */
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
