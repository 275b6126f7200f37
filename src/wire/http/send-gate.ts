import type { Clock } from '../../platform/platform.ts'

/** Holds things back while something goes first. */
export class Gate<T> {
  readonly #clock: Clock
  readonly #pass: (item: T) => void
  #held: T[] | undefined
  #timer: Disposable | undefined

  constructor(clock: Clock, pass: (item: T) => void) {
    this.#clock = clock
    this.#pass = pass
  }

  /** Nothing passes until `open`, or until this time is over, if there is one. */
  shut(maxMs?: number): void {
    this.#held ??= []
    if (maxMs !== undefined) this.#timer ??= this.#clock.timer(maxMs, () => this.open(), { background: true })
  }

  enter(item: T): void {
    if (this.#held) this.#held.push(item)
    else this.#pass(item)
  }

  /** `true` when it was held back, and now never passes. */
  remove(isIt: (item: T) => boolean): boolean {
    const index = this.#held?.findIndex(isIt) ?? -1
    if (index >= 0) this.#held?.splice(index, 1)
    return index >= 0
  }

  open(): void {
    for (const item of this.clear()) this.#pass(item)
  }

  /** Lets go of what is held back. */
  clear(): readonly T[] {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    const held = this.#held ?? []
    this.#held = undefined
    return held
  }
}

/** T24: a server that asks and asks, and takes none of our answers, gets no more of them. */
const most = 256

/** How much is on its way that nobody waits for: answers of ours and notifications, until the server took them. */
export class Untaken {
  #count = 0

  get isFull(): boolean {
    return this.#count >= most
  }

  add(): void {
    this.#count++
  }

  /** It was taken, or never will be. */
  done(): void {
    this.#count--
  }
}
