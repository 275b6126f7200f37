import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromPointer, isEqual, isForbiddenKey, isObject, isStringArray, toPointer, valueAt } from './json.ts'
import type { Json } from './json.ts'

test('toPointer and fromPointer: a path survives the round trip', () => {
  expect(toPointer(['mcpServers', 'a/b', 'c~d', 0])).toBe('/mcpServers/a~1b/c~0d/0')
  fc.assert(
    fc.property(fc.array(fc.string()), (path) => {
      expect(fromPointer(toPointer(path))).toEqual(path)
    }),
  )
})

describe('valueAt', () => {
  const value: Json = { a: [{ b: 1 }, 'x'], '': { '': 2 } }

  test('finds a value through objects and arrays', () => {
    expect(valueAt(value, [])).toBe(value)
    expect(valueAt(value, ['a', 0, 'b'])).toBe(1)
    expect(valueAt(value, ['a', '1'])).toBe('x')
    expect(valueAt(value, ['', ''])).toBe(2)
  })

  test('T44 finds no inherited property of objects or arrays', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'length', 'hasOwnProperty']) {
      expect(valueAt(value, [key])).toBeUndefined()
      expect(valueAt(value, ['a', key])).toBeUndefined()
      expect(valueAt(value, ['a', 1, key])).toBeUndefined()
    }
  })

  test('accepts only a plain index for an array', () => {
    for (const index of ['', ' 0', '00', '-1', '1.0', '0x1', '1e0', '2']) {
      expect(valueAt(value, ['a', index])).toBeUndefined()
    }
  })

  test('agrees with following the path step by step', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.oneof(fc.nat(3), fc.string())), (json, path) => {
        const byHand = path.reduce<unknown>((current, part) => {
          if (Array.isArray(current)) return typeof part === 'number' ? current[part] : undefined
          return isObject(current) && Object.hasOwn(current, part) ? current[part] : undefined
        }, json)
        const words = path.filter((part) => typeof part !== 'string' || !/^\d+$/.test(part))
        fc.pre(words.length === path.length)
        expect(valueAt(json as Json, path)).toBe(byHand)
      }),
    )
  })
})

test('isObject: null and arrays are not objects', () => {
  expect([{}, Object.create(null), [], null, 'x', undefined].map(isObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})

test('isEqual: -0 equals 0, NaN equals itself, and the order of keys does not matter', () => {
  expect(isEqual({ a: [0, 1], b: null }, { b: null, a: [-0, 1] })).toBe(true)
  expect(isEqual([Number.NaN], [Number.NaN])).toBe(true)
  expect(isEqual([0], [false])).toBe(false)
  expect(isEqual([0], ['0'])).toBe(false)
})

test('isStringArray: every item is a string', () => {
  expect([[], ['a'], ['a', 1], 'a', null].map(isStringArray)).toEqual([true, true, false, false, false])
})

test('T08 isForbiddenKey: only keys that would change a prototype are forbidden', () => {
  expect(['__proto__', 'constructor', 'prototype', 'proto', 'toString', ''].filter(isForbiddenKey)).toEqual([
    '__proto__',
    'constructor',
    'prototype',
  ])
})
