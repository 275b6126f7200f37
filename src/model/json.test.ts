import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromPointer, isEqual, isForbiddenKey, isObject, isStringArray, toPointer, valueAt } from './json.ts'
import type { Json } from './json.ts'

test('a pointer names a path and is read back as the same path', () => {
  expect(toPointer(['mcpServers', 'a/b', 'c~d', 0])).toBe('/mcpServers/a~1b/c~0d/0')
  fc.assert(
    fc.property(fc.array(fc.string()), (path) => {
      expect(fromPointer(toPointer(path))).toEqual(path)
    }),
  )
})

describe('a value by its path', () => {
  const value: Json = { a: [{ b: 1 }, 'x'], '': { '': 2 } }

  test('is found through objects and lists', () => {
    expect(valueAt(value, [])).toBe(value)
    expect(valueAt(value, ['a', 0, 'b'])).toBe(1)
    expect(valueAt(value, ['a', '1'])).toBe('x')
    expect(valueAt(value, ['', ''])).toBe(2)
  })

  test('T44 is never something that every object or list has', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'length', 'hasOwnProperty']) {
      expect(valueAt(value, [key])).toBeUndefined()
      expect(valueAt(value, ['a', key])).toBeUndefined()
      expect(valueAt(value, ['a', 1, key])).toBeUndefined()
    }
  })

  test('only a plain index names an element', () => {
    for (const index of ['', ' 0', '00', '-1', '1.0', '0x1', '1e0', '2']) {
      expect(valueAt(value, ['a', index])).toBeUndefined()
    }
  })

  test('is what following the path by hand gives', () => {
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

test('an object is neither null nor a list', () => {
  expect([{}, Object.create(null), [], null, 'x', undefined].map(isObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})

test('the same data is equal: -0 is 0, a nan is itself, and no order of keys counts', () => {
  expect(isEqual({ a: [0, 1], b: null }, { b: null, a: [-0, 1] })).toBe(true)
  expect(isEqual([Number.NaN], [Number.NaN])).toBe(true)
  expect(isEqual([0], [false])).toBe(false)
  expect(isEqual([0], ['0'])).toBe(false)
})

test('a list of strings has nothing else in it', () => {
  expect([[], ['a'], ['a', 1], 'a', null].map(isStringArray)).toEqual([true, true, false, false, false])
})

test('T08 the keys that would change an object are forbidden, and no others', () => {
  expect(['__proto__', 'constructor', 'prototype', 'proto', 'toString', ''].filter(isForbiddenKey)).toEqual([
    '__proto__',
    'constructor',
    'prototype',
  ])
})
