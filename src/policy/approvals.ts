import type { Approval } from '../model/memory.ts'

/** How far a person's yes reaches: this call, this conversation, or until the tool or its server changes. */
const grants = ['once', 'conversation', 'always'] as const
export type Grant = (typeof grants)[number]

/** Whatever else somebody answers, it is not a yes. */
export function isGrant(answer: unknown): answer is Grant {
  return grants.some((grant) => grant === answer)
}

/** What a person is asked about. */
export interface Question {
  readonly ref: string
  readonly definition: string
  readonly entry: string
  readonly asks: readonly string[]
  readonly conversation?: string
}

/** What is to be remembered of a yes. One that is for this call only, or for a conversation that is none, leaves nothing. */
export function toApproval(grant: Grant, question: Question, at: string): Approval | undefined {
  const { conversation, ...subject } = question
  if (grant === 'always') return { ...subject, at }
  return grant === 'conversation' && conversation !== undefined ? { ...subject, conversation, at } : undefined
}

/** The yes that answers a question already. The question's hashes are computed only if somebody said yes to that tool. */
export function findApproval(question: Question, approvals: readonly Approval[]): Approval | undefined {
  return approvals.find(
    (approval) =>
      approval.ref === question.ref &&
      (approval.conversation === undefined || approval.conversation === question.conversation) &&
      question.asks.every((ask) => approval.asks.includes(ask)) &&
      approval.entry === question.entry &&
      approval.definition === question.definition,
  )
}
