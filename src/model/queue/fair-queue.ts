/** Waiting items of one caller, in order of arrival. Lanes form a ring. */
interface Lane<T> {
  readonly key: unknown
  readonly held: { size: number; bytes: number }
  first: QueuedItem<T> | undefined
  last: QueuedItem<T> | undefined
  previous: Lane<T>
  next: Lane<T>
}

/** An item in the queue, by which it can be removed. */
export interface QueuedItem<T> {
  readonly item: T
  readonly bytes: number
  readonly lane: Lane<T>
  before: QueuedItem<T> | undefined
  after: QueuedItem<T> | undefined
}

/**
 * A queue that takes one item of each lane in turn, so that a caller with thousands of items does not delay the others;
 * within a lane the order is that of arrival. All operations take constant time: linked lists, because a `Set` that is
 * emptied from the front skips its removed entries again and again.
 */
export class FairQueue<T> {
  readonly #lanes = new Map<unknown, Lane<T>>()
  /** The lane whose turn it is. */
  #turn: Lane<T> | undefined
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  /** The sum of the bytes of all items. */
  get bytes(): number {
    return this.#bytes
  }

  add(item: T, laneKey: unknown, bytes: number): QueuedItem<T> {
    const lane = this.#lanes.get(laneKey) ?? this.#addLane(laneKey)
    const queued: QueuedItem<T> = { item, bytes, lane, before: lane.last, after: undefined }
    if (lane.last) lane.last.after = queued
    else lane.first = queued
    lane.last = queued
    this.#count(lane, 1, bytes)
    return queued
  }

  /** The next item, which stays in the queue. */
  peek(): T | undefined {
    return this.#turn?.first?.item
  }

  /** The next item, which leaves the queue. */
  take(): T | undefined {
    const lane = this.#turn
    const queued = lane?.first
    if (!lane || !queued) return undefined
    this.#turn = lane.next
    this.remove(queued)
    return queued.item
  }

  /** The item must be in the queue. */
  remove(queued: QueuedItem<T>): void {
    const { lane, before, after } = queued
    if (before) before.after = after
    else lane.first = after
    if (after) after.before = before
    else lane.last = before
    this.#count(lane, -1, -queued.bytes)
    if (!lane.first) this.#removeLane(lane)
  }

  /**
   * The newest item of the lane that holds the most, for one more of this lane where there is no room; `undefined` if this lane
   * would hold as much itself.
   */
  newestOfLargest(of: 'size' | 'bytes', laneKey: unknown, added: number): T | undefined {
    let largest: Lane<T> | undefined
    for (const lane of this.#lanes.values()) if (!largest || lane.held[of] > largest.held[of]) largest = lane
    const own = (this.#lanes.get(laneKey)?.held[of] ?? 0) + added
    return largest && largest.held[of] > own ? largest.last?.item : undefined
  }

  /** All items, lane by lane. */
  values(): readonly T[] {
    const items: T[] = []
    for (const { first } of this.#lanes.values())
      for (let queued = first; queued; queued = queued.after) items.push(queued.item)
    return items
  }

  #count({ held }: Lane<T>, items: number, bytes: number): void {
    held.size += items
    held.bytes += bytes
    this.#size += items
    this.#bytes += bytes
  }

  /** A new lane gets its turn after all others. */
  #addLane(key: unknown): Lane<T> {
    const turn = this.#turn
    const held = { size: 0, bytes: 0 }
    const lane = { key, held, first: undefined, last: undefined } as unknown as Lane<T> // linked below
    lane.next = turn ?? lane
    lane.previous = turn?.previous ?? lane
    lane.previous.next = lane
    lane.next.previous = lane
    this.#turn ??= lane
    this.#lanes.set(key, lane)
    return lane
  }

  #removeLane(lane: Lane<T>): void {
    lane.previous.next = lane.next
    lane.next.previous = lane.previous
    if (this.#turn === lane) this.#turn = lane.next === lane ? undefined : lane.next
    this.#lanes.delete(lane.key)
  }
}
