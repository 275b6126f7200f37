import type { Clock } from '../../platform/platform.ts'

export interface BodyOptions {
  readonly clock: Clock
  readonly maxBytes: number
  readonly idleTimeoutMs: number
  /** Called when no byte arrives for `idleTimeoutMs`. */
  readonly onStall: () => void
}

/** Collects the body of an answer up to a size limit, and detects a stall. */
export class AnswerBody {
  readonly #options: BodyOptions
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #lastByteAt: number
  #timer: Disposable | undefined

  constructor(options: BodyOptions) {
    this.#options = options
    this.#lastByteAt = options.clock.monotonic()
    this.#startTimer(options.idleTimeoutMs)
  }

  /** Returns false when the limit is exceeded. */
  push(chunk: Uint8Array): boolean {
    this.#lastByteAt = this.#options.clock.monotonic()
    this.#size += chunk.length
    if (this.#size > this.#options.maxBytes) return false
    this.#chunks.push(chunk)
    return true
  }

  /** The bytes so far. */
  bytes(): Uint8Array {
    const [only, ...more] = this.#chunks
    return only && more.length === 0 ? only : Buffer.concat(this.#chunks)
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]()
  }

  /** A single timer that compares with the last byte's time, instead of a new timer per chunk. */
  #startTimer(ms: number): void {
    const { clock, idleTimeoutMs, onStall } = this.#options
    this.#timer = clock.timer(
      ms,
      () => {
        const left = this.#lastByteAt + idleTimeoutMs - clock.monotonic()
        if (left > 0) this.#startTimer(left)
        else onStall()
      },
      { background: true },
    )
  }
}
