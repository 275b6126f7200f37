import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../json.ts'
import { isOfType, schemaTypes, typesOf } from './value-type.ts'

test.each<[Json, readonly string[]]>([
  ['', ['string']],
  [0.5, ['number']],
  [1, ['number', 'integer']],
  [1e300, ['number', 'integer']],
  [true, ['boolean']],
  [null, ['null']],
  [[], ['array']],
  [{}, ['object']],
])('isOfType: %j is of the types %j and of no others', (value, types) => {
  const found = [...schemaTypes].filter((type) => isOfType(value, type))
  expect(new Set(found)).toEqual(new Set(types))
})

test('isOfType: a list of types admits a value of any of them', () => {
  expect(isOfType('a', ['null', 'string'])).toBe(true)
  expect(isOfType(1, ['null', 'string'])).toBe(false)
})

test('isOfType: undefined for a type that JSON Schema does not define', () => {
  for (const type of ['str', 'toString', 'String', 5, null, {}, undefined, [], ['str'], [['string']]]) {
    expect(isOfType('a', type)).toBeUndefined()
  }
  expect(isOfType(1, ['string', 'int'])).toBeUndefined()
  expect(isOfType('a', ['string', 'int'])).toBe(true)
})

test('isOfType: every JSON value is of one type, or of number and integer', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const found = [...schemaTypes].filter((type) => isOfType(value as Json, type))
      expect(found.filter((type) => type !== 'integer')).toHaveLength(1)
    }),
  )
})

test('typesOf: returns the type names as a list of strings', () => {
  const types: readonly Json[] = ['string', ['string', 'null'], [1, 'a'], 5, {}]
  expect(types.map((type) => typesOf({ type }))).toEqual([['string'], ['string', 'null'], ['a'], [], []])
  expect(typesOf({})).toEqual([])
})
