import type { Prompts } from '../terminal/terminal-prompts.ts'

/** More questions of one server than this, between two lines that a person types, are a flood. */
export const mostQuestions = 5

export interface Asking {
  readonly prompts: Prompts
  /** Prints a text of ours above the question; what a server says in it is escaped by who writes it. */
  show(this: void, text: string): void
  /** The server is not listened to any more until the next line. */
  refuseAll(this: void): void
}

export interface QuestionOptions {
  /** Who wants to know. */
  readonly server: string
  /** What its entry leaves open is asked for by the person's own file, however much that is. */
  readonly isOfEntry?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface Questions {
  /** Asks when the terminal is free. `refused`: this server has asked enough. */
  ask<T>(options: QuestionOptions, work: (asking: Asking) => Promise<T>): Promise<T | 'refused'>
  /** Something about a question that is not asked. */
  tell(text: string): void
  /** A person typed a line: what was too much before is no longer. */
  beginLine(): void
}

export interface QuestionsContext {
  readonly turns: Turns
  readonly tell: (text: string) => void
  readonly show: (text: string) => void
  readonly promptsFor: (signal: AbortSignal | undefined) => Prompts & Disposable
  /** The terminal is wanted: who types a line gives it up for a while. */
  readonly onWanted: () => void
  /** Nothing else may write while a question is on the screen. */
  readonly onAsking: (isAsking: boolean) => void
}

/** The questions of servers to the person at the terminal, one after the other. */
export function createQuestions(context: QuestionsContext): Questions {
  const { turns, tell, show, promptsFor, onWanted, onAsking } = context
  const asked = new Map<string, number>()
  const refused = new Set<string>()
  /** Those that came before the flood are still asked, unless the person wants none of them. */
  const admit = (server: string): boolean => {
    const count = (asked.get(server) ?? 0) + 1
    asked.set(server, count)
    if (count === mostQuestions + 1 && !refused.has(server))
      tell(`"${server}" asks too much: after ${mostQuestions} questions the others are declined.`)
    return count <= mostQuestions && !refused.has(server)
  }
  return {
    tell,
    beginLine() {
      asked.clear()
      refused.clear()
    },
    async ask({ server, isOfEntry = false, signal }, work) {
      if (!isOfEntry && !admit(server)) return 'refused'
      const coming = turns.take()
      onWanted()
      const turn = await coming
      const prompts = promptsFor(signal)
      try {
        if ((!isOfEntry && refused.has(server)) || signal?.aborted) return 'refused'
        onAsking(true)
        return await work({
          prompts,
          show,
          refuseAll() {
            refused.add(server)
            tell(`Everything else that "${server}" asks now is declined.`)
          },
        })
      } finally {
        prompts[Symbol.dispose]()
        onAsking(false)
        turn[Symbol.dispose]()
      }
    },
  }
}

/** Who has the terminal: one at a time, in the order in which they came. */
export class Turns {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /** Somebody else wants it. */
  get isWanted(): boolean {
    return this.#waiting > 0
  }

  async take(): Promise<Disposable> {
    const before = this.#last
    let release = (): void => undefined
    this.#last = new Promise((resolve) => (release = resolve))
    this.#waiting++
    await before
    this.#waiting--
    return { [Symbol.dispose]: release }
  }
}
