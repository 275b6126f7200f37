import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { removeHidden } from '../../model/hidden.ts'
import { neutralize } from './render.ts'

const tags = (text: string) =>
  text.replace(/./g, (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0)))
const england = `\u{1F3F4}${tags('gbeng')}\u{E007F}`
const scotland = `\u{1F3F4}${tags('gbsct')}\u{E007F}`

describe('neutralize: removes hidden and control characters and says so (T17)', () => {
  test.each([
    ['a smuggled order in tag characters', `fine${tags('delete all')}`, 'fine', 'tag characters'],
    ['tags after another emoji', `\u{1F600}${tags('gbeng')}\u{E007F}`, '\u{1F600}', 'tag characters'],
    ['tags after a complete flag', `${england}${tags('x')}`, england, 'tag characters'],
    ['an unknown flag', `\u{1F3F4}${tags('evil')}\u{E007F}`, '\u{1F3F4}', 'tag characters'],
    ['an override of direction', 'a\u202Eb\u202Cc', 'abc', 'direction overrides'],
    ['an isolate', 'a\u2066b\u2069c', 'abc', 'direction overrides'],
    ['annotation marks', 'a\uFFF9b\uFFFAc\uFFFBd', 'abcd', 'annotation marks'],
    ['a color', 'a\u001B[31mred\u001B[0m', 'ared', 'terminal codes'],
    ['a code that sets the title', 'a\u001B]0;title\u0007b', 'a]0;titleb', 'control characters'],
    ['C0, DEL and C1', 'a\u0000\u0008\u007F\u0084\u009Bb', 'ab', 'control characters'],
    ['bytes in variation selectors', '\u{1F600}\uFE0F\uFE01\uFE02', '\u{1F600}\uFE0F', 'variation selectors'],
    ['a selector on a letter', 'a\uFE0Fb', 'ab', 'variation selectors'],
    ['an ideograph selector on a letter', 'a\u{E0101}b', 'ab', 'variation selectors'],
    ['a run of zero-width characters', 'a\u200B\u200C\u200D\u2060b', 'ab', 'zero-width characters'],
    [
      'zero-width characters after every letter',
      'a\u200B\u200Cb\u2060\u200Bc\u200Dd\uFEFF',
      'abcd',
      'zero-width characters',
    ],
    [
      'a joiner in Greek and Cyrillic',
      '\u03B1\u200D\u0430\u200C1\u200D.',
      '\u03B1\u04301.',
      'zero-width characters',
    ],
    ['soft hyphens in a word', 'd\u00ADel\u00ADete', 'delete', 'zero-width characters'],
    ['Hangul fillers outside Hangul', 'a\u3164\u3164b\u115F\uFFA0c\u1160', 'abc', 'zero-width characters'],
    [
      'a joiner between an emoji and a letter',
      '\u{1F600}\u200Da\u200D\u{1F600}',
      '\u{1F600}a\u{1F600}',
      'zero-width characters',
    ],
    ['direction marks without right-to-left text', 'a\u200E \u200Fb', 'a b', 'zero-width characters'],
    [
      'direction marks between letters of one direction',
      '\u05D0 a\u200Eb\u200Fc',
      '\u05D0 abc',
      'zero-width characters',
    ],
    ['invisible math operators', 'a\u2062b\u2064c', 'abc', 'zero-width characters'],
    [
      'joiners and vowels of other scripts between Latin letters',
      'a\u180Bb\u17B4c\u034Fd',
      'abcd',
      'zero-width characters',
    ],
    [
      'a selector on a letter of another script',
      '\u0430\uFE01\u0431\uFE0F',
      '\u0430\u0431',
      'variation selectors',
    ],
  ])('%s', (_, given, clean, kind) => {
    expect(neutralize(given)).toBe(`${clean}\n[hidden characters were removed: ${kind}]`)
  })

  test('each kind is named once', () => {
    expect(neutralize(`a\u0000b\u0001c\u202Ed${tags('x')}`)).toBe(
      'abcd\n[hidden characters were removed: control characters, direction overrides, tag characters]',
    )
  })

  test('a terminal code between two zero-width runs does not protect them', () => {
    expect(removeHidden('a\u200B\u200B\u001B[1m\u200B\u200Bb').text).toBe('ab')
  })
})

