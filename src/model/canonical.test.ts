import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalize, hashOf } from './canonical.ts'
import { isEqual } from './json.ts'
import type { Json } from './json.ts'

/** A number by the 64 bits of its IEEE 754 form. */
function double(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE()
}

describe('canonicalize: RFC 8785', () => {
  test('matches the sample of section 3.2.2', () => {
    const input = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    expect(canonicalize(JSON.parse(input))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  test('sorts keys by UTF-16 code units, as in section 3.2.3', () => {
    const input = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    expect(Object.values(JSON.parse(canonicalize(input)) as object)).toEqual([
      'One', // JSON.parse puts integer keys first; the assertion below shows the order in the text
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
    expect(canonicalize(input).startsWith('{"\\r":"Carriage Return","1":"One",')).toBe(true)
  })

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('formats the number %s of appendix B as %s', (hex, text) => {
    expect(canonicalize(double(hex))).toBe(text)
  })

  test.each([Number.NaN, Infinity, -Infinity])('throws for %s', (value) => {
    expect(() => canonicalize({ value })).toThrow(TypeError)
  })
})

describe('canonicalize: one text per value', () => {
  test('gives the same text and hash for any order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: false }), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())
        expect(canonicalize(reversed)).toBe(canonicalize(object))
        expect(hashOf(reversed)).toBe(hashOf(object))
      }),
    )
  })

  test('gives JSON that parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalize(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalize(JSON.parse(text))).toBe(text)
      }),
    )
  })

  test('gives different texts for different values', () => {
    const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value))
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(canonicalize(a) === canonicalize(b)).toBe(isEqual(plain(a), plain(b)))
      }),
    )
  })

  test('drops undefined properties, and writes undefined items as null', () => {
    expect(canonicalize({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}')
  })

  test('escapes a lone surrogate instead of throwing: it may come from any file', () => {
    expect(canonicalize('\ud800')).toBe(String.raw`"\ud800"`)
    expect(canonicalize('\ud800')).not.toBe(canonicalize(String.raw`\ud800`))
  })

  test('throws for values that JSON cannot express', () => {
    for (const value of [undefined, 1n, Symbol('x'), () => 1]) {
      expect(() => canonicalize(value)).toThrow(TypeError)
    }
  })
})

test('hashOf: names the algorithm in the hash', () => {
  expect(hashOf({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
})
