import { resolve } from 'node:path'
import type { Directory } from './working-directory.ts'
import type { ToolExecuteContext } from './kernel-contracts.ts'

/** Of which it is remembered where they were; the others say so with each call. */
const mostConversations = 1000

/** The working directories that were ever used, each opened once (D5). */
export class Directories {
  readonly #open: (cwd: string) => Promise<Directory>
  readonly #byCwd = new Map<string, Promise<Directory>>()
  readonly #opened = new Map<string, Directory>()
  /** Where conversations had their last turn. */
  readonly #cwdOf = new Map<string, string>()

  #isOver = false

  constructor(open: (cwd: string) => Promise<Directory>) {
    this.#open = open
  }

  async of(cwd: string): Promise<Directory> {
    if (this.#isOver) throw new Error('The mcp extension is not active.')
    const path = resolve(cwd)
    const known = this.#byCwd.get(path)
    if (known) return known
    const opening = this.#open(path)
    this.#byCwd.set(path, opening)
    opening.then(
      (directory) => void (this.#byCwd.get(path) === opening && this.#opened.set(path, directory)),
      // The next turn tries again.
      () => void (this.#byCwd.get(path) === opening && this.#byCwd.delete(path)),
    )
    return opening
  }

  /** All of them, or the one of this path, as far as they are open by now. */
  opened(cwd?: string): readonly Directory[] {
    if (cwd === undefined) return [...this.#opened.values()]
    const directory = this.#opened.get(resolve(cwd))
    return directory ? [directory] : []
  }

  hasTurn(conversationId: string, cwd: string): void {
    this.#cwdOf.delete(conversationId)
    this.#cwdOf.set(conversationId, cwd)
    const [oldest] = this.#cwdOf.keys()
    if (this.#cwdOf.size > mostConversations && oldest !== undefined) this.#cwdOf.delete(oldest)
  }

  /** Whose servers a call is meant for: those of the directory in which its turn runs. */
  async ofCall({ cwd, conversationId }: ToolExecuteContext, own: string | undefined): Promise<Directory> {
    const path = cwd ?? this.#cwdOf.get(conversationId ?? '') ?? own
    if (path === undefined) throw new Error('The call does not say in which directory it runs.')
    return this.of(path)
  }

  /** From now on nothing is opened any more. */
  end(): Promise<void> {
    this.#isOver = true
    return this.close()
  }

  /** What is used later is opened anew. */
  async close(): Promise<void> {
    const all = [...this.#byCwd.values()]
    this.#byCwd.clear()
    this.#opened.clear()
    await Promise.allSettled(all.map(async (opening) => (await opening).close()))
  }
}
