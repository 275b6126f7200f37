import type { FeedChange, FeedEvent } from '../api/feed.ts'
import type { Feed } from './serve-context.ts'

/** How much is kept for readers that come back or are slow: more is worth a snapshot. */
const keptEvents = 4096
const keptCharacters = 8_000_000

interface KeptEvent {
  readonly seq: number
  readonly text: string
}

/**
 * The events of one `serve` in one order. Readers share one list and know only the number of their last event, so a reader
 * that never reads costs nothing.
 */
export class EventFeed implements Feed {
  readonly epoch: string
  readonly #toText: (event: FeedEvent) => string
  #kept: KeptEvent[] = []
  #characters = 0
  #seq = 0
  #readers = 0
  /** Nothing is kept before: there is no reader that could come back. */
  #hasBeenRead = false
  #isClosed = false
  readonly #listeners = new Set<(hasReaders: boolean) => void>()
  readonly #onChange = new Set<(change: FeedChange) => void>()
  #wakers = new Set<() => void>()

  /** @param toText Serializes an event, without secrets. */
  constructor(epoch: string, toText: (event: FeedEvent) => string) {
    this.epoch = epoch
    this.#toText = toText
  }

  /** The number of the last event. */
  get seq(): number {
    return this.#seq
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get hasReaders(): boolean {
    return this.#readers > 0
  }

  get readers(): number {
    return this.#readers
  }

  publish(change: FeedChange): void {
    if (this.#isClosed) return
    for (const listener of this.#onChange) listener(change)
    const seq = ++this.#seq
    if (!this.#hasBeenRead) return
    const text = this.#toText({ seq, at: Date.now(), ...change })
    this.#kept.push({ seq, text })
    this.#characters += text.length
    this.#trim()
    this.#wake()
  }

  onChange(listener: (change: FeedChange) => void): Disposable {
    this.#onChange.add(listener)
    return { [Symbol.dispose]: () => void this.#onChange.delete(listener) }
  }

  onReaders(listener: (hasReaders: boolean) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** The reader counts until it is disposed. */
  join(): Disposable {
    this.#hasBeenRead = true
    if (++this.#readers === 1) this.#tellReaders()
    let isGone = false
    return {
      [Symbol.dispose]: () => {
        if (isGone) return
        isGone = true
        if (--this.#readers === 0) this.#tellReaders()
      },
    }
  }

  /** The texts of all events after this one; `undefined` if some of them are no longer kept. */
  after(seq: number): readonly KeptEvent[] | undefined {
    if (seq > this.#seq) return undefined
    const missing = this.#seq - seq
    return missing > this.#kept.length ? undefined : this.#kept.slice(this.#kept.length - missing)
  }

  /** Resolves with whether there is an event after this one, or the feed has ended; otherwise after `ms` with `false`. */
  wait(seq: number, ms: number): Promise<boolean> {
    if (this.#seq > seq || this.#isClosed) return Promise.resolve(true)
    return new Promise((resolve) => {
      const onEvent = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#wakers.delete(onEvent)
        resolve(false)
      }, ms)
      timer.unref()
      this.#wakers.add(onEvent)
    })
  }

  /** Ends the streams of all readers. */
  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  #wake(): void {
    const wakers = this.#wakers
    if (wakers.size === 0) return
    this.#wakers = new Set()
    for (const wake of wakers) wake()
  }

  #tellReaders(): void {
    for (const listener of this.#listeners) listener(this.hasReaders)
  }

  #trim(): void {
    const isFull = () => this.#kept.length - drop > keptEvents || this.#characters > keptCharacters
    let drop = 0
    while (drop < this.#kept.length && isFull()) this.#characters -= this.#kept[drop++]?.text.length ?? 0
    if (drop > 0) this.#kept.splice(0, drop)
  }
}
