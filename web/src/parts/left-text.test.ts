import { expect, test } from 'vitest'
import { leftText } from './left-text.ts'

test('the time until a moment is shown in seconds, minutes or hours', () => {
  expect([-1, 1, 59_000, 252_000, 7_200_000].map((ms) => leftText(ms))).toEqual([
    'now',
    'in 1 s',
    'in 59 s',
    'in 4:12',
    'in 2 h',
  ])
})
