import { expect, test } from 'vitest'
import type { ServerDetail } from '../../../../../src/client.ts'
import { stateSteps } from './state-steps.ts'

type State = ServerDetail['history'][number]

const step = (at: number, name: string): State => ({
  at,
  tone: 'warn',
  word: 'connecting',
  sentence: `step: ${name}`,
})
const failed = (at: number): State => ({ at, tone: 'bad', word: 'failed', sentence: 'It ended.' })
const drawn = (history: readonly State[]) =>
  stateSteps(history).map(({ word, ms, isAgain }) => `${isAgain ? 'again ' : ''}${word} ${ms ?? 'now'}`)

test('a second try is told from the first, though both wait in the queue', () => {
  const names = ['queued', 'resolving', 'queued', 'starting', 'greeting', 'starting', 'greeting']
  expect(drawn([...names.map((name, at) => step(at, name)), failed(7)])).toEqual([
    'queued 1',
    'resolving 1',
    'queued 1',
    'starting 1',
    'greeting 1',
    'again starting 1',
    'greeting 1',
    'failed now',
  ])
})

test('states without duration are left out, and a start after a failure is no further try of the one before', () => {
  expect(drawn([step(0, 'queued'), step(0, 'starting'), failed(2), step(5, 'starting')])).toEqual([
    'starting 2',
    'failed 3',
    'starting now',
  ])
})
