import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeText } from './escape.ts'
import { displayWidth, padEnd, truncate, wrap } from './width.ts'

describe('displayWidth', () => {
  test.each([
    ['', 0],
    ['plain', 5],
    ['über', 4],
    ['e\u0301', 1],
    ['日本', 4],
    ['한국', 4],
    ['\u1112\u1161\u11AB', 2],
    ['ＦＵ', 4],
    ['ｶﾅ', 2],
    ['😀', 2],
    ['👍🏽', 2],
    ['❤', 1],
    ['❤\uFE0F', 2],
    ['1\uFE0F\u20E3', 2],
    ['🇩🇪', 2],
    ['🇩🇪🇫🇷', 4],
    ['…', 1],
    ['─│', 2],
    ['हिन्दी', 5],
    ['\u200B', 0],
    ['a\tb', 10],
    ['𠀀', 2],
  ])('of %j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })
})

test('padEnd: counts columns, not characters', () => {
  expect([padEnd('ab', 4), padEnd('日', 4), padEnd('日本', 3)]).toEqual(['ab  ', '日  ', '日本'])
})

describe('truncate', () => {
  test.each([
    ['fits', 4, 'fits'],
    ['too long', 4, 'too…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日本', 1, '…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['👍🏽👍🏽', 3, '👍🏽…'],
    ['any', 0, ''],
  ])('%j to %i columns gives %j', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut)
  })
})

describe('wrap', () => {
  test.each([
    ['one line', 20, ['one line']],
    ['the quick brown fox', 10, ['the quick', 'brown fox']],
    ['a\n\nb', 10, ['a', '', 'b']],
    ['  indented words', 10, ['  indented', 'words']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['see abcdefghij now', 6, ['see', 'abcdef', 'ghij', 'now']],
    ['日本語文', 5, ['日本', '語文']],
    ['two  blanks', 20, ['two  blanks']],
    ['', 5, ['']],
    ['     ', 3, ['']],
  ])('%j at %i columns', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines)
  })
})

describe('any text and width', () => {
  const anyText = fc.string({
    unit: fc.oneof(
      fc.constantFrom(' ', 'a', 'word', '\n', '日', '😀', '❤\uFE0F', 'e\u0301', '🇩'),
      grapheme(),
    ),
  })
  const anyWidth = fc.integer({ min: 2, max: 60 })

  test('truncate: the result is never wider', () => {
    fc.assert(
      fc.property(anyText, anyWidth, (text, width) => {
        expect(displayWidth(truncate(text, width))).toBeLessThanOrEqual(width)
      }),
    )
  })

  test('wrap: no line is wider', () => {
    fc.assert(
      fc.property(anyText, anyWidth, (text, width) => {
        expect(wrap(text, width).filter((line) => displayWidth(line) > width)).toEqual([])
      }),
    )
  })

  test('T10 wrap: drops nothing but blanks', () => {
    fc.assert(
      fc.property(anyText, anyWidth, (text, width) => {
        expect(wrap(text, width).join('').replace(/[ \n]/g, '')).toBe(text.replace(/[ \n]/g, ''))
      }),
    )
  })

  test('padEnd: the result has the given width, or its own if wider', () => {
    fc.assert(
      fc.property(anyText, anyWidth, (text, width) => {
        expect(displayWidth(padEnd(text, width))).toBe(Math.max(width, displayWidth(text)))
      }),
    )
  })
})

function grapheme(): fc.Arbitrary<string> {
  return fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map(escapeText)
}
