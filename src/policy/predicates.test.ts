import { describe, expect, test } from 'vitest'
import { describePredicate, predicateHolds, readPredicate } from './predicates.ts'
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

describe('predicateHolds', () => {
  const args = { path: '/etc/passwd', list: ['/tmp/a', '/etc/b'], n: 7, none: null, '/etc/key': 1 }
  const holds = (predicate: Parameters<typeof predicateHolds>[0]) =>
    (['any', 'all'] as const).map((need) => predicateHolds(predicate, args, need))

  test.each<[string, Parameters<typeof predicateHolds>[0], [boolean, boolean]]>([
    ['one value that matches', { at: '/path', matches: '/etc/*' }, [true, true]],
    ['one value that does not', { at: '/path', matches: '/tmp/*' }, [false, false]],
    ['values of which one matches', { at: '/list', matches: '/etc/*' }, [true, false]],
    ['values of which none matches', { at: '/list', matches: '/var/*' }, [false, false]],
    ['a number, as text', { at: '/n', matches: '7' }, [true, true]],
    ['a key that matches', { at: '', matches: '/etc/key' }, [true, false]],
    ['not: one value that does not match', { at: '/list', matches: '/etc/*', not: true }, [true, false]],
    ['not: a value that matches', { at: '/path', matches: '/etc/*', not: true }, [false, false]],
    ['no value', { at: '/gone', matches: '*' }, [false, false]],
    ['not: no value', { at: '/gone', matches: '*', not: true }, [true, false]],
    ['null', { at: '/none', equals: null }, [true, true]],
    ['no value is not null', { at: '/gone', equals: null }, [false, false]],
    ['null among values', { at: '', equals: null }, [true, false]],
    ['a whole list', { at: '/list', equals: ['/tmp/a', '/etc/b'] }, [true, true]],
    ['a list with other items', { at: '/list', equals: ['/tmp/a'] }, [false, false]],
    ['one item of a list', { at: '/list', equals: '/etc/b' }, [true, false]],
    ['a pattern is no glob for equals', { at: '/path', equals: '/etc/*' }, [false, false]],
  ])('%s', (_what, predicate, expected) => {
    expect(holds(predicate)).toEqual(expected)
  })
})
