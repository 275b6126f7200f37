import type { Clock } from '../platform/platform.ts'

const windowMs = 1000
const perWindow = 100

/** Lets so many through in a second, and says once how many it kept back (FI-30). */
export class RateCap {
  readonly #clock: Clock
  readonly #onKeptBack: (count: number) => void
  #windowEnd = -Infinity
  #passed = 0
  #keptBack = 0

  constructor(clock: Clock, onKeptBack: (count: number) => void) {
    this.#clock = clock
    this.#onKeptBack = onKeptBack
  }

  admits(): boolean {
    const now = this.#clock.monotonic()
    if (now >= this.#windowEnd) {
      const count = this.#keptBack
      this.#windowEnd = now + windowMs
      this.#passed = 0
      this.#keptBack = 0
      if (count > 0) this.#onKeptBack(count)
    }
    if (this.#passed < perWindow) {
      this.#passed++
      return true
    }
    this.#keptBack++
    return false
  }
}
