import type { Clock } from '../platform/platform.ts'

/** A place is free again after this long, whatever its holder does: a hanging server delays nobody. */
const heldMs = 1000

export type Urgency = 'called' | 'background'

interface Waiting {
  readonly urgency: Urgency
  readonly enter: () => void
}

/** At most so many programs are started at once; one that somebody is calling goes first. */
export class Slots {
  readonly #clock: Clock
  #free: number
  readonly #line: Waiting[] = []
  #isAdmitting = false

  constructor(clock: Clock, places = 8) {
    this.#clock = clock
    this.#free = places
  }

  /** Waits for a place and gives back how to leave it. Leaving twice is leaving once. */
  async enter(urgency: Urgency, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0 && this.#line.length === 0) this.#free--
    else await this.#wait(urgency, signal)
    return this.#hold()
  }

  #wait(urgency: Urgency, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        urgency,
        enter() {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      const onAbort = () => {
        this.#line.splice(this.#line.indexOf(waiting), 1)
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#line.push(waiting)
    })
  }

  #hold(): () => void {
    let isHeld = true
    const leave = () => {
      if (!isHeld) return
      isHeld = false
      timer[Symbol.dispose]()
      this.#free++
      this.#admitSoon()
    }
    const timer = this.#clock.timer(heldMs, leave, { background: true })
    return leave
  }

  /**
   * All who leave in one turn make room at once. Each start of a program makes our own memory dear to write to: several
   * of them in a row cost less than the same with other work in between.
   */
  #admitSoon(): void {
    if (this.#isAdmitting || this.#line.length === 0) return
    this.#isAdmitting = true
    process.nextTick(() => this.#admit())
  }

  #admit(): void {
    this.#isAdmitting = false
    while (this.#free > 0 && this.#line.length > 0) {
      this.#free--
      const called = this.#line.findIndex(({ urgency }) => urgency === 'called')
      this.#line.splice(Math.max(called, 0), 1)[0]?.enter()
    }
  }
}
