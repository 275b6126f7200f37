import { openOwnKeys } from '../../../store.ts'
import type { GatewayKey, OwnKeys } from '../../../store.ts'
import { judgeKey, keyIdOf } from '../../../internal.ts'
import type { KeyVerdict } from '../../../internal.ts'

export interface KeyRingOptions {
  readonly open?: () => Promise<OwnKeys>
  readonly now?: () => number
  /** How often the keys are read again: a removed key is valid for at most twice as long. */
  readonly everyMs?: number
  /** Says why the keys cannot be read; those that are known stay valid. */
  readonly warn: (message: string) => void
}

/** A key that is not known may be new: its request waits until the keys are read again, which is not sooner than this. */
const pauseMs = 250

/**
 * The keys of the gateway in this process. They are read behind the requests, so that no request waits for the store, and go
 * on being valid while it is away. Nothing is opened before the first request that has a key.
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
  #isClosed = false
  /** Called after the keys were read again. */
  onRead: () => void = () => undefined

  constructor(options: KeyRingOptions) {
    this.#options = { open: () => openOwnKeys(), now: Date.now, everyMs: 5000, ...options }
  }

  /** Judges what a request brings. A promise only if the keys have to be read first. */
  judge(text: string): KeyVerdict | Promise<KeyVerdict> {
    const id = keyIdOf(text)
    const verdict = judgeKey(this.#byId, text, this.#options.now())
    if (id === undefined || this.#byId.has(id)) return verdict
    return this.#readSoon().then(() => judgeKey(this.#byId, text, this.#options.now()))
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
      this.onRead()
    } catch (error) {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
