import type { UntimedEvent, HostEvent } from '../model/event.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Redactor } from '../model/secret.ts'

type Listener = (event: HostEvent) => void

/** Everything that happens in a host, in order, to everybody who listens, without secrets (D-13). */
export class Events {
  readonly #listeners = new Set<Listener>()
  readonly #watchers: ((happened: UntimedEvent) => void)[] = []
  readonly #redactor: Redactor
  readonly #now: () => number
  /** What happened while something else was being told. */
  readonly #waiting: HostEvent[] = []
  #isTelling = false

  constructor(redactor: Redactor, now: () => number) {
    this.#redactor = redactor
    this.#now = now
  }

  /** For parts of the host itself: as it happened, before it is made fit to be told. */
  watch(watcher: (happened: UntimedEvent) => void): void {
    this.#watchers.push(watcher)
  }

  on(listener: Listener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** What nobody hears need not be put into words. */
  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  /** What is too much for those who listen from outside; parts of the host itself miss nothing. */
  tellWatchers(happened: UntimedEvent): void {
    for (const watcher of this.#watchers) watcher(happened)
  }

  emit(happened: UntimedEvent): void {
    this.tellWatchers(happened)
    if (this.#listeners.size === 0) return
    const event = this.#clean({ at: this.#now(), ...happened } as unknown as Json) as unknown as HostEvent // events are plain JSON
    this.#waiting.push(event)
    if (this.#isTelling) return
    this.#isTelling = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#tell(next)
    this.#isTelling = false
  }

  #tell(event: HostEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        // A listener that throws is its owner's bug; neither the host nor the next listener pays for it.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  #clean(value: Json): Json {
    if (typeof value === 'string') return this.#redactor.redact(value)
    if (Array.isArray(value)) return value.map((item: Json) => this.#clean(item))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.#redactor.redact(key), this.#clean(item)]),
    )
  }
}
