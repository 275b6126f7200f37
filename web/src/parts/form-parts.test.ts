import { describe, expect, test } from 'vitest'
import type { Field } from '../../../src/client.ts'
import { toNumber } from './field-text.ts'
import { limitsOf, messagesAt, shownProblems } from './form-problems.ts'
import { chosenVariant } from './form-variant.ts'

const base = { name: 'x', title: 'x', isRequired: false }

describe('problems at their fields', () => {
  const problems = [
    { pointer: '/a', message: 'is required but missing' },
    { pointer: '/b/0/c', message: 'expected number' },
    { pointer: '', message: 'has too few' },
  ]

  test('each stands once, at the nearest field that is drawn', () => {
    expect(messagesAt(problems, '', ['/a', '/b'])).toEqual(['has too few'])
    expect(messagesAt(problems, '/a')).toEqual(['is required but missing'])
    expect(messagesAt(problems, '/b', ['/b/0'])).toEqual([])
    expect(messagesAt(problems, '/b')).toEqual(['0/c expected number'])
  })

  test('/ab is not below /a', () => {
    expect(messagesAt([{ pointer: '/ab', message: 'x' }], '/a')).toEqual([])
  })

  test('before the first try only fields that were touched are called wrong', () => {
    const value = { b: [{ c: 'x' }] }
    expect(shownProblems(problems, { value, isTried: false })).toEqual([problems[1]])
    expect(shownProblems(problems, { value, isTried: true })).toEqual(problems)
  })
})

test.each([
  ['', undefined],
  ['12', 12],
  ['1.0', 1],
  ['-.5', -0.5],
  ['1e3', 1000],
  ['1.', 1],
  ['abc', 'abc'],
  ['0x10', '0x10'],
  ['12345678901234567890', '12345678901234567890'],
  ['Infinity', 'Infinity'],
])('the number typed as %j is %j', (typed, value) => {
  expect(toNumber(typed)).toBe(value)
})

test.each<[Field, string]>([
  [{ ...base, kind: 'number', isInteger: true, min: 1, max: 100 }, 'integer, 1 to 100'],
  [{ ...base, kind: 'number', isInteger: false }, 'number'],
  [{ ...base, kind: 'text', format: 'uri', max: 9 }, 'uri, at most 9 characters'],
  [{ ...base, kind: 'text', min: 1 }, 'at least 1 character'],
  [{ ...base, kind: 'list', item: { ...base, kind: 'yes-no' }, min: 1 }, 'at least 1 item'],
  [{ ...base, kind: 'yes-no' }, ''],
])('the limits of %j are %j', (field, words) => {
  expect(limitsOf(field)).toBe(words)
})

describe('the shape that a value has', () => {
  const object = (kind: string): Field => ({
    ...base,
    kind: 'object',
    fields: [{ ...base, name: 'kind', isRequired: true, kind: 'constant', value: kind }],
  })
  const field: Extract<Field, { kind: 'one-of' }> = {
    ...base,
    kind: 'one-of',
    variants: [
      { ...base, kind: 'text' },
      object('a'),
      object('b'),
      { ...base, kind: 'list', item: { ...base, kind: 'number', isInteger: false } },
    ],
  }

  test.each([
    ['x', 0],
    [{ kind: 'b' }, 2],
    [[1], 3],
    [true, undefined],
    [undefined, undefined],
  ])('%j is shape %j', (value, index) => {
    expect(chosenVariant(field, value, undefined)).toBe(index)
  })

  test('what a person chose counts more', () => {
    expect(chosenVariant(field, 'x', 3)).toBe(3)
    expect(chosenVariant(field, 'x', 9)).toBe(0)
  })
})
