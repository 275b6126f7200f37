interface Numbered {
  readonly id: number
}

const smallest = 64

/**
 * Requests under way, by the numbers we gave them. A `Map` that numbers come and go in makes room again and again, and
 * each storage it left refers to the next one: once the collector takes one of them for old, every request since then
 * stays in memory until the next full collection, which costs more than the rest of a call. Here nothing is left behind.
 */
export class RequestTable<Request extends Numbered> {
  #places: (Request | undefined)[] = emptyPlaces(smallest)
  #count = 0

  /** The first number from this one on that has a free place. */
  freeId(from: number): number {
    if (2 * this.#count >= this.#places.length) this.#grow()
    let id = from
    while (this.#places[this.#placeOf(id)]) id++
    return id
  }

  /** Its id must be a free one. */
  add(request: Request): void {
    this.#places[this.#placeOf(request.id)] = request
    this.#count++
  }

  get(id: unknown): Request | undefined {
    if (typeof id !== 'number') return undefined
    const request = this.#places[this.#placeOf(id)]
    return request?.id === id ? request : undefined
  }

  delete(request: Request): void {
    if (this.get(request.id) !== request) return
    this.#places[this.#placeOf(request.id)] = undefined
    this.#count--
  }

  values(): readonly Request[] {
    return this.#places.filter((request) => request !== undefined)
  }

  /** There are as many places as a power of two has. */
  #placeOf(id: number): number {
    return id & (this.#places.length - 1)
  }

  #grow(): void {
    const requests = this.values()
    this.#places = emptyPlaces(2 * this.#places.length)
    for (const request of requests) this.#places[this.#placeOf(request.id)] = request
  }
}

function emptyPlaces(length: number): undefined[] {
  const places: undefined[] = []
  while (places.length < length) places.push(undefined)
  return places
}
