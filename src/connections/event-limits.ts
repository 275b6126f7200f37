import type { Clock } from '../platform/platform.ts'
import type { DropReason } from '../wire/channel.ts'

/** Counts per minute that trigger a warning (FI-05, FI-13). */
const warnAt: Readonly<Partial<Record<DropReason, number>>> = {
  noise: 1000,
  unmatched: 10,
  malformed: 10,
  untaken: 10,
}
const windowMs = 60_000
/** How many lines of noise are shown; the rest are only counted. */
const shownLines = 3

const labels: Readonly<Record<DropReason, string>> = {
  noise: 'lines on stdout that are not messages',
  malformed: 'unreadable messages',
  oversize: 'answers that are too large',
  late: 'answers that came too late',
  duplicate: 'answers that came twice',
  unmatched: 'answers to requests that are not open',
  untaken: 'requests without accepting our answers',
}

/** Tracks discarded messages: shows the first lines of noise, and warns once a minute about too many. */
export class DropMonitor {
  readonly #clock: Clock
  readonly #showLine: (line: string) => void
  readonly #warn: (message: string) => void
  #shown = 0
  #windowEnd = -Infinity
  #counts = new Map<DropReason, number>()

  constructor(
    clock: Clock,
    on: { readonly showLine: (line: string) => void; readonly warn: (message: string) => void },
  ) {
    this.#clock = clock
    this.#showLine = on.showLine
    this.#warn = on.warn
  }

  dropped(what: DropReason, sample: string | undefined): void {
    if (what === 'noise' && sample !== undefined && this.#shown < shownLines) {
      this.#shown++
      this.#showLine(sample)
    }
    const limit = warnAt[what]
    if (limit === undefined) return
    const now = this.#clock.monotonic()
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + windowMs
      this.#counts = new Map()
    }
    const count = (this.#counts.get(what) ?? 0) + 1
    this.#counts.set(what, count)
    if (count !== limit) return
    const last = sample === undefined ? '' : ` The last one: ${sample}`
    this.#warn(`It sent ${limit} ${labels[what]} within a minute.${last}`)
  }
}

const notifications = { windowMs: 1000, perWindow: 100 } as const

/** Limits notifications per second, and reports once how many were dropped (FI-30). */
export class RateLimit {
  readonly #clock: Clock
  readonly #onDropped: (count: number) => void
  #windowEnd = -Infinity
  #passed = 0
  #dropped = 0

  constructor(clock: Clock, onDropped: (count: number) => void) {
    this.#clock = clock
    this.#onDropped = onDropped
  }

  admits(): boolean {
    const now = this.#clock.monotonic()
    if (now >= this.#windowEnd) {
      const count = this.#dropped
      this.#windowEnd = now + notifications.windowMs
      this.#passed = 0
      this.#dropped = 0
      if (count > 0) this.#onDropped(count)
    }
    if (this.#passed < notifications.perWindow) {
      this.#passed++
      return true
    }
    this.#dropped++
    return false
  }
}
