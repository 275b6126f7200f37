import { describe, expect, test } from 'vitest'
import { withoutHidden } from '../model/hidden.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { restoreHidden } from './restore-hidden.ts'

/** Looks like `blue`, but contains a hidden character. */
const blue = 'bl\u202Eue'
const color = { enum: ['red', blue] }
/** The restored arguments for a schema with these properties. */
const restore = (args: JsonObject, properties: JsonObject, more: JsonObject = {}) =>
  restoreHidden(args, { type: 'object', properties, ...more })

describe('restoreHidden', () => {
  test('T17 restores property names and enum values, not free text', () => {
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
  ])('finds them through %s', (_, properties, more) => {
    expect(restore({ at: 'blue' }, properties, more)).toEqual({ at: blue })
  })

  test('T17 restores items of a draft-07 tuple, and those after it, by their own schemas', () => {
    const at = { items: [{ type: 'string' }], additionalItems: color }
    expect(restore({ at: ['blue', 'blue'] }, { at })).toEqual({ at: ['blue', blue] })
  })

  test('T17 restores a listed object or list as a whole', () => {
    const own = { [`na\u0007me`]: [blue], kind: 'a' }
    const twin = { name: ['blue'], kind: 'b' }
    const at = { enum: [own, twin, [blue, 1]], properties: { kind: color } }
    expect(restore({ at: { kind: 'a', name: ['blue'] } }, { at })).toEqual({ at: own })
    expect(restore({ at: twin }, { at })).toEqual({ at: twin })
    expect(restore({ at: own }, { at: { const: own } })).toEqual({ at: own })
    expect(restore({ at: ['blue', 1] }, { at })).toEqual({ at: [blue, 1] })
    expect(restore({ at: { kind: 'blue', name: ['blue'] } }, { at })).toEqual({
      at: { kind: blue, name: ['blue'] },
    })
  })

  test('T23 ignores patternProperties: untrusted patterns are not run', () => {
    const at = { patternProperties: { '^x-': color } }
    expect(restore({ at: { 'x-a': 'blue' } }, { at })).toEqual({ at: { 'x-a': 'blue' } })
  })

  test('finds them in tuples of old and new drafts', () => {
    const tuples = { new: { prefixItems: [{}, color], items: color }, old: { items: [{}, color] } }
    const shown = { new: ['blue', 'blue', 'blue'], old: ['blue', 'blue', 'blue'] }
    expect(restore(shown, tuples)).toEqual({ new: ['blue', blue, blue], old: ['blue', blue, 'blue'] })
  })

  test('prefers an exact listed value over one that only looks the same', () => {
    const twins = { [blue]: { const: 1 }, blue: { enum: [blue, 'blue'] } }
    expect(restore({ blue: 'blue' }, twins)).toEqual({ blue: 'blue' })
    expect(restore({ [blue]: 1 }, twins)).toEqual({ [blue]: 1 })
  })

  test('ignores invalid schemas, dangling references and endless recursion', () => {
    const odd: JsonObject = { a: true, b: { $ref: '#/%' }, c: { enum: 'blue', properties: [], allOf: 1 } }
    const shown = { a: 'blue', b: 'blue', c: { blue: 'blue' } }
    expect(restore(shown, odd)).toEqual(shown)
    let deep: Json = 'blue'
    for (let level = 0; level < 100_000; level++) deep = { at: deep }
    const endless = restore({ at: deep }, { at: { $ref: '#' } })
    expect(Object.keys(endless)).toEqual(['at'])
  })

  test('T23 visits a huge list once, or stops at the limit', () => {
    const words = Array.from({ length: 15_000 }, (_, index) => `w${index}\u202E`)
    const some = words.slice(0, 1000).map((word) => word.slice(0, -1))
    const byName = Object.fromEntries(some.map((name) => [name, 1]))
    expect(Object.keys(restoreHidden(byName, { required: words }))).toEqual(words.slice(0, 1000))
    const many = restore({ list: some }, { list: { items: { enum: words } } })
    expect(many).toEqual({ list: some })
  })

  test('T23 returns the arguments unchanged when the schema needs too many visits', () => {
    const branches = Array.from({ length: 20_000 }, () => ({ properties: { other: {} } }))
    const args = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`k${at}`, 'blue']))
    expect(restore({ at: 'blue', ...args }, { at: color }, { anyOf: branches })).toEqual({
      at: 'blue',
      ...args,
    })
    const many = { enum: [...Array.from({ length: 5000 }, (_, at) => `v${at}`), blue] }
    const list = Array.from({ length: 6 }, () => 'blue')
    expect(restore({ at: list }, { at: { items: many } })).toEqual({ at: list.map(() => blue) })
  })
})
