import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../index.ts'
import { parsePairs, toArguments } from './tool-arguments.ts'

describe('arguments as key=value', () => {
  const read = (words: readonly string[], properties = {}) => toArguments(parsePairs(words), { properties })

  test('what is JSON is read as such, anything else is a text', () => {
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

  test('a number that would lose something stays a text', () => {
    expect(read(['a=007', 'b=1.10', 'c=1e3', 'd=12345678901234567890'])).toEqual({
      a: '007',
      b: '1.10',
      c: '1e3',
      d: '12345678901234567890',
    })
  })

  test('where the tool wants a text it gets one', () => {
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

  test('where it wants a number, a yes or no, a list or an object it gets one', () => {
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

  test('what does not fit stays as it is, for the check to name it', () => {
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
    ['one in another writing', { $ref: '#/$defs/a~1b%20c' }, ['v=1'], '1'],
    ['one to itself', { $ref: '#/$defs/Loop' }, ['v=1'], '1'],
    ['one to nothing', { $ref: '#/$defs/None' }, ['v=1'], 1],
    ['one to elsewhere', { $ref: 'https://host.example/a' }, ['v=1'], 1],
    ['a reference or none', { anyOf: [{ $ref: '#/$defs/Mode' }, { type: 'null' }] }, ['v=1'], '1'],
    ['none instead', { anyOf: [{ $ref: '#/$defs/Mode' }, { type: 'null' }] }, ['v=null'], null],
    ['a reference to a number', { allOf: [{ $ref: '#/$defs/Count' }], default: 1 }, ['v=007'], 7],
    ['allOf', { allOf: [{ type: 'string' }] }, ['v=12345'], '12345'],
    ['allOf that narrows', { type: ['string', 'number'], allOf: [{ type: 'string' }] }, ['v=5'], '5'],
    ['one text', { const: '1' }, ['v=1'], '1'],
    ['one number', { const: 1 }, ['v=1'], 1],
    ['a text of a list of both', { enum: ['1', 2] }, ['v=1'], '1'],
    ['a number of a list of both', { enum: ['1', 2] }, ['v=2'], 2],
    ['a word or a number', { anyOf: [{ const: 'auto' }, { type: 'integer' }] }, ['v=auto'], 'auto'],
    ['a number or a word', { anyOf: [{ const: 'auto' }, { type: 'integer' }] }, ['v=05'], 5],
    ['a text that looks like a number', { type: ['string', 'number'] }, ['v=1.10'], '1.10'],
    ['a text that would be none', { type: ['string', 'null'] }, ['v="null"'], 'null'],
    ['a text in quotes', { type: ['string', 'null'] }, ['v="a b"'], '"a b"'],
    ['a number too large for one', { type: ['number', 'null'] }, ['v=1e999'], '1e999'],
    ['a list or none', { anyOf: [texts, { type: 'null' }] }, ['v=1'], ['1']],
    ['no list', { anyOf: [texts, { type: 'null' }] }, ['v=null'], null],
    ['two of a list', { anyOf: [texts, { type: 'null' }] }, ['v=1', 'v=null'], ['1', 'null']],
    ['a list by reference', { $ref: '#/$defs/Tags' }, ['v=1'], ['1']],
    ['a list of references', { type: 'array', items: { $ref: '#/$defs/Mode' } }, ['v=1', 'v=2'], ['1', '2']],
    ['a text or a list', { anyOf: [{ type: 'string' }, texts] }, ['v=1'], '1'],
    ['a list or a text', { anyOf: [{ type: 'string' }, texts] }, ['v=1', 'v=2'], ['1', '2']],
    ['a list as JSON or a text', { anyOf: [{ type: 'string' }, texts] }, ['v=["1"]'], ['1']],
    ['no list of texts, but a text', { anyOf: [{ type: 'string' }, texts] }, ['v=[1]'], '[1]'],
    ['a number or a list', { anyOf: [{ type: 'number' }, numbers] }, ['v=1'], 1],
    ['what only begins like a list', texts, ['v=[draft] title'], ['[draft] title']],
    ['a list of lists', { type: 'array', items: numbers }, ['v=[1,2]', 'v=[3]'], [[1, 2], [3]]],
    ['a list of lists as JSON', { type: 'array', items: numbers }, ['v=[[1,2]]'], [[1, 2]]],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, {}] }, ['v=1', 'v=2'], ['1', 2]],
    ['an older tuple', { type: 'array', items: [{ type: 'string' }] }, ['v=1', 'v=2'], ['1', 2]],
    ['an object or a text', { type: ['object', 'string'] }, ['v={"a":1}'], { a: 1 }],
    ['anything', { type: ['array', 'boolean', 'null', 'number', 'object', 'string'] }, ['v=5'], 5],
    ['a kind nobody knows', { type: 'any' }, ['v=5'], 5],
  ])('the schemas of all forms count: %s', (_what, v, words, expected) => {
    expect(toArguments(parsePairs(words), { properties: { v }, $defs })).toEqual({ v: expected })
  })

  test.each<[string, JsonObject]>([
    ['allOf', { allOf: [{ properties: { v: { type: 'string' } } }] }],
    ['a reference', { $ref: '#/$defs/A', $defs: { A: { properties: { v: { type: 'string' } } } } }],
    ['one form of two', { oneOf: [{ properties: { v: { type: 'string' } } }, { required: ['w'] }] }],
    ['a condition', { if: {}, else: { properties: { v: { type: 'string' } } } }],
    ['others', { additionalProperties: { type: 'string' } }],
  ])('an argument is found in %s', (_what, schema) => {
    expect(toArguments(parsePairs(['v=5']), schema)).toEqual({ v: '5' })
  })

  test('T23 a schema that doubles without end says nothing', () => {
    const twice = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }
    expect(
      toArguments(parsePairs(['v=5', 'w=5']), {
        properties: { v: { $ref: '#/$defs/a' }, w: { type: 'string' } },
        $defs: { a: { ...twice, allOf: twice.anyOf } },
      }),
    ).toEqual({ v: 5, w: '5' })
  })

  test('what is given twice is a list', () => {
    expect(read(['a=1', 'a=2'])).toEqual({ a: [1, 2] })
  })

  test('a key of every object is no property of the tool', () => {
    expect(read(['toString=1', '__proto__=1'])).toEqual(
      Object.fromEntries([
        ['toString', 1],
        ['__proto__', 1],
      ]),
    )
  })

  test.each(['word', '=value', ''])('"%s" is none', (word) => {
    expect(() => parsePairs([word])).toThrow('is not an argument')
  })

  test('@file is what is in it, @@ is a text that begins with an @', () => {
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
