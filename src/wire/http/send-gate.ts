import type { Clock } from '../../platform/platform.ts'

/** Holds messages back while another one has to go first. */
export class SendGate<T> {
  readonly #clock: Clock
  readonly #pass: (item: T) => void
  #held: T[] | undefined
  #timer: Disposable | undefined

  constructor(clock: Clock, pass: (item: T) => void) {
    this.#clock = clock
    this.#pass = pass
  }

  /** Holds messages until `open`, or until `maxMs` is over. */
  shut(maxMs?: number): void {
    this.#held ??= []
    if (maxMs !== undefined) this.#timer ??= this.#clock.timer(maxMs, () => this.open(), { background: true })
  }

  enter(item: T): void {
    if (this.#held) this.#held.push(item)
    else this.#pass(item)
  }

  /** Returns true when the item was held back; it is dropped. */
  remove(matches: (item: T) => boolean): boolean {
    const index = this.#held?.findIndex(matches) ?? -1
    if (index >= 0) this.#held?.splice(index, 1)
    return index >= 0
  }

  open(): void {
    for (const item of this.clear()) this.#pass(item)
  }

  /** Empties and opens the gate; returns the held items. */
  clear(): readonly T[] {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    const held = this.#held ?? []
    this.#held = undefined
    return held
  }
}

/** T24: a server that keeps asking without accepting our answers gets no more of them. */
const maxUnaccepted = 256

/** Counts messages without an answer of their own (answers and notifications) until the server accepts them. */
export class UnacceptedCount {
  #count = 0

  get isFull(): boolean {
    return this.#count >= maxUnaccepted
  }

  add(): void {
    this.#count++
  }

  /** The server accepted it, or never will. */
  done(): void {
    this.#count--
  }
}
