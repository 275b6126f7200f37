import { randomUUID } from 'node:crypto'
import type { Question, Questions } from './question.ts'

interface HeldQuestion {
  question: Question
  readonly key: string | undefined
  /** Its answer was used. */
  isTaken: boolean
}

/** Questions that last as long as this process, for a machine where none can be kept. They behave as stored ones. */
export function createMemoryQuestions(now: () => number = Date.now): Questions {
  const held = new Map<string, HeldQuestion>()
  const waiting = new Map<string, Set<() => void>>()
  const time = () => new Date(now()).toISOString()
  const settle = (id: string, state: Question['state'], answer: Partial<Pick<Question, 'answer'>> = {}) => {
    const each = held.get(id)
    if (each?.question.state !== 'pending') return false
    each.question = { ...each.question, ...answer, state, isWaiting: false, settledAt: time() }
    for (const wake of waiting.get(id) ?? []) wake()
    return true
  }
  /** A question that was left, or was answered after that, and can be asked again. */
  const isLeft = ({ question: { state, isWaiting }, isTaken }: HeldQuestion) =>
    (state === 'pending' && !isWaiting) || (state === 'answered' && !isTaken)
  return {
    async ask({ key, ...asked }) {
      const left =
        key === undefined
          ? undefined
          : [...held.values()].findLast((each) => each.key === key && isLeft(each))
      if (left) {
        left.question = { ...left.question, isWaiting: left.question.state === 'pending' }
        return left.question
      }
      const question: Question = {
        ...asked,
        id: randomUUID(),
        state: 'pending',
        canWait: key !== undefined,
        isWaiting: true,
        askedAt: time(),
      }
      held.set(question.id, { question, key, isTaken: false })
      dropOldest(held)
      return question
    },

    get: async (id) => held.get(id)?.question,

    async list({ state, limit = 200, order = 'oldest' } = {}) {
      const all = [...held.values()]
        .map(({ question }) => question)
        .filter((question) => (state ?? question.state) === question.state)
      return (order === 'newest' ? all.toReversed() : all).slice(0, limit)
    },

    answer: async (id, answer) => settle(id, 'answered', { answer }),

    async take(id, kept) {
      const each = held.get(id)
      if (each?.question.state !== 'answered' || each.isTaken) return false
      each.isTaken = true
      each.question = { ...each.question, answer: kept }
      return true
    },

    expire: async (id) => settle(id, 'expired'),
    withdraw: async (id) => settle(id, 'withdrawn'),

    async leave(id) {
      const each = held.get(id)
      if (each?.question.state === 'pending') each.question = { ...each.question, isWaiting: false }
    },

    // The process that asks is this one: nothing is left by another.
    expireLeft: async () => undefined,

    async settled(id, signal) {
      while (held.get(id)?.question.state === 'pending') {
        signal?.throwIfAborted()
        await new Promise<void>((resolve) => {
          const wakers = waiting.get(id) ?? new Set()
          const end = () => {
            wakers.delete(end)
            if (wakers.size === 0) waiting.delete(id)
            signal?.removeEventListener('abort', end)
            resolve()
          }
          wakers.add(end)
          waiting.set(id, wakers)
          signal?.addEventListener('abort', end)
        })
      }
      return held.get(id)?.question
    },
  }
}

/** Settled questions beyond these are forgotten. */
const maxHeld = 500

function dropOldest(held: Map<string, HeldQuestion>): void {
  for (const [id, { question }] of held) {
    if (held.size <= maxHeld) return
    if (question.state !== 'pending') held.delete(id)
  }
}
