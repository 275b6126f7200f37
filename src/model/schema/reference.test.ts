import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toPointer } from '../json.ts'
import type { JsonObject } from '../json.ts'
import { replaceRef, resolveRef } from './reference.ts'

describe('resolveRef', () => {
  const text = { type: 'string' }

  test.each([
    ['#/$defs/plain', 'plain'],
    ['#/$defs/a~1b', 'a/b'],
    ['#/$defs/a~0b', 'a~b'],
    ['#/$defs/a~01', 'a~1'],
    ['#/$defs/a%20b', 'a b'],
    ['#/$defs/a%7E1b', 'a/b'],
    ['#/$defs/100%25', '100%'],
    ['#/$defs/100%', '100%'],
    ['#/$defs/50%/100%25', undefined],
    ['#/$defs/%C3%28', '%C3%28'],
    ['#/$defs/', ''],
  ])('%s finds the definition %j', (ref, name) => {
    const $defs = Object.fromEntries(name === undefined ? [] : [[name, text]])
    expect(resolveRef(ref, { $defs })).toBe(name === undefined ? undefined : text)
  })

  test('decodes the whole fragment before it is split, as RFC 6901 says', () => {
    const root = { a: { b: text }, 'a/b': { type: 'number' } }
    expect(resolveRef('#/a%2Fb', root)).toBe(text)
  })

  test('resolves # to the document itself, and items of an array by index', () => {
    const root: JsonObject = { allOf: [true, text] }
    expect(resolveRef('#', root)).toBe(root)
    expect(resolveRef('#/allOf/1', root)).toBe(text)
    expect(resolveRef('#/allOf/01', root)).toBeUndefined()
    expect(resolveRef('#/allOf/length', root)).toBeUndefined()
  })

  test('T23 resolves nothing but pointers into the same document', () => {
    const root = { a: text, '': text }
    for (const ref of ['a', '#a', 'https://host.example/a', '/a', '', 'other.json#/a', 5, null, undefined]) {
      expect(resolveRef(ref, root)).toBeUndefined()
    }
  })

  test('T44 finds own properties only, never those of a prototype', () => {
    const root = { $defs: {}, list: [] }
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(resolveRef(`#/${key}`, root)).toBeUndefined()
      expect(resolveRef(`#/$defs/${key}`, root)).toBeUndefined()
      expect(resolveRef(`#/list/${key}`, root)).toBeUndefined()
    }
    const own = JSON.parse('{"$defs":{"__proto__":{"type":"string"}}}') as JsonObject
    expect(resolveRef('#/$defs/__proto__', own)).toEqual(text)
  })

  test('finds any key by its pointer, percent-encoded or not', () => {
    const key = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('~', '/', '0', '1', '%', '2', 'F', '#', ' ', 'é') }),
      fc.constantFrom('100%', '%', '~1', '%7E1', '__proto__', 'constructor', ''),
    )
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), (path) => {
        const root = path.reduceRight<JsonObject>((inner, name) => Object.fromEntries([[name, inner]]), text)
        const pointer = toPointer(path)
        const spellings = [encodeURI(pointer), ...(pointer.includes('%') ? [] : [pointer])]
        for (const spelling of spellings) expect(resolveRef(`#${spelling}`, root)).toEqual(text)
      }),
    )
  })
})

describe('replaceRef', () => {
  test('follows a chain of references; keywords nearer to the start win', () => {
    const $defs = {
      far: { type: 'string', title: 'far', maxLength: 3 },
      near: { $ref: '#/$defs/far', title: 'near' },
    }
    expect(replaceRef({ $ref: '#/$defs/near', description: 'own' }, { $defs })).toEqual({
      type: 'string',
      title: 'near',
      maxLength: 3,
      description: 'own',
    })
  })

  test('drops a reference to nothing, to a boolean or to another document', () => {
    const root = { $defs: { yes: true } }
    for (const $ref of ['#/$defs/none', '#/$defs/yes', 'https://host.example/a', 5]) {
      expect(replaceRef({ $ref, title: 'own' }, root)).toEqual({ title: 'own' })
    }
  })

  test('T23 ends for any references among definitions, cycles included, and leaves none', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd')
    const schema = fc.record({ $ref: name.map((to) => `#/$defs/${to}`), title: fc.string() })
    fc.assert(
      fc.property(fc.dictionary(name, schema), name, ($defs, first) => {
        expect(replaceRef({ $ref: `#/$defs/${first}` }, { $defs })).not.toHaveProperty('$ref')
      }),
    )
    expect(replaceRef({ $ref: '#', title: 'root' }, { $ref: '#' })).toEqual({ title: 'root' })
  })
})
