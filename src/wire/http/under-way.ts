/**
 * What is under way on a channel: few at a time, many in the course of its life. Looking through a short list costs as
 * little as asking a `Map`, and keeps nothing alive that is over (see `RequestTable`).
 */
export class UnderWay<Item> {
  readonly #items: Item[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: Item): void {
    this.#items.push(item)
  }

  find(isIt: (item: Item) => boolean): Item | undefined {
    return this.#items.find(isIt)
  }

  /** The last one takes its place. */
  delete(item: Item): void {
    const place = this.#items.indexOf(item)
    if (place < 0) return
    const last = this.#items.pop()
    if (last !== undefined && place < this.#items.length) this.#items[place] = last
  }

  /** As they are now, whatever becomes of them meanwhile. */
  all(): readonly Item[] {
    return [...this.#items]
  }
}
