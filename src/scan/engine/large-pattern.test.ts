import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { largePattern } from './large-pattern.ts'

setFlagsFromString('--allow-natives-syntax')
// A native function of V8, which has no type.
const hasBytecode = runInThisContext('(pattern) => %RegexpHasBytecode(pattern, true)') as (
  pattern: RegExp,
) => boolean

test('a large pattern is compiled to machine code for its first text, however short, and a plain one to bytecode', () => {
  // V8 shares the code of patterns with the same source.
  const [plain, large] = [/(?:read|post) it/, /(?:send|post) it/]
  expect([plain.test('post it'), largePattern(large).test('post it')]).toEqual([true, true])
  expect([plain, large].map(hasBytecode)).toEqual([true, false])
})
