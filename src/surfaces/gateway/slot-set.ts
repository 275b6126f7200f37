/** Can be in one `SlotSet` at a time. */
export interface SlotItem {
  /** Its place there; -1 elsewhere. */
  slot: number
}

/**
 * A set of what begins and ends all the time. A `Set` with such a load reallocates its storage again and again, and every old
 * storage refers to the next one: once one of them is promoted to the old generation, all items since then stay alive until the
 * next full collection. This one overwrites its slots and leaves nothing behind.
 */
export class SlotSet<T extends SlotItem> {
  readonly #slots: (T | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#slots.length - this.#free.length
  }

  add(item: T): void {
    item.slot = this.#free.pop() ?? this.#slots.length
    this.#slots[item.slot] = item
  }

  delete(item: T): void {
    const { slot } = item
    if (slot < 0 || this.#slots[slot] !== item) return
    item.slot = -1
    this.#slots[slot] = undefined
    this.#free.push(slot)
  }

  /** In no particular order. */
  values(): readonly T[] {
    return this.#slots.filter((item) => item !== undefined)
  }
}
