import type { Json } from '../model/json.ts'

export type QuestionKind = 'approval' | 'login' | 'elicitation' | 'url' | 'sampling'

/** Something that a person has to decide, asked by one process and answered by any. */
export interface Question {
  readonly id: string
  readonly kind: QuestionKind
  readonly server?: string
  readonly conversation?: string
  /** What is shown, as plain JSON without secrets. With `masked: true` if something was taken out: the reader does not see it all. */
  readonly asked: Json
  /**
   * `expired`: the process that asked has ended, its connection was closed, or the answer was not used within 7 days.
   * `withdrawn`: the call that needed the answer was stopped.
   */
  readonly state: 'pending' | 'answered' | 'expired' | 'withdrawn'
  /** It can be asked again, so it outlives the process that asked. */
  readonly canWait: boolean
  /** A process waits for the answer; otherwise it counts when the same is asked again. Known after `expireLeft`. */
  readonly isWaiting: boolean
  readonly askedAt: string
  readonly answer?: Json
  readonly settledAt?: string
}

export interface NewQuestion {
  readonly kind: QuestionKind
  readonly server?: string
  readonly conversation?: string
  readonly asked: Json
  /** Equal for a question that is asked again. With it, the question outlives its process. */
  readonly key?: string
}

export interface Questions {
  /** Takes over a question of the same key whose process is gone; it may have been answered meanwhile. */
  ask(question: NewQuestion): Promise<Question>
  get(id: string): Promise<Question | undefined>
  /** The oldest first, unless `order` says otherwise. */
  list(options?: {
    readonly state?: Question['state']
    readonly limit?: number
    readonly order?: 'oldest' | 'newest'
  }): Promise<readonly Question[]>
  /** `false`: it was answered before, has expired, or does not exist. */
  answer(id: string, answer: Json): Promise<boolean>
  /** Uses an answer, once, and replaces it by what should stay of it. `false`: it was used before. */
  take(id: string, kept: Json): Promise<boolean>
  /** Marks a pending question as expired. */
  expire(id: string): Promise<boolean>
  /** Marks a pending question as withdrawn by who asked it. */
  withdraw(id: string): Promise<boolean>
  /** Stops waiting for an answer, but leaves the question to a later process. */
  leave(id: string): Promise<void>
  /**
   * Expires pending questions whose process has ended, unless they can wait, and answers that were not used within 7 days.
   * A killed process cannot do this itself, so the next reader does it.
   */
  expireLeft(): Promise<void>
  /** Resolves with the question when it is answered or has expired. */
  settled(id: string, signal?: AbortSignal): Promise<Question | undefined>
}
