import type { Clock } from '../platform/platform.ts'
import type { ResourceUpdate } from '../calls/view/view.ts'

/** Minimum time between two updates for the listeners, however often the server reports changes. */
const quietMs = 1000

type Listener = (update: ResourceUpdate) => void

/** One subscribed resource and its listeners. */
export class ResourceTopic {
  readonly uri: string
  /** Settles when the server has accepted or refused the subscription. */
  accepted: Promise<void> | undefined
  isAccepted = false
  readonly #clock: Clock
  /** Wrapped, so that the same function can be added twice. */
  readonly #listeners = new Set<{ readonly listener: Listener }>()
  #quiet: Disposable | undefined
  #last: ResourceUpdate | undefined

  constructor(uri: string, clock: Clock) {
    this.uri = uri
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  /** Returns a function that removes the listener. */
  add(listener: Listener): () => void {
    const each = { listener }
    this.#listeners.add(each)
    return () => void this.#listeners.delete(each)
  }

  /** Passes an update on at once; of those that follow within `quietMs`, only the last one is passed on afterwards. */
  publish(update: ResourceUpdate): void {
    if (this.#quiet) {
      this.#last = update
      return
    }
    this.#quiet = this.#clock.timer(quietMs, () => this.#onQuietEnd(), { background: true })
    for (const { listener } of this.#listeners) {
      try {
        listener(update)
      } catch (error) {
        // Rethrow in a microtask: a listener's exception must not affect the other listeners.
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
    if (last) this.publish(last)
  }
}
