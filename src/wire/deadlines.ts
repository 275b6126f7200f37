import type { Clock } from '../platform/platform.ts'

/** A timer that fires later than this means that this process was suspended, not that servers were slow. */
const stallMs = 1000

interface DeadlineHolder {
  deadline: number
  /** Upper bound for `deadline`. */
  hardDeadline: number
}

/**
 * Deadlines of many requests on a single timer, so adding one costs a comparison. If the timer fires much too late,
 * the process was suspended (FI-82): every deadline is extended by the lost time.
 */
export class Deadlines<T extends DeadlineHolder> {
  readonly #clock: Clock
  readonly #open: () => Iterable<T>
  readonly #expire: (expired: T) => void
  #timer: Disposable | undefined
  #timerDue = Infinity

  constructor(clock: Clock, open: () => Iterable<T>, expire: (expired: T) => void) {
    this.#clock = clock
    this.#open = open
    this.#expire = expire
  }

  schedule(deadline: number, now: number): void {
    if (deadline >= this.#timerDue) return
    this.stop()
    this.#timerDue = deadline
    this.#timer = this.#clock.timer(Math.max(0, deadline - now), () => this.#onTimer(), { background: true })
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#timerDue = Infinity
  }

  #onTimer(): void {
    const now = this.#clock.monotonic()
    const late = now - this.#timerDue
    this.stop()
    // Plus one second: answers that arrived meanwhile are read only after this callback.
    if (late > stallMs) this.#extendAll(late + stallMs)
    // Timers may fire a fraction of a millisecond early.
    const expired = Array.from(this.#open()).filter((entry) => entry.deadline <= now + 1)
    for (const entry of expired) this.#expire(entry)
    let next = Infinity
    for (const { deadline } of this.#open()) next = Math.min(next, deadline)
    if (next < Infinity) this.schedule(next, now)
  }

  #extendAll(ms: number): void {
    for (const entry of this.#open()) {
      entry.deadline += ms
      entry.hardDeadline += ms
    }
  }
}
