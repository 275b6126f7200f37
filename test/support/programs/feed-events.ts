import type { Client } from '../../../src/client.ts'
import type { FeedEvent } from '../../../src/surfaces/api/feed.ts'

export type EventOf<T extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: T }>

/** The events of a `serve`, followed from a snapshot on. */
export interface FeedEvents extends Disposable {
  readonly all: readonly FeedEvent[]
  /** The first event of the type that fits, now or later. */
  until<T extends FeedEvent['type']>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>
  of<T extends FeedEvent['type']>(type: T): readonly EventOf<T>[]
}

/** Resolves when the snapshot has arrived: every change after that is an event. */
export async function followFeed(client: Client): Promise<FeedEvents> {
  const ending = new AbortController()
  const all: FeedEvent[] = []
  let wake: (() => void)[] = []
  const read = async () => {
    for await (const event of client.follow({ signal: ending.signal })) {
      all.push(event)
      for (const each of wake.splice(0)) each()
    }
  }
  const reading = read().catch(() => undefined)
  const isOf =
    <T extends FeedEvent['type']>(type: T) =>
    (event: FeedEvent): event is EventOf<T> =>
      event.type === type
  const feed: FeedEvents = {
    all,
    of: (type) => all.filter(isOf(type)),
    async until(type, fits = () => true) {
      for (;;) {
        const found = all.filter(isOf(type)).find(fits)
        if (found) return found
        await new Promise<void>((resolve) => (wake = [...wake, resolve]))
      }
    },
    [Symbol.dispose]() {
      ending.abort()
      void reading
    },
  }
  await feed.until('snapshot')
  return feed
}
