/** A question that a client was asked about its call, and the row of that call if it never answers. */
interface AskedCall {
  /** Its server, by which the trail finds rows. */
  readonly server: string
  readonly askedAt: number
  /** Until when another round of the call may come. */
  readonly until: number
  readonly record: () => void
}

/** Which of these questions other processes have a row of an answered call for. */
export type FindAnswered = (
  questions: readonly { readonly id: string; readonly server: string; readonly askedAt: number }[],
) => Promise<ReadonlySet<string>>

/** Beyond this number the oldest row is written at once. Arguments that are shown to a person are small, so this is memory enough. */
const maxHeld = 2000
/** How often expired questions are looked for. */
const sweepMs = 30_000
/** The row of a call that another process approved is in the trail when that call has ended. */
const elsewhereMs = 15 * 60_000

/**
 * Rows of calls whose clients were asked for an approval. A call has one row: that of the round that brings the answer. A
 * question that is never answered has a row of its own, once no answer can come any more.
 */
export class AskedCalls {
  readonly #asked = new Map<string, AskedCall>()
  readonly #now: () => number
  readonly #findAnswered: FindAnswered | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param findAnswered Of gateways that share their secret: any of them may get the answer. */
  constructor(now: () => number, findAnswered?: FindAnswered) {
    this.#now = now
    this.#findAnswered = findAnswered
  }

  hold(id: string, call: Omit<AskedCall, 'askedAt'>): void {
    const [oldest] = this.#asked
    if (oldest && this.#asked.size >= maxHeld) {
      this.#asked.delete(oldest[0])
      oldest[1].record()
    }
    void this.sweep()
    // The first question counts: a call may be asked about again, if its tool has changed.
    const { askedAt = this.#now() } = this.#asked.get(id) ?? {}
    this.#asked.set(id, { ...call, askedAt })
    this.#timer ??= setInterval(() => void this.sweep(), sweepMs).unref()
  }

  /** Its answer has come: the call has its own row. */
  answered(id: string): void {
    this.#asked.delete(id)
    if (this.#asked.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Writes the rows of questions that can no longer be answered. */
  async sweep(): Promise<void> {
    const lastAnswer = this.#now() - (this.#findAnswered ? elsewhereMs : 0)
    await this.#giveUp([...this.#asked].filter(([, { until }]) => until <= lastAnswer))
  }

  /** Writes all rows: an answer that comes later reaches another process. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#giveUp([...this.#asked])
  }

  async #giveUp(calls: readonly (readonly [id: string, AskedCall])[]): Promise<void> {
    if (calls.length === 0) return
    for (const [id] of calls) this.answered(id)
    const questions = calls.map(([id, { server, askedAt }]) => ({ id, server, askedAt }))
    // A trail that cannot be read does not hide that a client was asked.
    const known = await this.#findAnswered?.(questions).catch(() => undefined)
    for (const [id, { record }] of calls) if (!known?.has(id)) record()
  }
}
