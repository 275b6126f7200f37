import type { Clock } from '../platform/platform.ts'
import type { ResourceUpdate } from '../calls/view/view.ts'

/** However often a server says so, a change is passed on once in this time. */
const quietMs = 1000

type Listener = (update: ResourceUpdate) => void

/** One resource that somebody follows, and everybody who does. */
export class ResourceTopic {
  readonly uri: string
  /** Settles when the server has agreed, or will not. */
  agreed: Promise<void> | undefined
  isAgreed = false
  readonly #clock: Clock
  readonly #listeners = new Set<{ readonly hear: Listener }>()
  #quiet: Disposable | undefined
  #last: ResourceUpdate | undefined

  constructor(uri: string, clock: Clock) {
    this.uri = uri
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  /** Comes back with what ends it. */
  add(hear: Listener): () => void {
    const each = { hear }
    this.#listeners.add(each)
    return () => void this.#listeners.delete(each)
  }

  /** The first at once, those right after it together: the last of many is the one that counts. */
  tell(update: ResourceUpdate): void {
    if (this.#quiet) {
      this.#last = update
      return
    }
    this.#quiet = this.#clock.timer(quietMs, () => this.#onQuietEnd(), { background: true })
    for (const { hear } of this.#listeners) {
      try {
        hear(update)
      } catch (error) {
        // A listener that throws is its owner's bug; the next one does not pay for it.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  close(): void {
    this.#quiet?.[Symbol.dispose]()
    this.#listeners.clear()
  }

  #onQuietEnd(): void {
    const last = this.#last
    this.#quiet = undefined
    this.#last = undefined
    if (last) this.tell(last)
  }
}
