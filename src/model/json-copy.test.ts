import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyAsJson } from './json-copy.ts'

class Account {
  readonly name = 'a'
  readonly #secret = 's'
  get shown(): string {
    return this.#secret
  }
}

test.each([
  ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  ['a map and a set', { a: new Map([[1, 2]]), b: new Set([1]) }, { a: {}, b: {} }],
  ['numbers that JSON does not have', { a: [NaN, Infinity, -0] }, { a: [null, null, 0] }],
  ['toJSON, of an object', { a: { path: '/tmp', toJSON: () => '/etc' } }, { a: '/etc' }],
  ['toJSON, of a list', Object.assign([1], { toJSON: () => [2] }), [2]],
  ['an instance of a class', [new Account()], [{ name: 'a' }]],
  ['undefined, functions and symbols', { a: undefined, b: () => 1, c: Symbol('c'), d: 1 }, { d: 1 }],
  ['undefined in a list', [undefined, 1], [null, 1]],
  ['boxed values', { a: new String('x'), b: Object(1) as unknown }, { a: 'x', b: 1 }],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
])('copyAsJson: %s becomes what JSON.stringify writes', (_, value, plain) => {
  expect(copyAsJson(value)).toEqual(plain)
})

test('copyAsJson: __proto__ stays an own key and sets no prototype', () => {
  const copy = copyAsJson(JSON.parse('{"a":{"__proto__":{"b":1}}}') as object)
  expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"b":1}}}')
})

test('copyAsJson: the copy does not change with the value, and a getter is read once', () => {
  let reads = 0
  const value = {
    list: [1],
    get path() {
      return reads++ === 0 ? '/tmp' : '/etc'
    },
  }
  const copy = copyAsJson(value)
  value.list.push(2)
  expect([JSON.stringify(copy), reads]).toEqual(['{"list":[1],"path":"/tmp"}', 1])
})

test('copyAsJson: throws for a value without JSON', () => {
  const cycle: unknown[] = []
  cycle.push(cycle, cycle)
  for (const value of [{ a: 1n }, { cycle }, () => 1, undefined, Symbol('a')])
    expect(() => copyAsJson(value)).toThrow(TypeError)
})

test('copyAsJson: any value is copied as JSON.stringify writes it (property)', () => {
  const anything = fc.anything({
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withBoxedValues: true,
    maxDepth: 4,
  })
  fc.assert(
    fc.property(anything, (value) => {
      // A list holds every value: what has no JSON is null there.
      expect(JSON.stringify(copyAsJson([value]))).toBe(JSON.stringify([value]))
    }),
    { numRuns: 500 },
  )
})
