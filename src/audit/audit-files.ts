import { join } from 'node:path'
import type { Clock, Files, Lock } from '../platform/platform.ts'
import { compareRows, keyOf, placeOf } from './audit-row.ts'
import type { AuditCheckpoint, AuditPlace, AuditRow } from './audit-row.ts'
import { goes, planPrune } from './checkpoint.ts'
import { isTornRow, readAuditRow, readPlace } from './read-row.ts'

interface AuditFilesOptions {
  /** Used only for the trail. */
  readonly directory: string
  readonly files: Files
  readonly lock: Lock
  readonly clock: Pick<Clock, 'now'>
}

export interface TrailReading {
  /** By writer and number, each once. */
  readonly rows: readonly AuditRow[]
  /** Lines that are no rows, and files that cannot be read. */
  readonly unreadable: number
  /** Those of them that are the beginning of a row: a write was cut off. */
  readonly torn: number
}

interface FileReading extends TrailReading {
  readonly path: string
  /** Lines that are no rows. */
  readonly others: readonly string[]
  /** False if the file could not be read at all. */
  readonly isWhole: boolean
}

/** A file is closed at this size; a program that opens a store takes closed files into it. */
const maxBytes = 8 * 1024 * 1024
/** One file is read whole: its size, and a last batch. */
const maxReadBytes = 4 * maxBytes
/** Enough for the last row: its arguments are limited to a quarter of it. */
const tailBytes = 256 * 1024
const closedForm = /^closed-[\w-]+\.jsonl$/

/**
 * The trail as files of JSON lines. Every writer appends to one open file, without a lock. It is closed by renaming it. A writer
 * that had just opened it then writes into the closed one, which may have been read already: it notices that the open file is
 * another one now, and writes its rows again. Equal rows count once.
 */
export class AuditFiles {
  readonly #options: AuditFilesOptions
  readonly #open: string
  readonly #head: string
  /** Lines that are no rows, from files that are gone. */
  readonly #unreadable: string
  #hasDirectory = false
  /** Whether the file may end within a line; unknown before the first append. */
  #isTorn: boolean | undefined

  constructor(options: AuditFilesOptions) {
    this.#options = options
    this.#open = join(options.directory, 'open.jsonl')
    this.#head = join(options.directory, 'head.json')
    this.#unreadable = join(options.directory, 'unreadable.jsonl')
  }

