import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
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
    expect(() => parsePairs([word])).toThrow('is no argument')
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
