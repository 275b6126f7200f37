import type { Clock, HttpClient, HttpHeaders } from '../../platform/platform.ts'

/** Asked before every request, and after a 401 once more: for values newer than the refused ones. */
export type HeaderSource = (
  why: 'request' | 'unauthorized',
  refused?: HttpHeaders,
  about?: HeaderUse,
) => HttpHeaders | Promise<HttpHeaders>

/** What the headers are for, and the headers of the answer that refused the last ones. */
export interface HeaderUse {
  readonly method: string
  readonly url: URL
  readonly answer?: HttpHeaders
}

export interface HttpChannelOptions {
  /** Belongs to the channel from now on, which closes it. */
  readonly client: HttpClient
  readonly url: URL
  readonly headers: HeaderSource
  readonly clock: Clock
  readonly limits?: Partial<HttpLimits>
}

export interface HttpLimits {
  /** Of one message, enforced while it is read (D-10). */
  readonly maxBytes: number
  /** For the headers of an answer that takes no work. A request has a deadline of its own instead. */
  readonly headersTimeoutMs: number
  /** How long a body may stall. A stream of events may be silent for as long as its request has time. */
  readonly idleTimeoutMs: number
}

/** What every exchange of a channel needs. */
export interface Endpoint extends Omit<HttpChannelOptions, 'limits'> {
  readonly limits: HttpLimits
  /** The exchanges under way. */
  readonly live: UnderWay<{ abort(): void }>
}

const defaults: HttpLimits = {
  maxBytes: 16 * 1024 * 1024,
  headersTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
}

export function toEndpoint(options: HttpChannelOptions): Endpoint {
  return { ...options, limits: { ...defaults, ...options.limits }, live: new UnderWay() }
}

/**
 * What is under way on a channel: few at a time, many in the course of its life. Looking through a short list costs as
 * little as asking a `Map`, and keeps nothing alive that is over (see `RequestTable`).
 */
export class UnderWay<Item> {
  readonly #items: Item[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: Item): void {
    this.#items.push(item)
  }

  find(isIt: (item: Item) => boolean): Item | undefined {
    return this.#items.find(isIt)
  }

  /** The last one takes its place. */
  delete(item: Item): void {
    const place = this.#items.indexOf(item)
    if (place < 0) return
    const last = this.#items.pop()
    if (last !== undefined && place < this.#items.length) this.#items[place] = last
  }

  /** As they are now, whatever becomes of them meanwhile. */
  all(): readonly Item[] {
    return [...this.#items]
  }
}
