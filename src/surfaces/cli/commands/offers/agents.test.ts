import { expect, test } from 'vitest'
import { inWords } from './agents.ts'

test.each([
  [[], 'nothing'],
  [['!a_*'], 'nothing'],
  [['*'], 'everything'],
  [['*', '!memory_*', '!web_*'], 'everything but memory_*, web_*'],
  [['*', '!memory_*', 'read_*'], 'everything but memory_*'],
  [['*', '!memory_*', 'memory_read'], 'everything but memory_*, and memory_read'],
  [['*', '!*_delete', 'web_*'], 'everything but *_delete, and web_*'],
  [['weird_*', '!memory_*'], 'weird_*'],
  [['weird_*', '!weird_safe', 'b'], 'weird_* but not weird_safe, and b'],
  [['*', '!*', 'read_*'], 'read_*'],
  [['*', '!*'], 'nothing'],
  [['a_*', '!a/b'], 'a_* but not a/b'],
])('inWords: %j is %s', (patterns, words) => {
  expect(inWords(patterns)).toBe(words)
})
