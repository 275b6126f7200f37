import { resolve } from 'node:path'
import type { Directory } from './working-directory.ts'
import type { ToolExecuteContext } from './kernel-contracts.ts'

/** Conversations whose last directory is remembered. Older ones need a `cwd` in each call. */
const maxConversations = 1000

/** The working directories in use, each opened once (D5). */
export class Directories {
  readonly #open: (cwd: string) => Promise<Directory>
  readonly #byCwd = new Map<string, Promise<Directory>>()
  readonly #opened = new Map<string, Directory>()
  /** The directory of each conversation's last turn, least recent first. */
  readonly #cwdOf = new Map<string, string>()

  #isEnded = false

  constructor(open: (cwd: string) => Promise<Directory>) {
    this.#open = open
  }

  async open(cwd: string): Promise<Directory> {
    if (this.#isEnded) throw new Error('The mcp extension is not active.')
    const path = resolve(cwd)
    const known = this.#byCwd.get(path)
    if (known) return known
    const opening = this.#open(path)
    this.#byCwd.set(path, opening)
    opening.then(
      (directory) => void (this.#byCwd.get(path) === opening && this.#opened.set(path, directory)),
      // Forget a failed attempt, so that the next turn tries again.
      () => void (this.#byCwd.get(path) === opening && this.#byCwd.delete(path)),
    )
    return opening
  }

  /** The directories that have finished opening: all of them, or the one with this path. */
  opened(cwd?: string): readonly Directory[] {
    if (cwd === undefined) return [...this.#opened.values()]
    const directory = this.#opened.get(resolve(cwd))
    return directory ? [directory] : []
  }

  recordTurn(conversationId: string, cwd: string): void {
    this.#cwdOf.delete(conversationId)
    this.#cwdOf.set(conversationId, cwd)
    const [oldest] = this.#cwdOf.keys()
    if (this.#cwdOf.size > maxConversations && oldest !== undefined) this.#cwdOf.delete(oldest)
  }

  /** The directory in which the turn of a call runs; else the one whose server's tool was defined. */
  async forCall(
    { cwd, conversationId }: ToolExecuteContext,
    definedIn: string | undefined,
  ): Promise<Directory> {
    const path = cwd ?? this.#cwdOf.get(conversationId ?? '') ?? definedIn
    if (path === undefined) throw new Error('The call does not say in which directory it runs.')
    return this.open(path)
  }

  /** Closes all directories for good: `open` fails from now on. */
  end(): Promise<void> {
    this.#isEnded = true
    return this.close()
  }

  /** Closes all directories; later use opens them again. */
  async close(): Promise<void> {
    const all = [...this.#byCwd.values()]
    this.#byCwd.clear()
    this.#opened.clear()
    await Promise.allSettled(all.map(async (opening) => (await opening).close()))
  }
}