  async append(rows: readonly AuditRow[]): Promise<void> {
    const { directory, files } = this.#options
    if (!this.#hasDirectory) await files.makePrivateDirectory(directory)
    this.#hasDirectory = true
    const found = await files.stat(this.#open)
    if (!found) await files.append(this.#open, '')
    else if (found.size >= maxBytes) await this.#close()
    let text = ''
    for (const row of rows) text += `${JSON.stringify(row)}\n`
    const ino = async () => (await files.stat(this.#open))?.ino
    for (let known = found && found.size < maxBytes ? found.ino : undefined; ; known = undefined) {
      const before = known ?? (await ino())
      // A program that was killed, or a full disk, may have left half a line, to which this one would be added.
      const start = (this.#isTorn ?? (await this.#endsWithinLine())) ? '\n' : ''
      this.#isTorn = true
      await files.append(this.#open, start + text)
      this.#isTorn = false
      if ((await ino()) === before) return
    }
  }

  /** The newest row that is known here, for the first row of a new writer. */
  async newest(): Promise<AuditPlace | undefined> {
    const { files } = this.#options
    const { size = 0 } = (await files.stat(this.#open)) ?? {}
    if (size > 0) {
      const bytes = await files.readBytes(this.#open, {
        // Others may append between the two steps.
        maxBytes: maxReadBytes,
        from: Math.max(0, size - tailBytes),
      })
      const lines = Buffer.from(bytes).toString().split('\n')
      for (const line of lines.reverse()) {
        const row = readAuditRow(line)
        if (row) return placeOf(row)
      }
    }
    return this.head()
  }

  /** The row that was the newest when the last file was closed. */
  async head(): Promise<AuditPlace | undefined> {
    const kept = await this.#options.files.readText(this.#head, { maxBytes: tailBytes })
    return kept.kind === 'text' ? readPlace(kept.text) : undefined
  }

  async read(): Promise<TrailReading> {
    const names = [this.#unreadable, ...(await this.#closed()), this.#open]
    const found = await Promise.all(names.map((path) => this.#readFile(path)))
    const rows = new Map(found.flatMap((each) => each.rows).map((row) => [keyOf(row), row]))
    return {
      rows: [...rows.values()].sort(compareRows),
      unreadable: found.reduce((sum, each) => sum + each.unreadable, 0),
      torn: found.reduce((sum, each) => sum + each.torn, 0),
    }
  }

  /**
   * Moves the rows of the files to `add`, which ignores rows that it has. Returns how many rows there were. Lines that are no rows
   * stay in a file: without them, verification would not show that something was changed.
   */
  async take(add: (rows: readonly AuditRow[]) => Promise<void>): Promise<number> {
    const { files } = this.#options
    const { size = 0 } = (await files.stat(this.#open)) ?? {}
    if (size === 0 && (await this.#closed()).length === 0) return 0
    return this.#locked(async () => {
      await this.#rotate()
      let taken = 0
      for (const path of await this.#closed()) {
        const { rows, others, isWhole } = await this.#readFile(path)
        await add(rows)
        await this.#keepUnreadable(others)
        taken += rows.length
        // A file that cannot be read stays: removing it would remove the rows that nothing else has.
        if (isWhole) await files.remove(path)
      }
      return taken
    })
  }

  /**
   * Removes rows that ended before a time. `checkpoint` writes what must be known of them, before they are removed. Lines that are
   * no rows stay: their time is unknown.
   */
  async prune(
    before: string,
    checkpoint: (entry: AuditCheckpoint) => Promise<void>,
  ): Promise<AuditCheckpoint> {
    return this.#locked(async () => {
      const { rows } = await this.read()
      const plan = await planPrune(() => rows, before, await this.newest())
      if (plan.upTo.size === 0) return plan.checkpoint
      await this.#rotate()
      const closed = await this.#readable()
      await this.#keepUnreadable(closed.flatMap(({ others }) => others))
      // First the rows that stay: whatever ends the program here, none of them is lost.
      await this.append((await this.read()).rows.filter((row) => !goes(row, plan.upTo)))
      await checkpoint(plan.checkpoint)
      for (const { path } of closed) await this.#options.files.remove(path)
      return plan.checkpoint
    })
  }

  async #close(): Promise<void> {
    await this.#locked(async () => {
      const { size = 0 } = (await this.#options.files.stat(this.#open)) ?? {}
      if (size >= maxBytes) await this.#rotate()
    })
  }

  async #rotate(): Promise<void> {
    const { directory, files, clock } = this.#options
    if (!(await files.stat(this.#open))) return
    const head = await this.newest()
    if (head) await files.replace(this.#head, JSON.stringify(head), { mode: 0o600 })
    const { randomBytes } = process.getBuiltinModule('node:crypto')
    const name = `closed-${clock.now().toString(36)}-${randomBytes(4).toString('hex')}.jsonl`
    await files.move(this.#open, join(directory, name))
  }

  async #closed(): Promise<readonly string[]> {
    const { directory, files } = this.#options
    const names = await files.list(directory).catch(() => [])
    return names
      .filter((name) => closedForm.test(name))
      .sort()
      .map((name) => join(directory, name))
  }

  /** The closed files that can be read. */
  async #readable(): Promise<readonly FileReading[]> {
    const closed = await this.#closed()
    const readings = await Promise.all(closed.map((path) => this.#readFile(path)))
    return readings.filter(({ isWhole }) => isWhole)
  }

  async #keepUnreadable(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#options.files.append(this.#unreadable, `${lines.join('\n')}\n`)
  }

  /** Bytes that are no UTF-8 cost only their line. */
  async #readFile(path: string): Promise<FileReading> {
    const { files } = this.#options
    const none = { path, rows: [], others: [], torn: 0 }
    if (!(await files.stat(path))) return { ...none, unreadable: 0, isWhole: true }
    const bytes = await files.readBytes(path, { maxBytes: maxReadBytes }).catch(() => undefined)
    if (!bytes) return { ...none, unreadable: 1, isWhole: false }
    const lines = Buffer.from(bytes)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
    const rows: AuditRow[] = []
    const others: string[] = []
    for (const line of lines) {
      const row = readAuditRow(line)
      if (row) rows.push(row)
      else others.push(line)
    }
    const torn = others.filter(isTornRow).length
    return { path, rows, others, unreadable: others.length, torn, isWhole: true }
  }

  async #endsWithinLine(): Promise<boolean> {
    const { files } = this.#options
    const { size = 0 } = (await files.stat(this.#open)) ?? {}
    if (size === 0) return false
    const [last] = await files.readBytes(this.#open, { maxBytes: maxReadBytes, from: size - 1 })
    return last !== 0x0a
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const { files, lock, directory } = this.#options
    await files.makePrivateDirectory(directory)
    return lock(join(await files.realPath(directory), 'closing'), work)
  }
}
