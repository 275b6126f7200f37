import type { Clock, HttpClient, HttpHeaders } from '../../platform/platform.ts'

/**
 * Gives the headers of the declaration and the login. Called before every request, and once more after a 401 for
 * values newer than the refused ones.
 */
export type HeaderSource = (
  reason: 'request' | 'unauthorized',
  refused?: HttpHeaders,
  use?: HeaderUse,
) => HttpHeaders | Promise<HttpHeaders>

/** The request the headers are for, and after a 401 the headers of that answer. */
export interface HeaderUse {
  readonly method: string
  readonly url: URL
  readonly answer?: HttpHeaders
}

export interface HttpChannelOptions {
  /** Owned by the channel, which closes it. */
  readonly client: HttpClient
  readonly url: URL
  readonly headers: HeaderSource
  readonly clock: Clock
  readonly limits?: Partial<HttpLimits>
}

export interface HttpLimits {
  /** Size limit of one message, enforced while reading (D-10). */
  readonly maxBytes: number
  /** Time limit for the headers of an answer that needs no work. A request has its own deadline instead. */
  readonly headersTimeoutMs: number
  /** How long a body may stall. An event stream may stay silent until its request times out. */
  readonly idleTimeoutMs: number
}

/** The parts of a channel that every exchange needs. */
export interface Endpoint extends Omit<HttpChannelOptions, 'limits'> {
  readonly limits: HttpLimits
  /** Exchanges in progress. */
  readonly live: ActiveItems<{ abort(): void }>
}

const defaults: HttpLimits = {
  maxBytes: 16 * 1024 * 1024,
  headersTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
}

export function toEndpoint(options: HttpChannelOptions): Endpoint {
  return { ...options, limits: { ...defaults, ...options.limits }, live: new ActiveItems() }
}

/**
 * Items in progress on a channel: few at a time, many over its lifetime. Searching a short array costs as little as a
 * `Map` lookup, and keeps no finished item alive (see `RequestTable`).
 */
export class ActiveItems<Item> {
  readonly #items: Item[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: Item): void {
    this.#items.push(item)
  }

  find(matches: (item: Item) => boolean): Item | undefined {
    return this.#items.find(matches)
  }

  /** Moves the last item into the free place. */
  delete(item: Item): void {
    const index = this.#items.indexOf(item)
    if (index < 0) return
    const last = this.#items.pop()
    if (last !== undefined && index < this.#items.length) this.#items[index] = last
  }

  /** A copy, safe to iterate while items are added and removed. */
  all(): readonly Item[] {
    return [...this.#items]
  }
}
