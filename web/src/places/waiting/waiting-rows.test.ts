import { expect, test } from 'vitest'
import type { QuestionFacts } from '../../../../src/client.ts'
import { waitingRows } from './waiting-rows.ts'

function question(id: string, rest: Partial<QuestionFacts> = {}): QuestionFacts {
  return {
    id,
    title: `${id} asks`,
    state: 'pending',
    askedAt: '2026-11-16T12:00:00Z',
    isWaiting: true,
    asked: { kind: 'login', reason: '' },
    command: `plugboard answer ${id}`,
    ...rest,
  }
}

test('what waits comes first; what was decided says how', () => {
  const pending = [question('a'), question('b\u202E')]
  const settled = [
    question('a', { state: 'pending' }),
    question('c', { state: 'answered', decision: 'allowed once' }),
    question('d', { state: 'answered', decision: 'refused' }),
    question('e', { state: 'expired' }),
  ]
  expect(waitingRows(pending, settled).map(({ key, state }) => [key, state.tone, state.word])).toEqual([
    ['a', 'ask', 'a asks'],
    ['b\u202E', 'ask', 'b\\u{202e} asks'],
    ['decided', 'dim', ''],
    ['c', 'ok', 'allowed once'],
    ['d', 'bad', 'refused'],
    ['e', 'dim', 'expired'],
  ])
})

test('without decisions there is no heading', () => {
  expect(waitingRows([], [])).toEqual([])
})
