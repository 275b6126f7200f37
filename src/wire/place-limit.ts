/**
 * How many requests may be in flight: as many as are set, and fewer once the server says that it has too many. Each such refusal
 * halves them, and each round of answers adds one again until all are back. A few always stay: with one place, a call that
 * hangs would hold up all others.
 */
export class PlaceLimit {
  readonly #most: number
  readonly #least: number
  #count: number
  /** Answers since the limit was changed. */
  #answers = 0
  /** Requests up to this id were sent before the limit was lowered: their refusals say nothing new. */
  #lastOfOld = 0

  constructor(most: number) {
    this.#most = most
    this.#least = Math.min(most, 4)
    this.#count = most
  }

  get count(): number {
    return this.#count
  }

  answered(): void {
    if (this.#count === this.#most) return
    if (++this.#answers < this.#count) return
    this.#answers = 0
    this.#count++
  }

  /** The server refused a request because it has too many; `inFlight` includes it, `lastId` is the one that was sent last. */
  refused(id: number, { inFlight, lastId }: { readonly inFlight: number; readonly lastId: number }): void {
    if (id <= this.#lastOfOld) return
    this.#count = Math.max(this.#least, Math.floor(Math.min(this.#count, inFlight) / 2))
    this.#answers = 0
    this.#lastOfOld = lastId
  }
}
