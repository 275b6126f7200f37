import { ClientError } from '../../../src/client.ts'
import type { FeedEvent, Snapshot } from '../../../src/client.ts'
import type { FeedPosition } from './feed-order.ts'
import { createFeedOrder } from './feed-order.ts'

/** Whether the page knows what happens now. `ended`: the process does not answer; `refused`: the token is of another one. */
export type Connection =
  | { readonly state: 'connecting' | 'live' | 'refused' }
  | { readonly state: 'lost' | 'ended'; readonly since: number }

/** What tabs of this origin tell one another. */
export type TabMessage =
  | { readonly kind: 'hello' }
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'events'; readonly epoch: string; readonly events: readonly FeedEvent[] }

export interface LiveWorld {
  /** Yields events after a position; `onAlive` is called when the stream opens and whenever bytes arrive. */
  readonly follow: (
    after: FeedPosition | undefined,
    options: { readonly signal: AbortSignal; readonly onAlive: () => void },
  ) => AsyncIterable<FeedEvent>
  readonly readSnapshot: (signal: AbortSignal) => Promise<Snapshot>
  readonly isRefused: (error: unknown) => boolean
  /** The Web Locks of the browser: of all tabs one at a time runs `lead`. */
  readonly lock: (
    options: { readonly ifAvailable: true } | { readonly signal: AbortSignal },
    lead: (lock: unknown) => Promise<void>,
  ) => Promise<void>
  readonly channel: {
    readonly post: (message: TabMessage) => void
    readonly listen: (onMessage: (message: TabMessage) => void) => void
  }
  readonly onEvents: (events: readonly FeedEvent[]) => void
  readonly onConnection: (connection: Connection) => void
  /** Waits before another try; ends early when the browser is online again or the tab is shown. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly now: () => number
}

/** The server writes a comment every 15 seconds. */
const maxSilenceMs = 40_000
const retryDelaysMs = [250, 500, 1_000, 2_000, 4_000]

/**
 * Keeps this tab up to date until the signal aborts or the token is refused. HTTP/1.1 allows six connections to a host, so
 * only one tab reads the stream and passes the events on to the others; they take a snapshot of their own, and one of them
 * goes on at the same event when the leading tab closes.
 */
export async function stayLive(world: LiveWorld, signal: AbortSignal): Promise<void> {
  let connection: Connection = { state: 'connecting' }
  let isLeading = false
  const refused = new AbortController()
  const ended = AbortSignal.any([signal, refused.signal])
  const order = createFeedOrder({
    onEvents: (events) => {
      world.onEvents(events)
      if (isLeading && order.position)
        world.channel.post({ kind: 'events', epoch: order.position.epoch, events })
    },
    onGap: () => void catchUp(),
  })

  world.channel.listen((message) => {
    if (ended.aborted) return
    if (message.kind === 'hello' && isLeading) world.channel.post({ kind: 'connection', connection })
    else if (message.kind === 'connection' && !isLeading) follow(message.connection)
    else if (message.kind === 'events' && !isLeading) order.take(message.events, message.epoch)
  })

  // Asked for before it is known which tab leads: nothing can be used before it is drawn.
  let first: Promise<Snapshot> | undefined = world.readSnapshot(ended)
  first.catch(() => undefined)
  await world.lock({ ifAvailable: true }, (lock) => (lock ? lead() : Promise.resolve()))
  while (!ended.aborted) {
    world.channel.post({ kind: 'hello' })
    await catchUp()
    await world.lock({ signal: ended }, lead).catch(() => undefined)
  }

  /** Shows what the leading tab says. Its token may be older than that of this tab. */
  function follow(theirs: Connection): void {
    if (theirs.state !== 'refused') show(theirs)
  }

  function show(next: Connection): void {
    const isSame = next.state === connection.state
    connection = isSame && 'since' in next && 'since' in connection ? connection : next
    if (!isSame) world.onConnection(connection)
    if (isLeading) world.channel.post({ kind: 'connection', connection })
  }

  /** Takes a snapshot, again and again until there is one. */
  async function catchUp(): Promise<void> {
    for (let failures = 0; !ended.aborted; failures++) {
      try {
        return await takeSnapshot()
      } catch (error) {
        fail(error)
      }
      await world.wait(delayOf(failures), ended)
    }
  }

  async function takeSnapshot(): Promise<void> {
    const asked = first ?? world.readSnapshot(ended)
    first = undefined
    order.restart(await asked)
    if (connection.state === 'connecting') show({ state: 'live' })
  }

  async function lead(): Promise<void> {
    isLeading = true
    for (let failures = 0; !ended.aborted; failures++) {
      try {
        if (first) await takeSnapshot()
        await readStream(() => (failures = 0))
        fail(undefined)
      } catch (error) {
        fail(error)
      }
      await world.wait(delayOf(failures), ended)
    }
    isLeading = false
  }

  async function readStream(onOpen: () => void): Promise<void> {
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const onAlive = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), maxSilenceMs)
      onOpen()
      show({ state: 'live' })
    }
    try {
      const options = { signal: AbortSignal.any([ended, silence.signal]), onAlive }
      for await (const event of world.follow(order.position, options)) order.take([event])
    } finally {
      clearTimeout(timer)
    }
  }

  /** A refused token ends everything; a stream that was cut is `lost`, a process that cannot be reached has `ended`. */
  function fail(error: unknown): void {
    if (signal.aborted) return
    if (world.isRefused(error)) {
      show({ state: 'refused' })
      refused.abort()
    } else if (connection.state !== 'ended') {
      const isUnreachable = error instanceof ClientError && error.status === 0
      const state = isUnreachable && connection.state !== 'live' ? 'ended' : 'lost'
      show({ state, since: 'since' in connection ? connection.since : world.now() })
    }
  }
}

function delayOf(failures: number): number {
  return retryDelaysMs[Math.min(failures, retryDelaysMs.length - 1)]!
}
