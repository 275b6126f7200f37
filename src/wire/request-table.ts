interface NumberedRequest {
  readonly id: number
}

const initialSlots = 64

/**
 * Requests in flight by numeric id. A `Map` with a steady insert and delete load reallocates its storage again and
 * again, and every old storage refers to the next one: once one of them is promoted to the old generation, all
 * requests since then stay alive until the next full collection, which costs more than the rest of a call. This table
 * overwrites its slots and leaves nothing behind.
 */
export class RequestTable<Request extends NumberedRequest> {
  #slots: (Request | undefined)[] = emptySlots(initialSlots)
  #count = 0

  /** The first id at or after `from` whose slot is free. */
  freeId(from: number): number {
    if (2 * this.#count >= this.#slots.length) this.#grow()
    let id = from
    while (this.#slots[this.#slotOf(id)]) id++
    return id
  }

  /** The id must come from `freeId`. */
  add(request: Request): void {
    this.#slots[this.#slotOf(request.id)] = request
    this.#count++
  }

  get(id: unknown): Request | undefined {
    if (typeof id !== 'number') return undefined
    const request = this.#slots[this.#slotOf(id)]
    return request?.id === id ? request : undefined
  }

  delete(request: Request): void {
    if (this.get(request.id) !== request) return
    this.#slots[this.#slotOf(request.id)] = undefined
    this.#count--
  }

  values(): readonly Request[] {
    return this.#slots.filter((request) => request !== undefined)
  }

  /** The number of slots is a power of two. */
  #slotOf(id: number): number {
    return id & (this.#slots.length - 1)
  }

  #grow(): void {
    const requests = this.values()
    this.#slots = emptySlots(2 * this.#slots.length)
    for (const request of requests) this.#slots[this.#slotOf(request.id)] = request
  }
}

function emptySlots(length: number): undefined[] {
  const slots: undefined[] = []
  while (slots.length < length) slots.push(undefined)
  return slots
}
