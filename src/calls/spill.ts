import { join } from 'node:path'
import type { Clock, Files } from '../platform/platform.ts'

/** Writes a text to a new file and returns its path, or `undefined` if writing failed. */
export type Spill = (text: string) => Promise<string | undefined>

interface SpillOptions {
  /** Used only for these files: old ones are removed. */
  readonly directory: string
  readonly files: Files
  readonly clock: Pick<Clock, 'now'>
  readonly quota?: SpillQuota
}

interface SpillQuota {
  readonly files: number
  readonly bytes: number
}

/** FI-92: the limits of all stored results of a person together; beyond them the oldest are removed. */
const defaultQuota: SpillQuota = { files: 1000, bytes: 100 * 1024 * 1024 }
/** Files are kept this long, because a conversation may return to them. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000
/** Removals per result: a directory far beyond the quota is cleaned up over several calls, so that none waits long. */
const maxRemovals = 100
const nameForm = /^[0-9a-f]{32}\.txt$/

/** Stores results that are too large for a model. File names are random and contain no text of a server (T45). */
export function createSpill(options: SpillOptions): Spill {
  const { directory, files } = options
  const stored = new StoredResults(options)
  return async (text) => {
    const { randomBytes } = process.getBuiltinModule('node:crypto')
    const path = join(directory, `${randomBytes(16).toString('hex')}.txt`)
    const bytes = Buffer.from(text)
    try {
      await files.makePrivateDirectory(directory)
      await files.writeBytes(path, bytes, { mode: 0o600 })
    } catch {
      // A full disk may have taken a part of it. The caller reports that the text was not kept.
      await files.remove(path).catch(() => undefined)
      return undefined
    }
    await stored.add({ path, bytes: bytes.length })
    return path
  }
}

interface StoredResult {
  readonly path: string
  readonly bytes: number
}

/**
 * The stored results, oldest first. The directory is read at the first result, and again after a quarter of the quota
 * was written, because other processes store results there too; in between, adding one costs nothing but its removals.
 */
class StoredResults {
  readonly #options: SpillOptions
  readonly #quota: SpillQuota
  #sizes = new Map<string, number>()
  #bytes = 0
  #adding: Promise<void> = Promise.resolve()
  /** What was added since the directory was read; infinite before the first time. */
  #unread: SpillQuota = { files: Infinity, bytes: Infinity }

  constructor(options: SpillOptions) {
    this.#options = options
    this.#quota = options.quota ?? defaultQuota
  }

  /** Results that are written at the same time are added one after another. */
  add(result: StoredResult): Promise<void> {
    this.#adding = this.#adding.then(() => this.#add(result))
    return this.#adding
  }

  async #add(result: StoredResult): Promise<void> {
    this.#count(result)
    const { files, bytes } = this.#unread
    this.#unread = { files: files + 1, bytes: bytes + result.bytes }
    if (isAbove(this.#unread, this.#quota, 1 / 4)) await this.#read()
    await this.#removeOldest(result.path)
  }

  /** Counts a file once: the directory may have been read between its writing and its adding. */
  #count({ path, bytes }: StoredResult): void {
    if (this.#sizes.has(path)) return
    this.#sizes.set(path, bytes)
    this.#bytes += bytes
  }

  async #read(): Promise<void> {
    const { directory, files, clock } = this.#options
    const found: (StoredResult & { readonly mtimeMs: number })[] = []
    for (const name of await files.list(directory)) {
      if (!nameForm.test(name)) continue
      const path = join(directory, name)
      const stat = await files.stat(path)
      if (!stat) continue
      if (clock.now() - stat.mtimeMs > maxAgeMs) await this.#remove(path)
      else found.push({ path, bytes: stat.size, mtimeMs: stat.mtimeMs })
    }
    // Files of one tick of the kernel's clock have one time: those of other processes first, then ours as they were added.
    const added = new Map([...this.#sizes.keys()].map((path, at) => [path, at]))
    const placeOf = ({ path }: StoredResult) => added.get(path) ?? -1
    found.sort((one, other) => one.mtimeMs - other.mtimeMs || placeOf(one) - placeOf(other))
    this.#unread = { files: 0, bytes: 0 }
    this.#sizes = new Map()
    this.#bytes = 0
    for (const each of found) this.#count(each)
  }

  /** Removes results beyond the quota, but never the newest, whose path is about to be returned. */
  async #removeOldest(newest: string): Promise<void> {
    const removals: Promise<void>[] = []
    for (const [path, bytes] of this.#sizes) {
      const isWithin = !isAbove({ files: this.#sizes.size, bytes: this.#bytes }, this.#quota)
      if (isWithin || path === newest || removals.length === maxRemovals) break
      this.#sizes.delete(path)
      this.#bytes -= bytes
      removals.push(this.#remove(path))
    }
    await Promise.all(removals)
  }

  /** A file that cannot be removed is skipped. */
  async #remove(path: string): Promise<void> {
    await this.#options.files.remove(path).catch(() => undefined)
  }
}

function isAbove(used: SpillQuota, quota: SpillQuota, part = 1): boolean {
  return used.files > quota.files * part || used.bytes > quota.bytes * part
}
