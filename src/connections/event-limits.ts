import type { Clock } from '../platform/platform.ts'
import type { DroppedMessage } from '../wire/channel.ts'

/** From so many in a minute on, a person should know (FI-05, FI-13). */
const tooMany: Readonly<Partial<Record<DroppedMessage, number>>> = {
  noise: 1000,
  unmatched: 10,
  malformed: 10,
  untaken: 10,
}
const windowMs = 60_000
/** So many lines of noise are shown; the rest is counted. */
const shownLines = 3

const words: Readonly<Record<DroppedMessage, string>> = {
  noise: 'lines on its stdout that are no messages',
  malformed: 'messages that cannot be read',
  oversize: 'answers that are too large',
  late: 'answers that came too late',
  duplicate: 'answers that came twice',
  unmatched: 'answers that nobody asked for',
  untaken: 'requests without taking our answers to them',
}

/** What a server sends that nobody can use: the first of it is shown, much of it is said once a minute. */
export class Complaints {
  readonly #clock: Clock
  readonly #say: (line: string) => void
  readonly #warn: (message: string) => void
  #shown = 0
  #windowEnd = -Infinity
  #counts = new Map<DroppedMessage, number>()

  constructor(
    clock: Clock,
    on: { readonly say: (line: string) => void; readonly warn: (message: string) => void },
  ) {
    this.#clock = clock
    this.#say = on.say
    this.#warn = on.warn
  }

  dropped(what: DroppedMessage, sample: string | undefined): void {
    if (what === 'noise' && sample !== undefined && this.#shown < shownLines) {
      this.#shown++
      this.#say(sample)
    }
    const limit = tooMany[what]
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
    this.#warn(`It sent ${limit} ${words[what]} within a minute.${last}`)
  }
}

const notifications = { windowMs: 1000, perWindow: 100 } as const

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
      this.#windowEnd = now + notifications.windowMs
      this.#passed = 0
      this.#keptBack = 0
      if (count > 0) this.#onKeptBack(count)
    }
    if (this.#passed < notifications.perWindow) {
      this.#passed++
      return true
    }
    this.#keptBack++
    return false
  }
}
