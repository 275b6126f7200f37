import type { Clock } from '../index.ts'
import type { AgentLimits } from './agent-options.ts'

type StreamLimit = 'idleMs' | 'streamMs' | 'output' | 'timeMs'

/** Stops an answer of a model that is silent for too long, takes too long or is endless. */
export class StreamLimits implements Disposable {
  readonly #clock: Clock
  readonly #limits: AgentLimits
  readonly #stopping = new AbortController()
  readonly signal: AbortSignal
  #lastAt: number
  #length = 0
  #exceeded: StreamLimit | undefined
  readonly #timers: readonly Disposable[]
  #silence: Disposable | undefined

  constructor(clock: Clock, limits: AgentLimits, outer: AbortSignal, leftMs: number) {
    this.#clock = clock
    this.#limits = limits
    this.signal = AbortSignal.any([outer, this.#stopping.signal])
    this.#lastAt = clock.monotonic()
    this.#watchSilence(limits.idleMs)
    this.#timers = [
      clock.timer(limits.streamMs, () => this.#stop('streamMs')),
      clock.timer(Math.max(leftMs, 1), () => this.#stop('timeMs')),
    ]
  }

  get exceeded(): StreamLimit | undefined {
    return this.#exceeded
  }

  /** Something arrived. */
  count(length: number): void {
    this.#lastAt = this.#clock.monotonic()
    this.#length += length
    if (this.#length > this.#limits.output) this.#stop('output')
  }

  /** One timer for the whole answer: a timer for each piece would cost more than the piece. */
  #watchSilence(ms: number): void {
    this.#silence = this.#clock.timer(ms, () => {
      const left = this.#lastAt + this.#limits.idleMs - this.#clock.monotonic()
      if (left > 0) this.#watchSilence(left)
      else this.#stop('idleMs')
    })
  }

  #stop(limit: StreamLimit): void {
    if (this.signal.aborted) return
    this.#exceeded = limit
    this.#stopping.abort()
  }

  [Symbol.dispose](): void {
    this.#silence?.[Symbol.dispose]()
    for (const timer of this.#timers) timer[Symbol.dispose]()
  }
}
