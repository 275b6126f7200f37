import type { Json } from '../model/json.ts'

export type QuestionKind = 'approval' | 'login' | 'elicitation' | 'url' | 'sampling'

/** Something that a person has to decide, asked by one process and answered by any. */
export interface Question {
  readonly id: string
  readonly kind: QuestionKind
  readonly server?: string
  readonly conversation?: string
  /** What is shown, as plain JSON without secrets. */
  readonly asked: Json
  /** `expired`: the process that asked, or the connection it asked for, is gone. */
  readonly state: 'pending' | 'answered' | 'expired'
  readonly askedAt: string
  readonly answer?: Json
  readonly settledAt?: string
}

export interface NewQuestion {
  readonly kind: QuestionKind
  readonly server?: string
  readonly conversation?: string
  readonly asked: Json
}

export interface Questions {
  ask(question: NewQuestion): Promise<Question>
  get(id: string): Promise<Question | undefined>
  /** The oldest first. */
  list(options?: {
    readonly state?: Question['state']
    readonly limit?: number
  }): Promise<readonly Question[]>
  /** `false`: it was answered before, has expired, or does not exist. */
  answer(id: string, answer: Json): Promise<boolean>
  /** Marks a pending question as expired. */
  expire(id: string): Promise<boolean>
  /** Resolves with the question when it is answered or has expired. */
  settled(id: string, signal?: AbortSignal): Promise<Question | undefined>
}
