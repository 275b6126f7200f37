import { randomUUID } from 'node:crypto'
import type { SampleGrant } from '../../../agent.ts'
import type { EditedGrant, ElicitationAnswer, Grant, Json, Tool } from '../../../index.ts'
import type { Question } from '../../../store.ts'

/** The answer to each kind of question. */
export interface AnswerByKind {
  readonly approval: Grant | 'no' | EditedGrant
  readonly elicitation: ElicitationAnswer
  readonly url: ElicitationAnswer
  readonly sampling: SampleGrant
  readonly login: boolean
}

type Kind = keyof AnswerByKind

/** A question that waits in this process. It is known whole, while a store has it without secrets and long texts. */
export type PageQuestion = {
  readonly [K in Kind]: {
    readonly kind: K
    readonly question: Question
    /** Of an approval. */
    readonly tool?: Tool
    readonly settle: (answer: AnswerByKind[K]) => void
  }
}[Kind]

export interface NewPageQuestion<K extends Kind> {
  readonly kind: K
  /** Of the stored question; without one it is known in this process only. */
  readonly id?: string | undefined
  readonly server: string
  readonly conversation?: string | undefined
  readonly asked: Json
  readonly tool?: Tool
  readonly signal: AbortSignal
}

const maxAnswered = 500

/** The questions of this process that a page can answer. */
export class PageQuestions {
  readonly #waiting = new Map<string, PageQuestion>()
  /** Answered through this process; the oldest are forgotten. */
  readonly #answered = new Set<string>()
  readonly #since: number
  readonly #onAsked: (question: Question) => void
  readonly #onOver: (id: string) => void
  readonly #now: () => number

  constructor(
    onAsked: (question: Question) => void,
    onOver: (id: string) => void,
    now: () => number = Date.now,
  ) {
    this.#onAsked = onAsked
    this.#onOver = onOver
    this.#now = now
    this.#since = now()
  }

  /** A page answers it now. */
  noteAnswer(id: string): void {
    this.#answered.add(id)
    const [oldest] = this.#answered
    if (this.#answered.size > maxAnswered && oldest !== undefined) this.#answered.delete(oldest)
  }

  /** Where a question was answered. What was answered before this process began, it cannot know. */
  answeredIn({ id, state, settledAt }: Question): 'page' | 'terminal' | undefined {
    if (state !== 'answered') return undefined
    if (this.#answered.has(id)) return 'page'
    return settledAt !== undefined && Date.parse(settledAt) >= this.#since ? 'terminal' : undefined
  }

  get(id: string): PageQuestion | undefined {
    return this.#waiting.get(id)
  }

  all(): readonly PageQuestion[] {
    return [...this.#waiting.values()]
  }

  /** Waits for the answer of a page. Rejects when the question is withdrawn. */
  ask<K extends Kind>(asked: NewPageQuestion<K>): Promise<AnswerByKind[K]> {
    const { kind, id = randomUUID(), server, conversation, signal, tool } = asked
    const question: Question = {
      id,
      kind,
      server,
      ...(conversation !== undefined && { conversation }),
      asked: asked.asked,
      state: 'pending',
      canWait: false,
      isWaiting: true,
      askedAt: new Date(this.#now()).toISOString(),
    }
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(id)
        this.#onOver(id)
        signal.removeEventListener('abort', withdraw)
      }
      const withdraw = () => {
        end()
        reject(signal.reason as Error)
      }
      const settle = (answer: AnswerByKind[K]) => {
        end()
        resolve(answer)
      }
      if (signal.aborted) return withdraw()
      signal.addEventListener('abort', withdraw, { once: true })
      this.#waiting.set(id, { kind, question, settle, ...(tool && { tool }) } as PageQuestion) // `kind` and `settle` belong together
      this.#onAsked(question)
    })
  }
}
