import { expect, test } from 'vitest'
import { noisyOr, scoreOf, severityOf } from './severity.ts'

test.each([
  [1, 'critical'],
  [0.9, 'critical'],
  [0.899, 'high'],
  [0.7, 'high'],
  [0.699, 'medium'],
  [0.4, 'medium'],
  [0.399, 'low'],
  [0.2, 'low'],
  [0.199, 'info'],
  [0, 'info'],
])('severityOf: the score %d is %s', (score, severity) => {
  expect(severityOf(score)).toBe(severity)
})

test.each(['critical', 'high', 'medium', 'low', 'info'] as const)(
  'scoreOf: the typical score of %s has that severity',
  (severity) => {
    expect(severityOf(scoreOf[severity])).toBe(severity)
  },
)

test('noisyOr: signals add up, and never lower each other', () => {
  expect(noisyOr()).toBe(0)
  expect(noisyOr(0.5)).toBe(0.5)
  expect(noisyOr(0.5, 0.5)).toBe(0.75)
  expect(noisyOr(1, 0.2)).toBe(1)
})
