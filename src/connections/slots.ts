import type { Clock } from '../platform/platform.ts'

/** A slot is released after this long in any case: a hanging server delays no other. */
const maxHoldMs = 1000

/** `listed`: a caller waits for what the server offers, but for no particular server. */
export type Urgency = 'called' | 'listed' | 'background'

interface SlotRequest {
  /** A function: a call may come for a server that waits in line already. */
  readonly urgency: () => Urgency
  readonly enter: () => void
}

/** Limits how many programs start at the same time; a server with a waiting call goes first. */
export class Slots {
  readonly #clock: Clock
  #free: number
  readonly #queue: SlotRequest[] = []
  #isAdmitting = false

  constructor(clock: Clock, slots = 8) {
    this.#clock = clock
    this.#free = slots
  }

  /** Waits for a slot and returns a function that releases it. Releasing twice has no further effect. */
  async enter(urgency: () => Urgency, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0 && this.#queue.length === 0) this.#free--
    else await this.#wait(urgency, signal)
    return this.#hold()
  }

  #wait(urgency: () => Urgency, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const request: SlotRequest = {
        urgency,
        enter() {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(request), 1)
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#queue.push(request)
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
    const timer = this.#clock.timer(maxHoldMs, leave, { background: true })
    return leave
  }

  /**
   * Slots released in one turn are filled together. Each start of a program makes writing to our own memory more
   * expensive: several starts in a row cost less than the same with other work in between.
   */
  #admitSoon(): void {
    if (this.#isAdmitting || this.#queue.length === 0) return
    this.#isAdmitting = true
    process.nextTick(() => this.#admit())
  }

  /** The position of the first request with the highest urgency. */
  #next(): number {
    const urgencies = this.#queue.map(({ urgency }) => urgency())
    const called = urgencies.indexOf('called')
    return called >= 0 ? called : Math.max(0, urgencies.indexOf('listed'))
  }

  #admit(): void {
    this.#isAdmitting = false
    while (this.#free > 0 && this.#queue.length > 0) {
      this.#free--
      this.#queue.splice(this.#next(), 1)[0]?.enter()
    }
  }
}
