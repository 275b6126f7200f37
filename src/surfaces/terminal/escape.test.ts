import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeJson, escapeLine, escapeText } from './escape.ts'

const ESC = '\u001B'
const BEL = '\u0007'
const attacks: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['a color', `${ESC}[31mred${ESC}[0m`, '\\x1b[31mred\\x1b[0m'],
  ['concealed text', `${ESC}[8mhidden${ESC}[28m`, '\\x1b[8mhidden\\x1b[28m'],
  ['a cleared screen', `${ESC}[2J${ESC}[H`, '\\x1b[2J\\x1b[H'],
  ['a cleared scrollback', `${ESC}[3J`, '\\x1b[3J'],
  ['a cursor moved up', `${ESC}[1A${ESC}[2K`, '\\x1b[1A\\x1b[2K'],
  ['a cursor set to a place', `${ESC}[10;10H`, '\\x1b[10;10H'],
  ['a saved and restored cursor', `${ESC}7x${ESC}8`, '\\x1b7x\\x1b8'],
  ['the alternate screen', `${ESC}[?1049h`, '\\x1b[?1049h'],
  ['a hidden cursor', `${ESC}[?25l`, '\\x1b[?25l'],
  ['mouse reports', `${ESC}[?1003h`, '\\x1b[?1003h'],
  ['bracketed paste switched off', `${ESC}[?2004l`, '\\x1b[?2004l'],
  ['a terminal reset', `${ESC}c`, '\\x1bc'],
  ['a scroll region', `${ESC}[1;2r`, '\\x1b[1;2r'],
  ['inserted keys', `${ESC}[4h`, '\\x1b[4h'],
  ['a repeated character', `x${ESC}[999999b`, 'x\\x1b[999999b'],
  ['a window title', `${ESC}]0;title${BEL}`, '\\x1b]0;title\\x07'],
  ['a clipboard write (OSC 52)', `${ESC}]52;c;cm0gLXJm${BEL}`, '\\x1b]52;c;cm0gLXJm\\x07'],
  [
    'a link (OSC 8)',
    `${ESC}]8;;http://evil${ESC}\\ok${ESC}]8;;${ESC}\\`,
    '\\x1b]8;;http://evil\\x1b\\ok\\x1b]8;;\\x1b\\',
  ],
  ['an OSC that never ends', `${ESC}]0;swallows`, '\\x1b]0;swallows'],
  ['an OSC of iTerm', `${ESC}]1337;File=:AA==${BEL}`, '\\x1b]1337;File=:AA==\\x07'],
  ['a notification (OSC 9)', `${ESC}]9;hi${BEL}`, '\\x1b]9;hi\\x07'],
  ['a request for the status (DECRQSS)', `${ESC}P$q"p${ESC}\\`, '\\x1bP$q"p\\x1b\\'],
  ['a request for the device', `${ESC}[c`, '\\x1b[c'],
  ['a request for the cursor', `${ESC}[6n`, '\\x1b[6n'],
  ['an answerback', '\u0005', '\\x05'],
  ['an application command', `${ESC}_Ga=T;AAAA${ESC}\\`, '\\x1b_Ga=T;AAAA\\x1b\\'],
  ['a privacy message', `${ESC}^x${ESC}\\`, '\\x1b^x\\x1b\\'],
  ['a line overwritten by a carriage return', 'rm -rf /\recho hello', 'rm -rf /\\recho hello'],
  ['a Windows line end', 'a\r\nb', 'a\\r\nb'],
  ['a text overwritten by backspaces', 'evil\b\b\b\bgood', 'evil\\x08\\x08\\x08\\x08good'],
  ['a bell', BEL, '\\x07'],
  ['a NUL', 'a\u0000b', 'a\\x00b'],
  ['a vertical tab and a form feed', 'a\u000Bb\u000Cc', 'a\\x0bb\\x0cc'],
  ['another character set', '\u000Eqqq\u000F', '\\x0eqqq\\x0f'],
  ['a DEL', 'a\u007Fb', 'a\\x7fb'],
  ['a CSI of one character (C1)', '\u009B2J', '\\x9b2J'],
  ['an OSC of one character (C1)', '\u009D0;t\u009C', '\\x9d0;t\\x9c'],
  ['a DCS of one character (C1)', '\u0090q\u009C', '\\x90q\\x9c'],
  ['an index (C1)', 'a\u0084b', 'a\\x84b'],
  ['a next line (C1)', 'a\u0085b', 'a\\x85b'],
  ['a right-to-left override', 'gpj.\u202Eexe', 'gpj.\\u{202e}exe'],
  ['bidi embeddings', '\u202A\u202B\u202C\u202D', '\\u{202a}\\u{202b}\\u{202c}\\u{202d}'],
  ['bidi isolates', '\u2066\u2067\u2068\u2069', '\\u{2066}\\u{2067}\\u{2068}\\u{2069}'],
  ['bidi marks', '\u200E\u200F\u061C', '\\u{200e}\\u{200f}\\u{61c}'],
  ['a zero-width space', 'pay\u200Bpal', 'pay\\u{200b}pal'],
  ['zero-width joiners between letters', 'a\u200Cb\u200Dc', 'a\\u{200c}b\\u{200d}c'],
  ['a word joiner and invisible operators', '\u2060\u2062\u2064', '\\u{2060}\\u{2062}\\u{2064}'],
  ['a byte order mark', '\uFEFFx', '\\u{feff}x'],
  ['a soft hyphen', 'pass\u00ADword', 'pass\\xadword'],
  ['a combining grapheme joiner', 'a\u034Fb', 'a\\u{34f}b'],
  ['Hangul fillers', '\u115F\u1160\u3164\uFFA0', '\\u{115f}\\u{1160}\\u{3164}\\u{ffa0}'],
  ['a Mongolian vowel separator', 'a\u180Eb', 'a\\u{180e}b'],
  ['a line and a paragraph separator', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
  ['smuggled tag characters', 'hi\u{E0001}\u{E0068}\u{E007F}', 'hi\\u{e0001}\\u{e0068}\\u{e007f}'],
  ['tag characters behind a flag', '🏴\u{E0067}\u{E0062}', '🏴\\u{e0067}\\u{e0062}'],
  ['variation selectors behind a letter', 'a\uFE00\uFE0F', 'a\\u{fe00}\\u{fe0f}'],
  ['supplementary variation selectors', '😀\u{E0100}\u{E01EF}', '😀\\u{e0100}\\u{e01ef}'],
  ['a second variation selector behind an emoji', '❤\uFE0F\uFE0F', '❤\uFE0F\\u{fe0f}'],
  ['a digit that is no keycap', '1\uFE0F2', '1\\u{fe0f}2'],
  ['interlinear marks', '\uFFF9a\uFFFAb\uFFFB', '\\u{fff9}a\\u{fffa}b\\u{fffb}'],
  ['musical and shorthand formats', '\u{1D173}\u{1BCA0}', '\\u{1d173}\\u{1bca0}'],
  ['a lone surrogate', 'a\uD800b', 'a\\u{d800}b'],
  ['a joiner that joins nothing', '🧑\u200D x \u200D🧑', '🧑\\u{200d} x \\u{200d}🧑'],
  ['several joiners between two emoji', '🧑\u200D\u200D💻', '🧑\\u{200d}\\u{200d}💻'],
  ['several joiners behind a virama', 'क्\u200D\u200Dष', 'क्\\u{200d}\\u{200d}ष'],
  ['joiners in a script that has no use for them', 'é\u200Dé 日\u200C本', 'é\\u{200d}é 日\\u{200c}本'],
  ['several joiners between Arabic letters', 'می\u200C\u200Cخ', 'می\\u{200c}\\u{200c}خ'],
  ['a joiner at the end of an Arabic word', 'می\u200C x', 'می\\u{200c} x'],
]

