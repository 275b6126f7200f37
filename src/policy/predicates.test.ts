import { describe, expect, test } from 'vitest'
import { describePredicate, readPredicate } from './predicates.ts'
import type { Json } from '../model/json.ts'

describe('predicates: reading', () => {
  test.each<[string, Json]>([
    ['a glob', { at: '/path', matches: '/etc/*' }],
    ['a value', { at: '', equals: null }],
    ['a negated list', { at: '/all', equals: [1, { a: 2 }], not: true }],
  ])('%s is read as written', (_what, value) => {
    expect(readPredicate(value)).toEqual(value)
  })

  test.each<[string, Json]>([
    ['no object', 'x'],
    ['no pointer', { matches: 'x' }],
    ['a pointer without a slash', { at: 'path', matches: 'x' }],
    ['no test', { at: '/path' }],
    ['two tests', { at: '/path', matches: 'x', equals: 'x' }],
    ['a glob that is no text', { at: '/path', matches: 5 }],
    ['a wrong test beside a right one', { at: '/path', matches: 5, equals: 'x' }],
    ['a "not" that is no boolean', { at: '/path', matches: 'x', not: 'yes' }],
  ])('%s is no predicate', (_what, value) => {
    expect(readPredicate(value)).toBeUndefined()
  })
})

test.each([
  [{ at: '/path', matches: '/etc/*' }, '/path matches "/etc/*"'],
  [{ at: '/path', matches: 'a', not: true }, '/path does not match "a"'],
  [{ at: '', equals: { a: 1 } }, 'all of it is {"a":1}'],
  [{ at: '/sure', equals: true, not: true }, '/sure is not true'],
])('predicates: %j in words', (predicate, words) => {
  expect(describePredicate(predicate)).toBe(words)
})
