import type { UntimedEvent, HostEvent } from '../model/event.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Redactor } from '../model/secrets/redactor.ts'

/** For parts of the host alone: a server announced a change of a list. `list.changed` follows, at most once a second. */
export interface ListOutdated {
  readonly type: 'list.outdated'
  readonly server: string
  readonly list: string
}

type Watcher = (event: UntimedEvent | ListOutdated) => void
type Listener = (event: HostEvent) => void

/** The events of a host, in order, with secrets masked, for all listeners (D-13). */
export class Events {
  readonly #listeners = new Set<Listener>()
  /** Those that get the events of single calls too. */
  readonly #callListeners = new Set<Listener>()
  readonly #watchers: Watcher[] = []
  readonly #redactor: Redactor
  readonly #now: () => number
  /** Events that were emitted while another one was being dispatched. */
  readonly #queue: HostEvent[] = []
  #isDispatching = false

  constructor(redactor: Redactor, now: () => number) {
    this.#redactor = redactor
    this.#now = now
  }

  /** For parts of the host itself: they get events at once, without time and not masked. */
  watch(watcher: Watcher): void {
    this.#watchers.push(watcher)
  }

  on(listener: Listener, { calls = true }: { readonly calls?: boolean } = {}): Disposable {
    this.#listeners.add(listener)
    if (calls) this.#callListeners.add(listener)
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener)
        this.#callListeners.delete(listener)
      },
    }
  }

  /** Without a listener for them, events of calls need not be created. */
  get hasCallListeners(): boolean {
    return this.#callListeners.size > 0
  }

  /** For events above the rate limit: parts of the host itself get them, listeners do not. */
  notifyWatchers(event: UntimedEvent | ListOutdated): void {
    for (const watcher of this.#watchers) watcher(event)
  }

  emit(event: UntimedEvent): void {
    this.notifyWatchers(event)
    const listeners = event.type.startsWith('call.') ? this.#callListeners : this.#listeners
    if (listeners.size === 0) return
    const masked = this.#mask({ at: this.#now(), ...event } as unknown as Json) as unknown as HostEvent // events are plain JSON
    this.#queue.push(masked)
    if (this.#isDispatching) return
    this.#isDispatching = true
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#dispatch(next)
    this.#isDispatching = false
  }

  #dispatch(event: HostEvent): void {
    for (const listener of event.type.startsWith('call.') ? this.#callListeners : this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        // Rethrow in a microtask: a listener's exception must not affect the host or the other listeners.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  #mask(value: Json): Json {
    if (typeof value === 'string') return this.#redactor.redact(value)
    if (Array.isArray(value)) return value.map((item: Json) => this.#mask(item))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.#redactor.redact(key), this.#mask(item)]),
    )
  }
}
