import { dirname } from 'node:path'
import type { FileText, Platform } from '../platform/platform.ts'

/** The current content of a file. */
export type FileState =
  | { readonly kind: 'text'; readonly text: string }
  | Exclude<FileText, { readonly kind: 'text' }>

export interface FileChange {
  readonly path: string
  readonly state: FileState
}

export interface WatchedPaths {
  readonly paths: readonly string[]
  /** Folders in which new files may appear. */
  readonly folders?: readonly string[]
}

export interface WatchOptions {
  /** Returns the paths to watch; called before each check. */
  readonly watched: () => Promise<WatchedPaths>
  readonly platform: Pick<Platform, 'files' | 'clock'>
  readonly onChange: (changes: readonly FileChange[]) => void
  readonly signal?: AbortSignal
}

export interface FileWatch extends Disposable {
  /** Resolves when watching has started: read the files after it, and every later change is reported. */
  readonly ready: Promise<void>
  /**
   * Reports the next reading even if it has no changes. For a caller that has read the files itself: its text may have been
   * replaced by the one that this watch knows.
   */
  check(): void
}

/** Poll interval, for changes that the system does not report: network file systems, a replaced directory. */
const pollMs = 2000
/** FI-70: a text is reported only after two equal readings this far apart. */
const settleMs = 100
/** Limit on repeated readings: a file that is written without pause must not delay the others. */
const maxReads = 20

/**
 * Reports changes of files by comparing their content, not their times: an edit, a rename over the file, a changed link or
 * a deletion is one event each. The watch does not keep the process alive.
 */
export function watchFiles(options: WatchOptions): FileWatch {
  const watcher = new Watcher(options)
  const { signal } = options
  const close = () => {
    signal?.removeEventListener('abort', close)
    watcher.close()
  }
  const ready = new Promise<void>((resolve, reject) => void watcher.run(resolve).catch(reject))
  if (signal?.aborted) close()
  else signal?.addEventListener('abort', close, { once: true })
  return { ready, check: () => watcher.check(), [Symbol.dispose]: close }
}

type States = ReadonlyMap<string, FileState>

class Watcher {
  readonly #watched: WatchOptions['watched']
  readonly #platform: WatchOptions['platform']
  readonly #onChange: WatchOptions['onChange']
  readonly #life = new AbortController()
  #nap = new AbortController()
  #paths: readonly string[] = []
  #woken = false
  #isAsked = false
  #directories: readonly string[] = []
  #watches: readonly Disposable[] = []

  constructor({ watched, platform, onChange }: WatchOptions) {
    this.#watched = watched
    this.#platform = platform
    this.#onChange = onChange
  }

  async run(ready: () => void): Promise<void> {
    await this.#updateWatches()
    let known = await this.#read()
    ready()
    while (!this.#closed) {
      await this.#waitForChange()
      await this.#updateWatches()
      const isAsked = this.#isAsked
      this.#isAsked = false
      const first = await this.#read()
      if (changesBetween(known, first).length === 0 && !isAsked) continue
      const settled = await this.#settle(known, first)
      const changes = changesBetween(known, settled)
      if (this.#closed || (changes.length === 0 && !isAsked)) continue
      known = settled
      this.#dropWatches()
      this.#onChange(changes)
    }
  }

  check(): void {
    this.#isAsked = true
    this.#wake()
  }

  close(): void {
    this.#life.abort()
    this.#nap.abort()
    this.#dropWatches()
  }

  get #closed(): boolean {
    return this.#life.signal.aborted
  }

  /** Waits for an event in a watched directory or for the next poll. Busy directories are checked at most ten times a second. */
  async #waitForChange(): Promise<void> {
    await this.#sleep(settleMs, this.#life.signal)
    if (!this.#woken && !this.#closed) {
      this.#nap = new AbortController()
      await this.#sleep(pollMs - settleMs, this.#nap.signal)
    }
    this.#woken = false
  }

  /** Reads until two readings agree. A file that keeps changing keeps its old state for now. */
  async #settle(known: States, first: States): Promise<States> {
    let before = first
    let unsettled = new Set<string>()
    for (let reads = 1; reads < maxReads; reads++) {
      await this.#sleep(settleMs, this.#life.signal)
      if (this.#closed) return known
      const after = await this.#read()
      unsettled = new Set(changesBetween(before, after).map(({ path }) => path))
      before = after
      if (unsettled.size === 0) break
    }
    return new Map(
      [...before].map(([path, now]) => [path, unsettled.has(path) ? (known.get(path) ?? now) : now]),
    )
  }

  async #read(): Promise<States> {
    const read = async (path: string) => [path, toState(await this.#platform.files.readText(path))] as const
    return new Map(await Promise.all(this.#paths.map(read)))
  }

  /** Watches the directories of the files and of their link targets; for a missing directory, its nearest existing parent. */
  async #updateWatches(): Promise<void> {
    const { paths, folders = [] } = await this.#watched()
    this.#paths = [...new Set(paths)]
    const found = await Promise.all(this.#paths.map((path) => this.#directoriesOf(path)))
    const above = await Promise.all(folders.map((folder) => this.#nearest(folder)))
    const directories = [...new Set([...found.flat(), ...above])].sort()
    if (this.#closed || directories.join('\0') === this.#directories.join('\0')) return
    const old = this.#watches
    this.#directories = directories
    this.#watches = directories.map((directory) => this.#platform.files.watch(directory, () => this.#wake()))
    for (const watch of old) watch[Symbol.dispose]()
  }

  async #directoriesOf(path: string): Promise<readonly string[]> {
    const real = await this.#platform.files.realPath(path)
    return Promise.all([dirname(path), dirname(real)].map((directory) => this.#nearest(directory)))
  }

  async #nearest(directory: string): Promise<string> {
    const parent = dirname(directory)
    if (parent === directory || (await this.#platform.files.stat(directory))) return directory
    return this.#nearest(parent)
  }

  /** Drops all watches after a change, so that they are created again: a watch does not follow a replaced directory or link. */
  #dropWatches(): void {
    for (const watch of this.#watches) watch[Symbol.dispose]()
    this.#watches = []
    this.#directories = []
    this.#woken = true
  }

  #wake(): void {
    this.#woken = true
    this.#nap.abort()
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#platform.clock.sleep(ms, signal, { background: true }).catch(() => undefined)
  }
}

function toState(found: FileText): FileState {
  return found.kind === 'text' ? { kind: 'text', text: found.text } : found
}

function changesBetween(before: States, after: States): readonly FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return paths.flatMap((path) => {
    const state = after.get(path) ?? absent
    return isSame(before.get(path) ?? absent, state) ? [] : [{ path, state }]
  })
}

/** The state of a path that is not watched yet, or no longer. */
const absent: FileState = { kind: 'absent' }

function isSame(a: FileState, b: FileState): boolean {
  if (a.kind === 'text' && b.kind === 'text') return a.text === b.text
  if (a.kind === 'problem' && b.kind === 'problem') return a.problem === b.problem
  return a.kind === b.kind
}
