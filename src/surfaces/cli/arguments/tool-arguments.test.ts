import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../index.ts'
import { parsePairs, toArguments } from './tool-arguments.ts'

describe('toArguments', () => {
  const read = (words: readonly string[], properties = {}) =>
    toArguments(parsePairs(words, '/'), { properties })

  test('without a schema, JSON is parsed and anything else is a text', () => {
    expect(read(['a=1', 'b=-0.5', 'c=true', 'd=null', 'e={"x":[1]}', 'f="1"', 'g=two words', 'h='])).toEqual({
      a: 1,
      b: -0.5,
      c: true,
      d: null,
      e: { x: [1] },
      f: '1',
      g: 'two words',
      h: '',
    })
  })

  test('a number that would lose digits stays a text', () => {
    expect(read(['a=007', 'b=1.10', 'c=1e3', 'd=12345678901234567890'])).toEqual({
      a: '007',
      b: '1.10',
      c: '1e3',
      d: '12345678901234567890',
    })
  })

  test('an argument of type string stays a text', () => {
    const properties = {
      id: { type: 'string' },
      any: { type: ['string', 'number'] },
      maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      one: { enum: ['5', '6'] },
      odd: true,
    }
    const words = ['id=5', 'any=5', 'maybe=null', 'one=5', 'odd=5', 'other=5']
    expect(read(words, properties)).toEqual({
      id: '5',
      any: 5,
      maybe: null,
      one: '5',
      odd: 5,
      other: 5,
    })
  })

  test('numbers, booleans, lists and objects are converted to the type of the schema', () => {
    const properties = {
      number: { type: 'number' },
      whole: { type: 'integer' },
      yes: { type: 'boolean' },
      list: { type: 'array', items: { type: 'string' } },
      numbers: { type: 'array', items: { type: 'number' } },
      one: { type: 'array', items: { type: 'string' } },
      object: { type: 'object' },
    }
    const words = [
      'number=1.10',
      'whole=007',
      'yes=true',
      'list=1',
      'list=2',
      'numbers=[1,2]',
      'one=x',
      'object={"a":1}',
    ]
    expect(read(words, properties)).toEqual({
      number: 1.1,
      whole: 7,
      yes: true,
      list: ['1', '2'],
      numbers: [1, 2],
      one: ['x'],
      object: { a: 1 },
    })
  })

  test('a value of the wrong type is passed on unchanged, for validation to report', () => {
    const properties = { number: { type: 'number' }, yes: { type: 'boolean' }, large: { type: 'integer' } }
    expect(read(['number=many', 'yes=maybe', 'large=12345678901234567890'], properties)).toEqual({
      number: 'many',
      yes: 'maybe',
      large: '12345678901234567890',
    })
  })

  const texts = { type: 'array', items: { type: 'string' } }
  const numbers = { type: 'array', items: { type: 'number' } }
  const $defs = {
    Mode: { enum: ['1', '2'] },
    Count: { type: 'integer' },
    Tags: texts,
    'a/b c': { type: 'string' },
    Loop: { allOf: [{ $ref: '#/$defs/Loop' }], type: 'string' },
  }

  test.each<[string, Json, readonly string[], Json]>([
    ['a reference', { $ref: '#/$defs/Mode' }, ['v=1'], '1'],
    ['an escaped reference', { $ref: '#/$defs/a~1b%20c' }, ['v=1'], '1'],
    ['a reference to itself', { $ref: '#/$defs/Loop' }, ['v=1'], '1'],
    ['a dangling reference', { $ref: '#/$defs/None' }, ['v=1'], 1],
    ['an external reference', { $ref: 'https://host.example/a' }, ['v=1'], 1],
    ['a reference or null', { anyOf: [{ $ref: '#/$defs/Mode' }, { type: 'null' }] }, ['v=1'], '1'],
    [
      'null instead of a reference',
      { anyOf: [{ $ref: '#/$defs/Mode' }, { type: 'null' }] },
      ['v=null'],
      null,
    ],
    ['a reference to a number', { allOf: [{ $ref: '#/$defs/Count' }], default: 1 }, ['v=007'], 7],
    ['allOf', { allOf: [{ type: 'string' }] }, ['v=12345'], '12345'],
    ['allOf that narrows', { type: ['string', 'number'], allOf: [{ type: 'string' }] }, ['v=5'], '5'],
    ['a const text', { const: '1' }, ['v=1'], '1'],
    ['a const number', { const: 1 }, ['v=1'], 1],
    ['a text of a mixed enum', { enum: ['1', 2] }, ['v=1'], '1'],
    ['a number of a mixed enum', { enum: ['1', 2] }, ['v=2'], 2],
    [
      'a const word or a number: the word',
      { anyOf: [{ const: 'auto' }, { type: 'integer' }] },
      ['v=auto'],
      'auto',
    ],
    [
      'a const word or a number: the number',
      { anyOf: [{ const: 'auto' }, { type: 'integer' }] },
      ['v=05'],
      5,
    ],
    ['a text that looks like a number', { type: ['string', 'number'] }, ['v=1.10'], '1.10'],
    ['a quoted null', { type: ['string', 'null'] }, ['v="null"'], 'null'],
    ['quotes that stay part of a text', { type: ['string', 'null'] }, ['v="a b"'], '"a b"'],
    ['a number out of range', { type: ['number', 'null'] }, ['v=1e999'], '1e999'],
    ['a list or null: one item', { anyOf: [texts, { type: 'null' }] }, ['v=1'], ['1']],
    ['a list or null: null', { anyOf: [texts, { type: 'null' }] }, ['v=null'], null],
    ['a list or null: two items', { anyOf: [texts, { type: 'null' }] }, ['v=1', 'v=null'], ['1', 'null']],
    ['a list by reference', { $ref: '#/$defs/Tags' }, ['v=1'], ['1']],
    ['a list of references', { type: 'array', items: { $ref: '#/$defs/Mode' } }, ['v=1', 'v=2'], ['1', '2']],
    ['a text or a list: one value', { anyOf: [{ type: 'string' }, texts] }, ['v=1'], '1'],
    ['a text or a list: two values', { anyOf: [{ type: 'string' }, texts] }, ['v=1', 'v=2'], ['1', '2']],
    ['a text or a list: a JSON list', { anyOf: [{ type: 'string' }, texts] }, ['v=["1"]'], ['1']],
    [
      'a text or a list of texts: a list of numbers stays a text',
      { anyOf: [{ type: 'string' }, texts] },
      ['v=[1]'],
      '[1]',
    ],
    ['a number or a list', { anyOf: [{ type: 'number' }, numbers] }, ['v=1'], 1],
    ['a text that starts like a list', texts, ['v=[draft] title'], ['[draft] title']],
    ['a list of lists', { type: 'array', items: numbers }, ['v=[1,2]', 'v=[3]'], [[1, 2], [3]]],
    ['a list of lists as JSON', { type: 'array', items: numbers }, ['v=[[1,2]]'], [[1, 2]]],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, {}] }, ['v=1', 'v=2'], ['1', 2]],
    ['a tuple of an older draft', { type: 'array', items: [{ type: 'string' }] }, ['v=1', 'v=2'], ['1', 2]],
    ['an object or a text', { type: ['object', 'string'] }, ['v={"a":1}'], { a: 1 }],
    ['all types', { type: ['array', 'boolean', 'null', 'number', 'object', 'string'] }, ['v=5'], 5],
    ['an unknown type', { type: 'any' }, ['v=5'], 5],
  ])('schema forms: %s', (_what, v, words, expected) => {
    expect(toArguments(parsePairs(words, '/'), { properties: { v }, $defs })).toEqual({ v: expected })
  })

  test.each<[string, JsonObject]>([
    ['allOf', { allOf: [{ properties: { v: { type: 'string' } } }] }],
    ['a reference', { $ref: '#/$defs/A', $defs: { A: { properties: { v: { type: 'string' } } } } }],
    ['one of two alternatives', { oneOf: [{ properties: { v: { type: 'string' } } }, { required: ['w'] }] }],
    ['a condition', { if: {}, else: { properties: { v: { type: 'string' } } } }],
    ['additionalProperties', { additionalProperties: { type: 'string' } }],
  ])('finds the schema of an argument in %s', (_what, schema) => {
    expect(toArguments(parsePairs(['v=5'], '/'), schema)).toEqual({ v: '5' })
  })

  test('T23 a schema that expands without end is ignored', () => {
    const twice = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }
    expect(
      toArguments(parsePairs(['v=5', 'w=5'], '/'), {
        properties: { v: { $ref: '#/$defs/a' }, w: { type: 'string' } },
        $defs: { a: { ...twice, allOf: twice.anyOf } },
      }),
    ).toEqual({ v: 5, w: '5' })
  })

  test('a repeated key becomes a list', () => {
    expect(read(['a=1', 'a=2'])).toEqual({ a: [1, 2] })
  })

  test('keys of Object.prototype are not taken for properties', () => {
    expect(read(['toString=1', '__proto__=1'])).toEqual(
      Object.fromEntries([
        ['toString', 1],
        ['__proto__', 1],
      ]),
    )
  })

  test.each(['word', '=value', ''])('parsePairs rejects "%s"', (word) => {
    expect(() => parsePairs([word], '/')).toThrow('is not an argument')
  })

  test('@file is the content of the file, @@ a text that starts with @', () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-arguments-'))
    try {
      writeFileSync(join(folder, 'text.txt'), 'hello\n')
      writeFileSync(join(folder, 'data.json'), '{"a":[1]}')
      const words = ['text=@text.txt', 'data=@data.json', 'base64=@text.txt', 'at=@@ida', 'sign=@']
      const properties = {
        text: { type: 'string' },
        data: { type: 'object' },
        base64: { type: 'string', contentEncoding: 'base64' },
      }
      expect(toArguments(parsePairs(words, folder), { properties })).toEqual({
        text: 'hello\n',
        data: { a: [1] },
        base64: 'aGVsbG8K',
        at: '@ida',
        sign: '@',
      })
      expect(() => parsePairs(['a=@none'], folder)).toThrow('The file none cannot be read')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
