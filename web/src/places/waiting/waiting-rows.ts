import type { QuestionFacts } from '../../../../src/client.ts'
import { escapeLine } from '../../../../src/surfaces/terminal/escape.ts'

/** A row of the list: a question, or a heading. */
export interface WaitingRow {
  readonly key: string
  readonly title: string
  readonly question?: QuestionFacts
  readonly state: {
    readonly tone: 'ask' | 'ok' | 'dim' | 'bad'
    readonly shape: 'square' | 'dot' | 'cross'
    readonly word: string
  }
}

/** What waits, the oldest first; below it what was decided, the newest first. */
export function waitingRows(
  pending: readonly QuestionFacts[],
  settled: readonly QuestionFacts[],
): readonly WaitingRow[] {
  const waits = pending.map((question): WaitingRow => {
    const word = escapeLine(question.title)
    return { key: question.id, title: word, question, state: { tone: 'ask', shape: 'square', word } }
  })
  const ids = new Set(pending.map(({ id }) => id))
  const decided = settled.filter(({ id, state }) => state !== 'pending' && !ids.has(id)).map(settledRow)
  if (decided.length === 0) return waits
  const heading = {
    key: 'decided',
    title: 'Decided',
    state: { tone: 'dim', shape: 'dot', word: '' },
  } as const
  return [...waits, heading, ...decided]
}

function settledRow(question: QuestionFacts): WaitingRow {
  const { id, title, state, decision = state } = question
  const isAnswered = state === 'answered'
  const isRefusal = /^(?:no\b|refused|declined|cancel)/i.test(decision)
  const tone = isRefusal ? 'bad' : 'ok'
  return {
    key: id,
    title: escapeLine(title),
    question,
    state: {
      tone: isAnswered ? tone : 'dim',
      shape: isAnswered && !isRefusal ? 'dot' : 'cross',
      word: isAnswered ? decision : state,
    },
  }
}
