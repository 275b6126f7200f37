import type { Approval } from '../model/memory.ts'

/** How long an approval holds: for this call, for the conversation, or until the tool or its server changes. */
const grants = ['once', 'conversation', 'always'] as const
export type Grant = (typeof grants)[number]

/** Any other answer counts as a refusal. */
export function isGrant(answer: unknown): answer is Grant {
  return grants.some((grant) => grant === answer)
}

/** What an approval is bound to. */
export interface Question {
  readonly ref: string
  readonly definition: string
  readonly entry: string
  readonly asks: readonly string[]
  readonly conversation?: string
}

/** The approval to store; none if it is for this call only, or for a conversation and there is none. */
export function toApproval(grant: Grant, question: Question, at: string): Approval | undefined {
  const { conversation, ...subject } = question
  if (grant === 'always') return { ...subject, at }
  return grant === 'conversation' && conversation !== undefined ? { ...subject, conversation, at } : undefined
}

/** The stored approval that covers a question. `definition` is computed on access, so it is compared last. */
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