describe('neutralize: keeps characters that scripts need (T17)', () => {
  test.each([
    ['plain text', 'a\n\tb'],
    ['flags, chained', `${england}${scotland}${england}`],
    ['a family emoji', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'],
    ['a heart on fire emoji', '\u2764\uFE0F\u200D\u{1F525}'],
    ['a keycap', '1\uFE0F\u20E3'],
    ['Persian', '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645'],
    ['a Persian ending', 'PDF\u200C\u0647\u0627 3\u200C\u062A\u0627'],
    ['Sinhala', '\u0DC1\u0DCA\u200D\u0DBB\u0DD3'],
    ['direction marks after Hebrew', '\u05D0\u200F!\u200E a'],
    ['a variant of an ideograph', '\u845B\u{E0100}'],
    ['an Arabic joiner at the end of a word', '\u0647\u200D. \u0642'],
    ['Khmer with zero-width spaces between words', '\u1780\u17D2\u178A\u17B8\u200B\u1780\u17B6\u179A'],
    ['Mongolian with a variation selector', '\u182D\u180B\u1821'],
    ['a woman pilot with a skin tone', '\u{1F469}\u{1F3FD}\u200D\u2708\uFE0F'],
    ['a pirate flag', '\u{1F3F4}\u200D\u2620\uFE0F'],
    ['an incomplete Hangul syllable', '\u1100\u1160 \u115F\u1161'],
    ['a direction mark after Latin text in Hebrew', '\u05D0 C++\u200E \u05D1'],
    ['a variant of a math operator', '\u2229\uFE00'],
    ['letters of all kinds', 'é ß 漢字 かな 한글 😀'],
  ])('%s', (_, text) => {
    expect(neutralize(text)).toBe(text)
  })
})

test('neutralize: CR and CRLF become LF, so that no line overwrites another (T16)', () => {
  expect(neutralize('one\r\ntwo\rthree')).toBe('one\ntwo\nthree')
})

test('neutralize: lone surrogates become U+FFFD and never join', () => {
  expect(removeHidden('a\uD83C\u200B\u200B\u200B\uDFF4b').text).toBe('a\uFFFD\uFFFDb')
})

const code = new RegExp(`${String.fromCharCode(27)}\\[[0-?]{0,64}[ -/]{0,8}[@-~]`, 'g')
const hidden = fc.constantFrom(
  ...'\u0000 \u001B \u0007 \r \u0084 \u202E \u2066 \uFFF9 \u200B \u200C \u200D \u200E \uFE0F \u2060'.split(
    ' ',
  ),
  ...'\u00AD \u034F \u061C \u115F \u1160 \u17B4 \u180B \u200F \u3164 \uFE00 \uFEFF \uFFA0'.split(' '),
  '\u{E0001}',
  '\u{E0100}',
  '\u{E0100}',
  '\uD83C',
  '\uDFF4',
  '\u001B[31m',
  '\u001B[',
  england,
  tags('gbeng'),
)
const texts = fc
  .array(
    fc.oneof(
      hidden,
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        'a',
        '1',
        '漢',
        '한',
        '\u05D0',
        '\u06CC',
        '\u0DCA',
        '\u182D',
        '\u{1F3F4}',
        '\u2708',
        '\n',
      ),
    ),
  )
  .map((parts) => parts.join(''))

test('neutralize: leaves no hidden character in any text, and is idempotent (T17)', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const clean = removeHidden(text).text
      const unflagged = clean.replaceAll(england, '').replaceAll(scotland, '')
      expect(unflagged).not.toMatch(
        /(?![\n\t])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/u,
      )
      expect(clean).not.toMatch(/[\u200B-\u200F\u2060]{3}/u)
      // Exception: a suffix in a joining script, such as Persian, must not join the word before it.
      expect(clean.replaceAll(/\u200C(?=[\u0620-\u06FF\u0750-\u077F\u08A0-\u08FF])/g, '')).not.toMatch(
        /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][\u00AD\u200B-\u200D\u2060\uFEFF]/u,
      )
      expect(removeHidden(clean)).toEqual({ text: clean, removed: [] })
      expect(neutralize(neutralize(text))).toBe(neutralize(text))
    }),
    { numRuns: 1000 },
  )
})

test('neutralize: never removes a visible character (T17)', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const seen = (value: string) =>
        value
          .replace(/\p{Cs}/gu, '\uFFFD')
          .replace(/\r\n?/g, '\n')
          .replace(code, '')
          .replace(/(?!\n|\t)[\p{Cc}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu, '')
      expect(seen(removeHidden(text).text)).toBe(seen(text))
    }),
    { numRuns: 1000 },
  )
})
