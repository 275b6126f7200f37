import { onAbort } from '../model/abort.ts'
import { FairQueue } from '../model/queue/fair-queue.ts'
import type { QueuedItem } from '../model/queue/fair-queue.ts'

/** `alone`: no other call runs meanwhile. `together`: runs beside other calls that may. */
export type LineKind = 'alone' | 'together'

interface WaitingCall {
  readonly kind: LineKind
  readonly enter: () => void
}

export interface LineOptions {
  readonly kind: LineKind
  /** Calls in line take turns by lane, each lane in its own order. */
  readonly lane?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Calls that wait for each other, because their tools may not run in parallel (C25, D19). */
export class CallLine {
  readonly #waiting = new FairQueue<WaitingCall>()
  #running = 0
  #isAlone = false

  /** The number of calls in line. */
  get size(): number {
    return this.#waiting.size
  }

  get isEmpty(): boolean {
    return this.#running === 0 && this.#waiting.size === 0
  }

  /** Runs the work when it is its turn. Rejects with the signal's reason if that aborts before. */
  async run<T>({ kind, lane, signal }: LineOptions, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted()
    if (this.#waiting.size > 0 || !this.#admits(kind)) await this.#wait(kind, lane, signal)
    else this.#begin(kind)
    try {
      return await work()
    } finally {
      this.#running--
      if (this.#running === 0) this.#isAlone = false
      this.#admitNext()
    }
  }

  #wait(kind: LineKind, lane: unknown, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const call: WaitingCall = {
        kind,
        enter: () => {
          listener[Symbol.dispose]()
          resolve()
        },
      }
      const queued: QueuedItem<WaitingCall> = this.#waiting.add(call, lane, 0)
      const listener = onAbort(signal, () => {
        this.#waiting.remove(queued)
        reject(signal?.reason)
        // It may have been the one that kept others waiting.
        this.#admitNext()
      })
    })
  }

  #admits(kind: LineKind): boolean {
    return this.#running === 0 || (kind === 'together' && !this.#isAlone)
  }

  #begin(kind: LineKind): void {
    this.#running++
    this.#isAlone = kind === 'alone'
  }

  #admitNext(): void {
    for (let next = this.#waiting.peek(); next && this.#admits(next.kind); next = this.#waiting.peek()) {
      this.#waiting.take()
      this.#begin(next.kind)
      next.enter()
    }
  }
}
