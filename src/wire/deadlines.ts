import type { Clock } from '../platform/platform.ts'

/** Lateness beyond this means that we stood still, not that the others were slow. */
const stallMs = 1000

interface Due {
  deadline: number
  /** The latest that `deadline` may become. */
  hardDeadline: number
}

/**
 * The deadlines of many requests on one timer: setting one costs a comparison. When the timer comes much too late, the
 * process itself stood still (FI-82): everybody gets the lost time back.
 */
export class Deadlines<T extends Due> {
  readonly #clock: Clock
  readonly #open: () => Iterable<T>
  readonly #expire: (due: T) => void
  #timer: Disposable | undefined
  #timerDue = Infinity

  constructor(clock: Clock, open: () => Iterable<T>, expire: (due: T) => void) {
    this.#clock = clock
    this.#open = open
    this.#expire = expire
  }

  expect(deadline: number, now: number): void {
    if (deadline >= this.#timerDue) return
    this.stop()
    this.#timerDue = deadline
    this.#timer = this.#clock.timer(Math.max(0, deadline - now), () => this.#due(), { background: true })
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#timerDue = Infinity
  }

  #due(): void {
    const now = this.#clock.monotonic()
    const late = now - this.#timerDue
    this.stop()
    // And a moment more: answers that came meanwhile are read only after this.
    if (late > stallMs) this.#shift(late + stallMs)
    // A timer may come a fraction of a millisecond early.
    const due = Array.from(this.#open()).filter((entry) => entry.deadline <= now + 1)
    for (const entry of due) this.#expire(entry)
    let next = Infinity
    for (const { deadline } of this.#open()) next = Math.min(next, deadline)
    if (next < Infinity) this.expect(next, now)
  }

  #shift(ms: number): void {
    for (const entry of this.#open()) {
      entry.deadline += ms
      entry.hardDeadline += ms
    }
  }
}
