import { openOwnKeys } from '../../../store.ts'
import type { GatewayKey, OwnKeys } from '../../../store.ts'
import { judgeKey, keyIdOf } from '../../../internal.ts'
import type { KeyVerdict } from '../../../internal.ts'

export interface KeyRingOptions {
  readonly open?: () => Promise<OwnKeys>
  readonly now?: () => number
  /** How often the keys are read again: a removed key is valid for at most twice as long. */
  readonly everyMs?: number
  /** How long a request waits for keys that are read at most. */
  readonly waitMs?: number
  /** Says why the keys cannot be read; those that are known stay valid. */
  readonly warn: (message: string) => void
}

/** A key that is not known may be new: its request waits until the keys are read again, which is not sooner than this. */
const pauseMs = 250

/** A key that is not known while the keys cannot be read: it may be a good one. */
export type RingVerdict = KeyVerdict | { readonly kind: 'unread' }

/**
 * The keys of the gateway in this process. They are read behind the requests, so that no request waits for the store, and go
 * on being valid while it is away. Nothing is opened before `start` or the first request that has a key.
 */
export class KeyRing {
  readonly #options: Required<KeyRingOptions>
  #keys: Promise<OwnKeys> | undefined
  #byId: ReadonlyMap<string, GatewayKey> = new Map()
  #reading: Promise<void> | undefined
  #soon: Promise<void> | undefined
  #readAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #isWarned = false
  /** Whether the last read failed, or there was none. */
  #isUnread = true
  #isClosed = false
  /** Whether requests can be judged, if the keys are read from the start. */
  isReady = true
  /** Called after the keys were read again. */
  onRead: () => void = () => undefined

  constructor(options: KeyRingOptions) {
    this.#options = { open: () => openOwnKeys(), now: Date.now, everyMs: 5000, waitMs: 5000, ...options }
  }

  /** Reads the keys before the first request needs them. */
  start(): void {
    this.isReady = false
    void this.#read()
  }

  /** Judges what a request brings. A promise only if the keys have to be read first: a key that is not known may be new. */
  judge(text: string): RingVerdict | Promise<RingVerdict> {
    const verdict = judgeKey(this.#byId, text, this.#options.now())
    // A rotated key keeps its id.
    if (verdict.kind !== 'unknown' || keyIdOf(text) === undefined) return verdict
    return this.#judgeAgain(text)
  }

  async #judgeAgain(text: string): Promise<RingVerdict> {
    const isLate = await isLater(this.#readSoon(), this.#options.waitMs)
    const verdict = judgeKey(this.#byId, text, this.#options.now())
    return verdict.kind === 'unknown' && (isLate || this.#isUnread) ? { kind: 'unread' } : verdict
  }

  /** Whether the key with this id would be accepted now. */
  isValid(id: string): boolean {
    const key = this.#byId.get(id)
    return !!key && (key.expiresAt === undefined || this.#options.now() < Date.parse(key.expiresAt))
  }

  /** Another program changed the keys. Those that were never needed here are not read. */
  readAgain(): void {
    if (this.#keys) void this.#read()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#reading
    await (await this.#keys?.catch(() => undefined))?.close()
  }

  /** One read for all that wait: unknown keys cannot make the store busy. */
  #readSoon(): Promise<void> {
    const waitMs = this.#readAt + pauseMs - performance.now()
    if (waitMs <= 0) return this.#read()
    return (this.#soon ??= new Promise<void>((resolve) => setTimeout(resolve, waitMs))
      .then(() => this.#read())
      .finally(() => (this.#soon = undefined)))
  }

  #read(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#startTimer()
    return (this.#reading ??= this.#readNow().finally(() => (this.#reading = undefined)))
  }

  async #readNow(): Promise<void> {
    try {
      const keys = await (this.#keys ??= this.#options.open())
      this.#byId = new Map((await keys.list()).map((key) => [key.id, key]))
      this.#isWarned = false
      this.#isUnread = false
      this.isReady = true
      this.onRead()
    } catch (error) {
      this.#isUnread = true
      if (!this.#isWarned) this.#options.warn(`The keys were not read: ${messageOf(error)}`)
      this.#isWarned = true
    } finally {
      this.#readAt = performance.now()
    }
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => void this.#read(), this.#options.everyMs).unref()
  }
}

async function isLater(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(true), ms)))
  try {
    return await Promise.race([work.then(() => false), late])
  } finally {
    clearTimeout(timer)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
