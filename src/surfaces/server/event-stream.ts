import type { FeedEvent, Snapshot } from '../api/feed.ts'
import type { EventFeed } from './event-feed.ts'

const keepAliveMs = 15_000
/** How much is written at once; the rest follows when the reader has taken it. */
const chunkCharacters = 256 * 1024

export interface EventStreamOptions {
  readonly feed: EventFeed
  readonly snapshot: () => Promise<Snapshot>
  readonly toText: (event: FeedEvent) => string
  /** The last event that the reader has; of another `serve` it counts for nothing. */
  readonly after?: { readonly epoch: string; readonly seq: number }
}

/**
 * Server-sent events for one reader: what it missed, or a snapshot if that is no longer kept. Nothing is queued for it: events
 * are taken from the feed when it reads, and one that was away for too long gets a snapshot again.
 */
export function openEventStream({
  feed,
  snapshot,
  toText,
  after,
}: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let reader: Disposable | undefined
  let last = after?.epoch === feed.epoch ? after.seq : undefined
  const left = new AbortController()
  const leave = () => {
    left.abort()
    reader?.[Symbol.dispose]()
  }

  const next = async (): Promise<string | undefined> => {
    const missed = last === undefined ? undefined : feed.after(last)
    if (missed === undefined) {
      const taken = await snapshot()
      last = taken.seq
      return dataOf(toText({ seq: taken.seq, at: Date.now(), type: 'snapshot', snapshot: taken }))
    }
    if (missed.length > 0) {
      const batch = firstPart(missed)
      last = batch.at(-1)?.seq ?? last
      return batch.map(({ text }) => dataOf(text)).join('')
    }
    if (feed.isClosed) return undefined
    return (await feed.wait(last ?? 0, keepAliveMs)) ? '' : ': still here\n\n'
  }

  return new ReadableStream(
    {
      start(controller) {
        // Sends the headers, which otherwise wait for the first event.
        controller.enqueue(encoder.encode(': events\n\n'))
      },
      async pull(controller) {
        // Counted with the first read: the body of an answer to HEAD is never read.
        reader ??= feed.join()
        let text: string | undefined = ''
        while (text === '' && !left.signal.aborted) text = await next()
        if (left.signal.aborted) return
        if (text !== undefined) return controller.enqueue(encoder.encode(text))
        leave()
        controller.close()
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}

function firstPart<T extends { readonly text: string }>(events: readonly T[]): readonly T[] {
  let characters = 0
  const end = events.findIndex(({ text }) => (characters += text.length) > chunkCharacters)
  return end === -1 ? events : events.slice(0, Math.max(1, end))
}

function dataOf(text: string): string {
  return `data: ${text}\n\n`
}
