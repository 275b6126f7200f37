import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadPatternMatcher } from './patterns.ts'

const match = (await loadPatternMatcher())(() => {})

/** Patterns that servers commonly use, and every construct that engines interpret differently. */
const common = [
  String.raw`^\s$`,
  String.raw`^\S+$`,
  String.raw`\S`,
  String.raw`^\s*[\S]+\s*$`,
  String.raw`^[^\s]+$`,
  String.raw`^[^\S]+$`,
  String.raw`^[\s\d-]+$`,
  String.raw`^[a-z\s]*$`,
  String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`,
  String.raw`^[\s\S]+$`,
  String.raw`^[^\d\s]+$`,
  String.raw`\\s`,
  String.raw`^.+$`,
  String.raw`^.$`,
  String.raw`^[.]$`,
  String.raw`a.b`,
  String.raw`^.{2,3}$`,
  String.raw`^\d+$`,
  String.raw`^\D$`,
  String.raw`^\w+$`,
  String.raw`^[\w.-]+$`,
  String.raw`^\W$`,
  String.raw`\ba\b`,
  String.raw`\Ba`,
  String.raw`^[\b]$`,
  String.raw`a$`,
  String.raw`^$`,
  String.raw`^[^]$`,
  String.raw`^[^a]$`,
  String.raw`^\u00e9$`,
  String.raw`^\uD83D\uDE00$`,
  String.raw`^[\uD83D\uDE00-\uD83D\uDE4F]$`,
  String.raw`^\u{1F600}$`,
  String.raw`^[\]\[.]$`,
  String.raw`^\p{L}+$`,
  String.raw`^\P{L}$`,
  String.raw`^(?<first>\s)\S$`,
  String.raw`^[\t ]+$`,
  String.raw`^(?:\s|a)*$`,
  String.raw`^\/a$`,
]

/** White space, line terminators and word characters of any engine, their neighbors, and plain characters. */
const spaces =
  '\t\n\v\f\r \u00a0\u1680\u180e\u2000\u2005\u200a\u200b\u2027\u2028\u2029\u202a\u202f\u205f\u2060\u3000\ufeff'
const borders = '\0\b\x0e\x1f!\u0085\u00e9\u017f\u212a\u0660\ufefe\uff00\uffff'
const signs = fc.constantFrom(...`${spaces}${borders}aAzZ09_-.@/\\[]:sS`.split(''), '\u{1F600}', '\u{10ffff}')
const text = fc.array(signs, { maxLength: 4 }).map((each) => each.join(''))

test.each(common)('T23 %s matches the same texts as in ECMA-262', (pattern) => {
  const native = new RegExp(pattern, 'u')
  fc.assert(
    fc.property(text, (each) => {
      expect([each, match(pattern, each)]).toEqual([each, native.test(each)])
    }),
    { numRuns: 400 },
  )
})

test('\\s and \\S match the same characters as in ECMA-262', () => {
  const signs = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
  const spaces = signs.filter((sign) => match(String.raw`^\s$`, sign) === true)
  const notNonSpaces = signs.filter((sign) => match(String.raw`^[\S]$`, sign) === false)
  const native = signs.filter((sign) => /^\s$/u.test(sign))
  expect({ spaces, notNonSpaces }).toEqual({ spaces: native, notNonSpaces: native })
})

test.each([
  ['a range that ends in \\s', String.raw`^[+-\s]$`, '+', undefined],
  ['a literal - after \\s', String.raw`^[\s-.]+$`, '\u00a0-.', true],
  ['a POSIX class', String.raw`^[[:alpha:]\s]+$`, 'a\u00a0b', true],
  ['a dot with an inline flag', '(?s)^a.b$', 'a\nb', true],
  ['\\A and \\z', String.raw`\Aa\z`, 'a', true],
  ['a named backreference', String.raw`^(?<q>['"])a\k<q>$`, '"a"', undefined],
])('PatternMatcher: %s (%s against %j) gives %s', (_what, pattern, each, expected) => {
  expect(match(pattern, each)).toBe(expected)
})
