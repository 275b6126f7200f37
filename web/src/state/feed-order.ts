import type { FeedEvent, Snapshot } from '../../../src/client.ts'

export interface FeedPosition {
  readonly epoch: string
  readonly seq: number
}

export interface FeedOrderOptions {
  /** Events in their order, each once. */
  readonly onEvents: (events: readonly FeedEvent[]) => void
  /** Events are missing; a snapshot is needed. Called once until there is one. */
  readonly onGap: () => void
}

export interface FeedOrder {
  readonly position: FeedPosition | undefined
  /** Takes events of the epoch of the position, or of the one that another tab named. */
  take(events: readonly FeedEvent[], epoch?: string): void
  /** Goes on from a snapshot, with the events that arrived meanwhile. */
  restart(snapshot: Snapshot): void
}

interface HeldEvent {
  readonly event: FeedEvent
  readonly epoch: string | undefined
}

/** The snapshot contains what is older, so dropping the oldest loses nothing. */
const maxHeld = 5_000

/** Orders the events of a stream or of another tab: drops those that are known, notices that some are missing. */
export function createFeedOrder({ onEvents, onGap }: FeedOrderOptions): FeedOrder {
  let position: FeedPosition | undefined
  /** Events after a gap; undefined: there is none. */
  let held: HeldEvent[] | undefined

  function order(events: readonly HeldEvent[]): void {
    const passed = events.flatMap(({ event, epoch }) => (passes(event, epoch) ? [event] : []))
    if (passed.length > 0) onEvents(passed)
  }

  function passes(event: FeedEvent, epoch: string | undefined): boolean {
    if (event.type === 'snapshot') {
      position = { epoch: event.snapshot.epoch, seq: event.snapshot.seq }
      held = undefined
      return true
    }
    const isSameEpoch = position !== undefined && (epoch ?? position.epoch) === position.epoch
    if (!held && isSameEpoch && event.seq <= position!.seq) return false
    if (!held && isSameEpoch && event.seq === position!.seq + 1) {
      position = { epoch: position!.epoch, seq: event.seq }
      return true
    }
    const isFirst = held === undefined
    held = [...(held ?? []).slice(-maxHeld), { event, epoch }]
    if (isFirst) onGap()
    return false
  }

  return {
    get position() {
      return position
    },
    take(events, epoch) {
      order(events.map((event) => ({ event, epoch })))
    },
    restart(snapshot) {
      const later = held ?? []
      const event = { type: 'snapshot', snapshot, seq: snapshot.seq, at: Date.now() } as const
      order([{ event, epoch: snapshot.epoch }, ...later])
    },
  }
}
