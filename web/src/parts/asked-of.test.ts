import { expect, test } from 'vitest'
import type { QuestionFacts } from '../../../src/client.ts'
import { askedOf } from './asked-of.ts'

const question = (server: string, asked: QuestionFacts['asked']): QuestionFacts => ({
  id: `q-${server}`,
  server,
  title: `${server} asks one thing`,
  state: 'pending',
  askedAt: '2026-11-16T12:00:00Z',
  isWaiting: true,
  asked,
  command: 'plugboard answer q',
})
const form = {
  kind: 'elicitation',
  message: 'Where?',
  form: { kind: 'object', name: '', title: '', isRequired: true, fields: [] },
} as const

test('a call that waits leads to its question', () => {
  expect(askedOf({ state: 'waits', server: 'trip', question: 'q1' }, [])?.to).toBe('/waiting/q1')
})

test('a running call says what its server asks, as the question may be for it', () => {
  const running = { state: 'running', server: 'trip' } as const
  expect(askedOf(running, [question('other', form), question('trip', form)])).toEqual({
    says: 'trip asks one thing. It may be for this call.',
    to: '/waiting/q-trip',
  })
  expect(askedOf(running, [question('other', form)])).toBeUndefined()
  expect(askedOf(running, [question('trip', { kind: 'login', reason: '' })])).toBeUndefined()
  expect(askedOf({ state: 'done', server: 'trip' }, [question('trip', form)])).toBeUndefined()
})
