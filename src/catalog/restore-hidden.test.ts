import { describe, expect, test } from 'vitest'
import { withoutHidden } from '../model/hidden.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { restoreHidden } from './restore-hidden.ts'

/** Reads as `blue`, and is not. */
const blue = 'bl\u202Eue'
const color = { enum: ['red', blue] }
/** What a server gets of arguments to a schema in which every place `at` may be of a color. */
const given = (args: JsonObject, properties: JsonObject, more: JsonObject = {}) =>
  restoreHidden(args, { type: 'object', properties, ...more })

describe('what was hidden in a schema', () => {
  test('T17 names and listed values are the server’s own again; what is free text stays as it is', () => {
    const schema = {
      type: 'object',
      properties: {
        [`na\u0007me`]: { type: 'string' },
        color,
        sizes: { type: 'array', items: { const: 'x\u{E0041}l' } },
        note: { type: 'string' },
        deep: { type: 'object', additionalProperties: { properties: { color } } },
      },
      required: ['na\u0007me'],
    }
    const shown = {
      name: 'blue',
      color: 'blue',
      sizes: ['xl', 'blue'],
      note: 'blue',
      deep: { one: { color: 'blue', note: 'blue' }, color: 'blue' },
      other: ['blue'],
    }
    expect(Object.keys(withoutHidden(schema.properties))[0]).toBe('name')
    expect(restoreHidden(shown, schema)).toEqual({
      'na\u0007me': 'blue',
      color: blue,
      sizes: ['x\u{E0041}l', 'blue'],
      note: 'blue',
      deep: { one: { color: blue, note: 'blue' }, color: 'blue' },
      other: ['blue'],
    })
  })

  test.each<[string, JsonObject, JsonObject?]>([
    ['$ref', { at: { $ref: '#/$defs/bl%75e' } }, { $defs: { blue: color } }],
    ['allOf, anyOf and oneOf', { at: { allOf: [{ anyOf: [{ type: 'null' }, { oneOf: [color] }] }] } }],
    ['if and else', { at: { if: { type: 'null' }, else: color } }],
    ['allOf around the whole', {}, { allOf: [{ properties: { at: color } }] }],
    [
      'a schema that refers to itself',
      { at: { $ref: '#/$defs/a' } },
      { $defs: { a: { $ref: '#/$defs/a', ...color } } },
    ],
  ])('they are found through %s', (_, properties, more) => {
    expect(given({ at: 'blue' }, properties, more)).toEqual({ at: blue })
  })

  test('T17 items of a draft-07 tuple, and those after it, are restored by their own schemas', () => {
    const at = { items: [{ type: 'string' }], additionalItems: color }
    expect(given({ at: ['blue', 'blue'] }, { at })).toEqual({ at: ['blue', blue] })
  })

  test('T17 a whole object or list that is listed is the server’s own again, whatever stands beside it', () => {
    const own = { [`na\u0007me`]: [blue], kind: 'a' }
    const twin = { name: ['blue'], kind: 'b' }
    const at = { enum: [own, twin, [blue, 1]], properties: { kind: color } }
    expect(given({ at: { kind: 'a', name: ['blue'] } }, { at })).toEqual({ at: own })
    expect(given({ at: twin }, { at })).toEqual({ at: twin })
    expect(given({ at: own }, { at: { const: own } })).toEqual({ at: own })
    expect(given({ at: ['blue', 1] }, { at })).toEqual({ at: [blue, 1] })
    expect(given({ at: { kind: 'blue', name: ['blue'] } }, { at })).toEqual({
      at: { kind: blue, name: ['blue'] },
    })
  })

  test('T23 what belongs to a pattern stays as it is: no pattern of a stranger is run for it', () => {
    const at = { patternProperties: { '^x-': color } }
    expect(given({ at: { 'x-a': 'blue' } }, { at })).toEqual({ at: { 'x-a': 'blue' } })
  })

  test('they are found in tuples, whichever way these are written', () => {
    const tuples = { new: { prefixItems: [{}, color], items: color }, old: { items: [{}, color] } }
    const shown = { new: ['blue', 'blue', 'blue'], old: ['blue', 'blue', 'blue'] }
    expect(given(shown, tuples)).toEqual({ new: ['blue', blue, blue], old: ['blue', blue, 'blue'] })
  })

  test('what the server lists as it reads is meant before what only reads like it', () => {
    const twins = { [blue]: { const: 1 }, blue: { enum: [blue, 'blue'] } }
    expect(given({ blue: 'blue' }, twins)).toEqual({ blue: 'blue' })
    expect(given({ [blue]: 1 }, twins)).toEqual({ [blue]: 1 })
  })

  test('what is no schema, refers to nothing or never ends is passed by', () => {
    const odd: JsonObject = { a: true, b: { $ref: '#/%' }, c: { enum: 'blue', properties: [], allOf: 1 } }
    const shown = { a: 'blue', b: 'blue', c: { blue: 'blue' } }
    expect(given(shown, odd)).toEqual(shown)
    let deep: Json = 'blue'
    for (let level = 0; level < 100_000; level++) deep = { at: deep }
    const endless = given({ at: deep }, { at: { $ref: '#' } })
    expect(Object.keys(endless)).toEqual(['at'])
  })

  test('T23 a hostile list is looked at once, or no more at all', () => {
    const words = Array.from({ length: 15_000 }, (_, index) => `w${index}\u202E`)
    const some = words.slice(0, 1000).map((word) => word.slice(0, -1))
    const byName = Object.fromEntries(some.map((name) => [name, 1]))
    expect(Object.keys(restoreHidden(byName, { required: words }))).toEqual(words.slice(0, 1000))
    const many = given({ list: some }, { list: { items: { enum: words } } })
    expect(many).toEqual({ list: some })
  })

  test('T23 a schema that asks for too many looks is left to its server, with all arguments as they came', () => {
    const branches = Array.from({ length: 20_000 }, () => ({ properties: { other: {} } }))
    const args = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`k${at}`, 'blue']))
    expect(given({ at: 'blue', ...args }, { at: color }, { anyOf: branches })).toEqual({
      at: 'blue',
      ...args,
    })
    const many = { enum: [...Array.from({ length: 5000 }, (_, at) => `v${at}`), blue] }
    const list = Array.from({ length: 6 }, () => 'blue')
    expect(given({ at: list }, { at: { items: many } })).toEqual({ at: list.map(() => blue) })
  })
})