describe('T18 escapeText makes control and hidden characters visible', () => {
  test.each(attacks)('T18 %s', (_, text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })

  test('T18 the table covers at least 40 sequences', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(40)
  })

  test.each([
    ['plain text', 'tool: a-b_c (1) \\x1b C:\\dir'],
    ['line ends and tabs', 'a\n\tb\n'],
    ['other scripts', 'Überschrift 日本語 עברית العربية हिन्दी ไทย 한국어'],
    ['combining accents', 'e\u0301'],
    ['emoji with their look chosen', '❤\uFE0F ☎\uFE0E 1\uFE0F\u20E3 👍🏽 🇩🇪'],
    ['emoji that are joined', '👨\u200D👩\u200D👧\u200D👦 🧑🏽\u200D💻 ❤\uFE0F\u200D🔥 🏳\uFE0F\u200D🌈'],
    ['joiners in scripts that need them', 'می\u200Cخواهم क्\u200Dष ക്\u200C ന്\u200D ශ්\u200Dරී'],
    ['no text at all', ''],
  ])('leaves %s unchanged', (_, text) => {
    expect(escapeText(text)).toBe(text)
  })
})

test('escapeLine: also escapes line ends and tabs', () => {
  expect(escapeLine('a\r\n\tb\u2028c')).toBe('a\\r\\n\\tb\\u{2028}c')
})

