import { maskFields } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import { AuditChain } from './audit-chain.ts'
import type { TimedEntry } from './audit-chain.ts'
import type { AuditCall, AuditCheckpoint, AuditEntry, AuditPlace, AuditRow } from './audit-row.ts'
import { isWritable } from './writable-value.ts'

/** Where the rows of calls go. A call never waits for it. */
export interface AuditTrail {
  record(call: AuditCall): void
  /** Resolves when everything recorded so far is written, or was given up. */
  flush(): Promise<void>
}

/** Keeps rows. */
export interface AuditSink {
  append(rows: readonly AuditRow[]): Promise<void>
  /** The newest row that is known, for the first row of a new writer. */
  newest(): Promise<AuditPlace | undefined>
}

interface TrailOptions {
  readonly sink: AuditSink
  readonly clock: Pick<Clock, 'now' | 'timer'>
  /** Takes secrets out of everything that is written. */
  readonly redact: Mask
  /** Called with the number of rows that wait when writing begins to fail, and again only after a write that did not. */
  readonly onFailure?: (rows: number, error: unknown) => void
}

/** The rows of this time are written together. */
const pauseMs = 50
/** More rows than a server lets wait in line end at once at most. */
const maxQueued = 20_000
/** Of arguments that are kept, and of the rest by estimate. What is beyond either is lost; a row of the kind `gap` says how many. */
const maxQueuedBytes = 64 * 1024 * 1024
const estimatedBytes = 1024
/** Written at once: a write of this size is one for the system, so it is not torn by those of other programs. */
const maxTogetherBytes = 256 * 1024

interface QueuedEntry extends TimedEntry {
  /** Called when its row is written, or could not be. */
  readonly onDone?: (() => void) | undefined
}

/** A writer of the trail. */
export class ChainedTrail implements AuditTrail {
  readonly #options: TrailOptions
  #chain: AuditChain | undefined
  #queue: QueuedEntry[] = []
  #queuedBytes = 0
  #lost = 0
  /** Whether a row was recorded after which the writer was not closed. */
  #isOpen = false
  /** Entries came while others were written, and are not to wait for a pause. */
  #isHurried = false
  #isFailing = false
  #timer: Disposable | undefined
  #writing: Promise<void> | undefined

  constructor(options: TrailOptions) {
    this.#options = options
  }

  /** Arguments that have no hash are left out: an entry that cannot be written would stay in the queue before all others. */
  record(call: AuditCall): void {
    this.#add(writable(call))
  }

  /** Records a call without a pause, and resolves when its row is written, or could not be. */
  recordNow(call: AuditCall): Promise<void> {
    return new Promise((resolve) => {
      this.#add(writable(call), resolve)
      if (this.#writing) this.#isHurried = true
      else this.#due()
    })
  }

  /** Records what a prune removed. */
  checkpoint(entry: AuditCheckpoint): Promise<void> {
    this.#add(entry)
    return this.close()
  }

  /** Writes what is left, and a row that says so. A later call opens the writer again. */
  async close(): Promise<void> {
    if (this.#isOpen) this.#add({ kind: 'end' })
    await this.flush()
  }

  async flush(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    await this.#writing
    await this.#start(Infinity)
  }

  #add(entry: AuditEntry, onDone?: () => void): void {
    this.#isOpen = entry.kind !== 'end'
    const bytes = bytesOf(entry)
    if (this.#queue.length >= maxQueued || this.#queuedBytes + bytes > maxQueuedBytes) {
      this.#lost++
      onDone?.()
      return
    }
    this.#queuedBytes += bytes
    const { clock } = this.#options
    this.#queue.push({ at: new Date(clock.now()).toISOString(), entry, onDone })
    this.#wait()
  }

  #wait(): void {
    this.#timer ??= this.#options.clock.timer(pauseMs, () => this.#due(), { background: true })
  }

  #due(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    void this.#start(this.#queue.length)
  }

  /** `finally` runs after the assignment, even if there was nothing to write: else no later write would start. */
  #start(count: number): Promise<void> {
    return (this.#writing ??= this.#write(count).finally(() => {
      this.#writing = undefined
      if (!this.#isHurried) return
      this.#isHurried = false
      this.#due()
    }))
  }

  /**
   * Writes the first entries of the queue; those that came meanwhile are written after the next pause, together. Entries that
   * cannot be written stay in the queue, in order, and are tried again with the next call.
   */
  async #write(count: number): Promise<void> {
    try {
      this.#chain ??= new AuditChain(newWriter(), await this.#options.sink.newest().catch(() => undefined))
      for (let left = count; this.#queue.length > 0 && left > 0;) {
        const batch = this.#nextBatch()
        await this.#append(this.#chain, batch)
        this.#queue.splice(0, batch.length)
        left -= batch.length
        for (const { entry, onDone } of batch) {
          this.#queuedBytes -= bytesOf(entry)
          onDone?.()
        }
      }
      this.#isFailing = false
      if (this.#queue.length > 0) this.#wait()
      if (this.#lost === 0) return
      const lost = this.#lost
      await this.#append(this.#chain, [
        { at: new Date(this.#options.clock.now()).toISOString(), entry: { kind: 'gap', lost } },
      ])
      this.#lost -= lost
    } catch (error) {
      // The folder cannot be written now. The queue is bounded, and what it cannot hold is counted.
      const rows = this.#queue.filter(({ entry }) => entry.kind !== 'end').length + this.#lost
      if (!this.#isFailing) this.#options.onFailure?.(rows, error)
      this.#isFailing = true
      // No answer waits until a folder can be written again.
      for (const { onDone } of this.#queue) onDone?.()
    }
  }

  #nextBatch(): readonly QueuedEntry[] {
    let bytes = 0
    const end = this.#queue.findIndex(({ entry }) => (bytes += bytesOf(entry)) > maxTogetherBytes)
    return this.#queue.slice(0, end < 0 ? undefined : Math.max(end, 1))
  }

  async #append(chain: AuditChain, entries: readonly TimedEntry[]): Promise<void> {
    const rows = chain.next(entries.map(({ at, entry }) => ({ at, entry: this.#masked(entry) })))
    await this.#options.sink.append(rows)
    chain.commit(rows)
  }

  #masked(entry: AuditEntry): AuditEntry {
    return maskFields(entry as unknown as JsonObject, this.#options.redact) as unknown as AuditEntry // texts stay texts
  }
}

function writable(call: AuditCall): AuditCall {
  const { args, ...rest } = call
  return args === undefined || isWritable(args) ? call : rest
}

function bytesOf(entry: AuditEntry): number {
  return estimatedBytes + (entry.kind === 'call' && entry.args !== undefined ? entry.argsBytes : 0)
}

function newWriter(): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  return randomBytes(8).toString('hex')
}
