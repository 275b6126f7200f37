import { QuestionLimit } from '../facts/question-limit.ts'
import type { Answer, Prompts } from '../terminal/terminal-prompts.ts'

/** What one question uses while it has the terminal. */
export interface Dialog {
  readonly prompts: Prompts
  /** Prints a text above the question. The caller escapes the server's words in it. */
  show(this: void, text: string): void
  /** Declines all questions of this server until the next typed line. */
  refuseAll(this: void): void
}

export interface QuestionOptions {
  /** The server that asks. */
  readonly server: string
  /** The question comes from the entry in the person's config file, not from the server, so no limit applies. */
  readonly isOfEntry?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface Questions {
  /** Asks when the terminal is free. `refused`: the limit is reached, the person declined all, or the call ended. */
  ask<T>(options: QuestionOptions, work: (dialog: Dialog) => Promise<T>): Promise<T | 'refused'>
  /** Prints a note about a question that is not asked. */
  notify(text: string): void
  /** Resets the limits: the person typed a line. */
  beginLine(): void
}

export interface QuestionsContext {
  readonly turns: Turns
  readonly notify: (text: string) => void
  readonly show: (text: string) => void
  readonly promptsFor: (signal: AbortSignal | undefined) => Prompts & Disposable
  /** Called when a question waits for the terminal, to interrupt the line that is typed. */
  readonly onWanted: () => void
  /** Called when a question appears and when it ends: nothing else may write in between. */
  readonly onAsking: (isAsking: boolean) => void
  /** Called if the person cancelled a question with Ctrl-C or Esc; not if it was withdrawn. */
  readonly onCancelled?: () => void
}

/** Puts the questions of servers to the person at the terminal, one at a time. */
export function createQuestions(context: QuestionsContext): Questions {
  const { turns, notify, show, promptsFor, onWanted, onAsking, onCancelled } = context
  const limit = new QuestionLimit({ notify, until: 'your next line' })
  return {
    notify,
    beginLine: () => limit.reset(),
    async ask({ server, isOfEntry = false, signal }, work) {
      if (!isOfEntry && !limit.take(server)) return 'refused'
      const nextTurn = turns.take()
      onWanted()
      const turn = await nextTurn
      const prompts = promptsFor(signal)
      try {
        if ((!isOfEntry && limit.isRefused(server)) || signal?.aborted) return 'refused'
        onAsking(true)
        let isCancelled = false
        const answer = await work({
          prompts: watchCancelled(prompts, () => (isCancelled = true)),
          show,
          refuseAll: () => limit.refuse(server),
        })
        if (isCancelled && !signal?.aborted) onCancelled?.()
        return answer
      } finally {
        prompts[Symbol.dispose]()
        onAsking(false)
        turn[Symbol.dispose]()
      }
    },
  }
}

function watchCancelled(prompts: Prompts, onCancelled: () => void): Prompts {
  const watch = async <T>(asking: Promise<Answer<T>>): Promise<Answer<T>> => {
    const answer = await asking
    if (answer.cancelled) onCancelled()
    return answer
  }
  return {
    confirm: (question) => watch(prompts.confirm(question)),
    text: (question) => watch(prompts.text(question)),
    select: (question) => watch(prompts.select(question)),
    multiselect: (question) => watch(prompts.multiselect(question)),
    password: (question) => watch(prompts.password(question)),
  }
}

/** A first-come, first-served lock on the terminal. */
export class Turns {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /** Whether another holder waits for the terminal. */
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
