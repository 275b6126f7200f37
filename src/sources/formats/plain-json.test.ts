import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { parseJsonc } from './jsonc.ts'
import { readPlainJson } from './plain-json.ts'

describe('readPlainJson', () => {
  test('T08 values and positions agree with parseJsonc, for any value and any layout', () => {
    const keys = fc.oneof(fc.string(), fc.constantFrom('a', 'b/c', 'd~e', '"', '\\', 'ü', '1'))
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(0, 1, 2, '\t'),
        fc.constantFrom('\n', '\r\n'),
        (data, indent, eol) => {
          const text = JSON.stringify(data, undefined, indent).replaceAll('\n', eol)
          const [plain, full] = [readPlainJson(text), parseJsonc(text)]
          fc.pre(full.forbidden.length === 0)
          expect(plain?.value).toEqual(full.value)
          for (const pointer of pointersOf(full.value ?? null)) {
            expect([pointer, plain?.position(pointer)]).toEqual([pointer, full.position(pointer)])
          }
        },
      ),
    )
  })

  test('a pointer to an absent value gives the position of its nearest parent', () => {
    const text = '{\n  "a": { "b": [1, 2] }\n}'
    expect(readPlainJson(text)?.position('/a/b/7/x')).toEqual({ line: 2, column: 10 })
    expect(readPlainJson(text)?.position('')).toEqual({ line: 1, column: 1 })
  })

  test.each([
    ['a comment', '{ "a": 1 } // x'],
    ['an infinite number', '{ "a": [1, -1e400] }'],
    ['a trailing comma', '{ "a": 1, }'],
    ['a duplicate key', '{ "a": 1, "a": 2 }'],
    ['a nested duplicate key', '{ "x": [{ "a": "1:2", "a": ":" }] }'],
    ['a duplicate key in another spelling', '{ "a": 1, "\\u0061": 2 }'],
    ['a key that could set a prototype', '{ "__proto__": { "polluted": true } }'],
    ['truncated JSON', '{ "a": '],
    ['an empty text', ''],
    ['deep nesting', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('%s is left to the full parser', (_what, text) => {
    expect(readPlainJson(text)).toBeUndefined()
  })

  test('T44 the objects have no prototype', () => {
    const value = readPlainJson('{ "a": { "b": {} } }')?.value
    expect(isObject(value) && Object.getPrototypeOf(value)).toBeNull()
    expect(isObject(value) && isObject(value['a']) && Object.getPrototypeOf(value['a'])).toBeNull()
  })

  test('a byte order mark is skipped, and quotes in strings are not keys', () => {
    expect(readPlainJson('\uFEFF{ "a": "say \\"x\\": \\\\" }')?.value).toEqual({ a: 'say "x": \\' })
  })
})

function pointersOf(value: Json, path: readonly (string | number)[] = []): readonly string[] {
  const inside = Array.isArray(value) || isObject(value) ? Object.entries(value) : []
  return [toPointer(path), ...inside.flatMap(([key, item]) => pointersOf(item as Json, [...path, key]))]
}