test('T10 escapeText: a long text keeps every character', () => {
  const text = `${'x'.repeat(10_000)}\u202E${'y'.repeat(10_000)}`
  expect(escapeText(text)).toBe(`${'x'.repeat(10_000)}\\u{202e}${'y'.repeat(10_000)}`)
})

test('escapeJson: hidden characters become \\uXXXX, astral ones two of them', () => {
  const json = JSON.stringify({ 'a\u202E': ['\u009B2J', '\u{E0041}', '\u007F', 'ü\n'] })
  expect(escapeJson(json)).toBe('{"a\\u202e":["\\u009b2J","\\udb40\\udc41","\\u007f","ü\\n"]}')
})

describe('escaping any text', () => {
  const hostile = fc.constantFrom(...attacks.map(([, text]) => text))
  const anyText = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        hostile,
        fc.string({ unit: loneUnit() }),
      ),
    )
    .map((parts) => parts.join(''))

  test('T18 escapeText: leaves no control character but line ends and tabs', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(
          escapeText(text).match(
            /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u{E0000}-\u{E007F}\u200B\u200E\u200F]/u,
          ),
        ).toBe(null)
      }),
    )
  })

  test('T18 escapeText: no joiner is left alone, at an end, or next to another one', () => {
    const joiner = fc.constantFrom('\u200C', '\u200D')
    const parts = fc.array(fc.oneof(anyText, joiner, fc.constantFrom('👨', '❤\uFE0F', 'ی', 'क्', 'a', ' ')))
    fc.assert(
      fc.property(parts, (all) => {
        const shown = escapeText(all.join(''))
        expect(shown.match(/(?:^|[ -~]|[\u200C\u200D])[\u200C\u200D]/u)).toBe(null)
      }),
    )
  })

  test('T18 escapeLine: leaves no control character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(escapeLine(text).match(/[\p{Cc}\p{Zl}\p{Zp}]/u)).toBe(null)
      }),
    )
  })

  test('T10 escapeText: visible characters stay, in the same order', () => {
    const hidden = /\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}|\\[rnt]/g
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('a', 'é', '日') }), hostile)),
        (parts) => {
          const shown = escapeText(parts.flat().join(''))
          const visible = parts.map(([text, attack]) => text + escapeText(attack)).join('')
          expect(shown.replace(hidden, '')).toBe(visible.replace(hidden, ''))
        },
      ),
    )
  })

  test('escapeText: escaping twice changes nothing', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(escapeText(escapeText(text))).toBe(escapeText(text))
        expect(escapeLine(escapeText(text))).toBe(escapeLine(text))
      }),
    )
  })

  test('T18 escapeJson: parses to the same value and contains no control character', () => {
    const value = fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText)))
    fc.assert(
      fc.property(value, (value) => {
        const json = escapeJson(JSON.stringify(value, undefined, 2))
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(json.match(/(?!\n)[\p{Cc}\p{Cs}\p{Bidi_Control}]/u)).toBe(null)
      }),
    )
  })
})

function loneUnit(): fc.Arbitrary<string> {
  return fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit))
}
