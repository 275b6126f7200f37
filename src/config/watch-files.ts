import { dirname } from 'node:path'
import type { FileText, Platform } from '../platform/platform.ts'

/** What a file holds now. */
export type FileState =
  | { readonly kind: 'text'; readonly text: string }
  | Exclude<FileText, { readonly kind: 'text' }>

export interface FileChange {
  readonly path: string
  readonly state: FileState
}

export interface Watched {
  readonly paths: readonly string[]
  /** Folders in which new files may come up. */
  readonly folders?: readonly string[]
}

export interface WatchOptions {
  /** What is watched now: asked again at each look. */
  readonly watched: () => Promise<Watched>
  readonly platform: Pick<Platform, 'files' | 'clock'>
  readonly onChange: (changes: readonly FileChange[]) => void
  readonly signal?: AbortSignal
}

export interface FileWatch extends Disposable {
  /** From here on no change is missed: read the files after it, and every later state is an event. */
  readonly ready: Promise<void>
}

/** Where the system reports nothing (network file systems, a directory that was swapped), looking is all there is. */
const pollMs = 2000
/** FI-70: a text counts once it was read twice, this far apart. */
const settleMs = 100
/** A file that is written without pause must not hold back the others. */
const maxReads = 20

/**
 * Tells when files change by what they hold, not by their times: an edit, a rename over it, a swapped link or a deletion is
 * one event. Nothing here keeps the process alive.
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
  return { ready, [Symbol.dispose]: close }
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
  #directories: readonly string[] = []
  #watches: readonly Disposable[] = []

  constructor({ watched, platform, onChange }: WatchOptions) {
    this.#watched = watched
    this.#platform = platform
    this.#onChange = onChange
  }

  async run(ready: () => void): Promise<void> {
    await this.#arm()
    let known = await this.#read()
    ready()
    while (!this.#closed) {
      await this.#rest()
      await this.#arm()
      const first = await this.#read()
      if (changesBetween(known, first).length === 0) continue
      const settled = await this.#settle(known, first)
      const changes = changesBetween(known, settled)
      if (this.#closed || changes.length === 0) continue
      known = settled
      this.#forget()
      this.#onChange(changes)
    }
  }

  close(): void {
    this.#life.abort()
    this.#nap.abort()
    this.#forget()
  }

  get #closed(): boolean {
    return this.#life.signal.aborted
  }

  /** Until something moves in a watched directory, or the poll is due; busy directories are looked at ten times a second. */
  async #rest(): Promise<void> {
    await this.#sleep(settleMs, this.#life.signal)
    if (!this.#woken && !this.#closed) {
      this.#nap = new AbortController()
      await this.#sleep(pollMs - settleMs, this.#nap.signal)
    }
    this.#woken = false
  }

  /** Reads until two readings agree. A file that never rests keeps its old state for now. */
  async #settle(known: States, first: States): Promise<States> {
    let before = first
    let restless = new Set<string>()
    for (let reads = 1; reads < maxReads; reads++) {
      await this.#sleep(settleMs, this.#life.signal)
      if (this.#closed) return known
      const after = await this.#read()
      restless = new Set(changesBetween(before, after).map(({ path }) => path))
      before = after
      if (restless.size === 0) break
    }
    return new Map(
      [...before].map(([path, now]) => [path, restless.has(path) ? (known.get(path) ?? now) : now]),
    )
  }

  async #read(): Promise<States> {
    const read = async (path: string) => [path, toState(await this.#platform.files.readText(path))] as const
    return new Map(await Promise.all(this.#paths.map(read)))
  }

  /** Watches the directories that count now: those of the files, those that links lead to, and the nearest above a missing one. */
  async #arm(): Promise<void> {
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

  /** A change may have replaced a directory or a link, and a watch stays with what it was made for: all are made anew. */
  #forget(): void {
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

/** A path that is not watched yet, or no longer, is like one that is not there. */
const absent: FileState = { kind: 'absent' }

function isSame(a: FileState, b: FileState): boolean {
  if (a.kind === 'text' && b.kind === 'text') return a.text === b.text
  if (a.kind === 'problem' && b.kind === 'problem') return a.problem === b.problem
  return a.kind === b.kind
}
