import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../model/json.ts'
import { WireError } from '../wire-error.ts'
import { decodeMessage, parseMessage, sample } from './decode.ts'
import { isDeeperThan, isValueDeeperThan } from './json-walk.ts'

const bytes = (text: string) => Buffer.from(text, 'utf8')
const nested = (depth: number, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth)

function failure(run: () => unknown): { readonly code: string; readonly message: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof WireError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('decode: a message', () => {
  test('any value decodes as JSON.parse reads it (property)', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        fc.pre(!text.includes('__proto__'))
        expect(decodeMessage(bytes(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  test('the bytes may be in any kind of byte array', () => {
    const whole = new TextEncoder().encode('xx{"a":"é"}xx')
    expect(decodeMessage(whole.subarray(2, whole.length - 2))).toEqual({ a: 'é' })
  })

  test('FI-12 a byte order mark at the start and U+2028 in strings are accepted', () => {
    expect(decodeMessage(bytes('\uFEFF{"a":"1\u20282"}\r'))).toEqual({ a: '1\u20282' })
  })

  test('text that is not JSON is an error that shows its beginning, with hidden characters escaped', () => {
    const text = `{"a":\u001B[31m\u202E${'x'.repeat(500)}`
    expect(failure(() => parseMessage(text))).toEqual({
      code: 'protocol',
      message: `The server sent a message that is not JSON: {"a":\\u{1b}[31m\\u{202e}${'x'.repeat(189)}…`,
    })
  })

  test('a decoding error counts as sent', () => {
    expect(() => parseMessage('{')).toThrow(expect.objectContaining({ sent: true }))
  })
})

describe('FI-11 decode: bytes that are not UTF-8', () => {
  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['half a character', [0xe2, 0x82]],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('%s: an error, never a replacement character', (_, hostile) => {
    const message = Buffer.concat([bytes('{"a":"'), Buffer.from(hostile), bytes('"}')])
    expect(failure(() => decodeMessage(message)).message).toMatch(
      /^The server sent a message that is not UTF-8: \{"a":"�+"\}$/,
    )
  })
})

describe('FI-18 decode: nesting', () => {
  const tooDeep = { code: 'protocol', message: expect.stringMatching(/nested deeper than 256 levels: /) }

  test('256 levels are accepted, 257 are not', () => {
    expect(parseMessage(nested(256))).toEqual(JSON.parse(nested(256)))
    expect(failure(() => parseMessage(nested(257)))).toEqual(tooDeep)
  })

  test.each([
    ['arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects', '{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000)],
    ['white space between brackets', '[ \t\r'.repeat(300) + '1' + ']'.repeat(300)],
    ['a shallow neighbor first', '[1,'.repeat(300) + '1' + ']'.repeat(300)],
    ['closing brackets in strings', '["]]]]",'.repeat(300) + '1' + ']'.repeat(300)],
    ['closing brackets after an escaped quote', '["\\"]]]]\\\\",'.repeat(300) + '1' + ']'.repeat(300)],
    ['closing brackets in keys', '{"}}}}":'.repeat(300) + '1' + '}'.repeat(300)],
    ['after a long text', `["${'é{['.repeat(100_000)}",${nested(300)}]`],
    ['an array with empty objects', nested(256, '{},{}')],
    ['a text too long to be parsed first', '['.repeat(3_000_000) + ']'.repeat(3_000_000)],
    ['letters that look like a bracket when truncated to a byte', `["${'\u015D'.repeat(9)}",${nested(300)}]`],
  ])('too deep nesting is found: %s', (_, text) => {
    expect(failure(() => parseMessage(text))).toEqual(tooDeep)
  })

  test('brackets in strings and brackets side by side do not count', () => {
    const texts = [
      JSON.stringify({ text: '[{"'.repeat(100_000) }),
      JSON.stringify({ text: '\\"[[1'.repeat(100_000) }),
      JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ id, tags: ['"[', '{'], at: { x: [id] } }))),
      nested(255, '{},[],{"a":1}'),
    ]
    for (const text of texts) expect(parseMessage(text)).toEqual(JSON.parse(text))
  })

  test('the text check and the value check agree around the limit (property)', () => {
    const wrap = fc.constantFrom<(inner: unknown) => unknown>(
      (inner) => [inner],
      (inner) => ({ '}]"\\': inner }),
      (inner) => ['\\"]', inner, {}],
      (inner) => ({ a: [[]], '': inner, é: '}' }),
    )
    fc.assert(
      fc.property(fc.array(wrap, { minLength: 250, maxLength: 260 }), (wraps) => {
        const value = wraps.reduce<unknown>((inner, wrapped) => wrapped(inner), 1)
        const text = JSON.stringify(value)
        const isDeep = depthOf(value) > 256
        const found = [isDeeperThan(256, text), isValueDeeperThan(256, JSON.parse(text) as Json)] // the text is JSON
        expect(found).toEqual([isDeep, isDeep])
      }),
    )
  })
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('T44 FI-19 decode: a __proto__ key', () => {
  test.each(['__proto__', '\\u005f_proto__', '__pr\\u006Fto__', '__\\u0070ro\\u0074o_\\u005F'])(
    'is removed at any depth, written as %s',
    (key) => {
      const text = `{"${key}":{"polluted":1},"a":[{"b":2,"${key}":3}],"_meta":{"${key}":{"${key}":4}}}`
      const value = parseMessage(text)
      expect(JSON.stringify(value)).toBe('{"a":[{"b":2}],"_meta":{}}')
      expect(Object.assign({}, value)).not.toHaveProperty('polluted')
      expect({}).not.toHaveProperty('polluted')
    },
  )

  test('is kept as a string value, and other keys are kept as data', () => {
    const text = '{"constructor":{"prototype":{"a":1}},"text":"__proto__ \\u005f","list":["__proto__"]}'
    expect(JSON.stringify(parseMessage(text))).toBe(JSON.stringify(JSON.parse(text)))
  })
})

test('T50 sample: one short line without hidden characters', () => {
  expect(sample(`a\r\n\u2028\u0085\u200B\uD800😀${'b'.repeat(300)}`)).toBe(
    `a\\u{d}\\u{a}\\u{2028}\\u{85}\\u{200b}\\u{d800}😀${'b'.repeat(191)}…`,
  )
})
