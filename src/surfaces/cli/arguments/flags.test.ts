import { describe, expect, test } from 'vitest'
import { parseDuration } from './flags.ts'

describe('parseDuration', () => {
  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1500],
    ['1m', 60_000],
    ['2h', 7_200_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each(['0.4ms', '0s', '10', '-1s', '1 s', '1d', '1e3s', '9999h', ''])('"%s" is rejected', (text) => {
    expect(() => parseDuration(text)).toThrow('such as 500ms, 10s or 1m')
  })
})
