import type { Clock } from '../../platform/platform.ts'

export interface BodyOptions {
  readonly clock: Clock
  readonly maxBytes: number
  readonly idleTimeoutMs: number
  /** It stalled. */
  readonly onStall: () => void
}

/** Collects a body up to a cap, and notices when it stalls. */
export class Body {
  readonly #options: BodyOptions
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #heardAt: number
  #timer: Disposable | undefined

  constructor(options: BodyOptions) {
    this.#options = options
    this.#heardAt = options.clock.monotonic()
    this.#watch(options.idleTimeoutMs)
  }

  /** `false` when this is more than is read. */
  push(chunk: Uint8Array): boolean {
    this.#heardAt = this.#options.clock.monotonic()
    this.#size += chunk.length
    if (this.#size > this.#options.maxBytes) return false
    this.#chunks.push(chunk)
    return true
  }

  /** What came so far. */
  bytes(): Uint8Array {
    const [only, ...more] = this.#chunks
    return only && more.length === 0 ? only : Buffer.concat(this.#chunks)
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]()
  }

  /** One timer that looks when the last byte came, instead of a new one for each. */
  #watch(ms: number): void {
    const { clock, idleTimeoutMs, onStall } = this.#options
    this.#timer = clock.timer(
      ms,
      () => {
        const left = this.#heardAt + idleTimeoutMs - clock.monotonic()
        if (left > 0) this.#watch(left)
        else onStall()
      },
      { background: true },
    )
  }
}
