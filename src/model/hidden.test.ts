import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPlainJson, removeHidden, withoutHidden } from './hidden.ts'
import type { Json } from './json.ts'

describe('T17 hidden characters in JSON', () => {
  test('isPlainJson: a text it calls plain has no hidden characters', () => {
    const unit = fc.oneof(fc.nat(0xffff), fc.constantFrom(0x9b, 0xad, 0x200b, 0x202e, 0xfe0f, 0xdb40, 0xdc41))
    const text = fc.array(unit).map((units) => String.fromCharCode(...units))
    fc.assert(
      fc.property(text, text, (key, value) => {
        const json: Json = { [key]: [value] }
        if (!isPlainJson(JSON.stringify(json))) return
        expect(withoutHidden(json)).toBe(json)
        for (const each of [key, value]) expect(removeHidden(each)).toEqual({ text: each, removed: [] })
      }),
      { numRuns: 2000 },
    )
  })

  test('isPlainJson: common texts are plain', () => {
    expect(['{"a":"b\\n\\t\\"c\\\\"}', '{"é → 漢字":"—“”…"}'].map(isPlainJson)).toEqual([true, true])
  })

  test.each(['"\\u202e"', '"\u202e"', '"\\b"', '"a\\rb"', '"\x7f"', '"\ud83d"'])(
    'isPlainJson: %j is not plain, as it may hide something',
    (json) => {
      expect(isPlainJson(json)).toBe(false)
    },
  )

  test('withoutHidden: parts without hidden characters stay the identical objects', () => {
    const clean = { type: 'object', properties: { a: { enum: ['x', 1, null] } } }
    const made = withoutHidden<Json>({ clean, hiding: ['a\u0000b'] })
    expect(made).toEqual({ clean, hiding: ['ab'] })
    expect((made as { readonly clean: Json }).clean).toBe(clean)
  })

  test('withoutHidden: a pattern shows hidden characters as escapes and matches the same texts', () => {
    const pattern = '^[\u0000\u200b\u{e0041}]$'
    const { pattern: made } = withoutHidden({ pattern })
    expect(made).toBe('^[\\u0000\\u200b\\udb40\\udc41]$')
    for (const text of ['\u0000', '\u200b', '\u{e0041}', 'a'])
      expect(new RegExp(made, 'u').test(text)).toBe(new RegExp(pattern, 'u').test(text))
  })
})
