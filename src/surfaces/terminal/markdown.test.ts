import { stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawMarkdown } from './markdown.ts'
import { createMarkdownStream } from './markdown-stream.ts'
import { createStyle, escapeStyled } from './style.ts'
import { displayWidth } from './width.ts'

const painted = createStyle({ env: { FORCE_COLOR: '1' }, isTTY: true })
const plain = createStyle({ env: { NO_COLOR: '1' }, isTTY: true })

function draw(text: string, width = 60): string {
  return drawMarkdown(text, { style: plain, width }).join('\n')
}

/** As the terminal gets it, without colors. */
function shown(lines: readonly string[]): readonly string[] {
  return lines.map((line) => stripVTControlCharacters(escapeStyled(line)))
}

describe('markdown: blocks', () => {
  test('headings, paragraphs, lists, quotes, code and rules are drawn with an empty line between them', () => {
    const text = [
      '# Title',
      'Some **bold** and *italic* text with `code`.',
      '',
      '- one',
      '- two',
      '  1. nested',
      '  2. again',
      '- [x] done',
      '',
      '> quoted',
      '> more',
      '',
      '```ts',
      'const a = 1',
      '```',
      '---',
    ].join('\n')
    expect(draw(text)).toBe(
      [
        'Title',
        '',
        'Some bold and italic text with `code`.',
        '',
        '• one',
        '• two',
        '  1. nested',
        '  2. again',
        '[x] done',
        '',
        '│ quoted',
        '│ more',
        '',
        '  ts',
        '  const a = 1',
        '',
        '─'.repeat(40),
      ].join('\n'),
    )
  })

  test('T19 the address of a link is shown beside its text, whatever the text says', () => {
    expect(
      draw('[https://good.example](https://evil.example/x) and [a][1]\n\n[1]: javascript:alert(1)', 80),
    ).toBe(
      'https://good.example (https://evil.example/x) and a (javascript:alert(1))\n\n[1]: javascript:alert(1)',
    )
    expect(draw('![x](https://evil.example/pixel.png) <https://a.example> www.b.example', 80)).toBe(
      '[image: x] (https://evil.example/pixel.png) https://a.example www.b.example',
    )
  })

  test('T19 HTML stays text', () => {
    expect(draw('<img src=x onerror=alert(1)>\n\nA <b>word</b> &amp; more')).toBe(
      '<img src=x onerror=alert(1)>\n\nA <b>word</b> & more',
    )
  })

  test('tables wrap their cells, and become records when the columns do not fit', () => {
    const table =
      '| Name | What it does |\n| --- | ---: |\n| one | short |\n| two | a much longer description here |'
    expect(draw(table, 30)).toBe(
      [
        'Name              What it does',
        '────  ────────────────────────',
        'one                      short',
        'two              a much longer',
        '              description here',
      ].join('\n'),
    )
    expect(draw('| A | B | C |\n| --- | --- | --- |\n| first | second | third |', 12)).toBe(
      'A: first\nB: second\nC: third',
    )
  })
})

describe('markdown: attacks', () => {
  const attacks = [
    ['60 KB of emphasis', '_a_'.repeat(20_000)],
    ['many opened emphases', '*a '.repeat(20_000)],
    ['deep quotes', '> '.repeat(5000) + 'x'],
    ['deep lists', '- '.repeat(3000) + 'x'],
    ['deep lists by indentation', Array.from({ length: 150 }, (_, at) => `${'  '.repeat(at)}- x`).join('\n')],
    ['many brackets', '['.repeat(30_000)],
    ['many link starts', '[a]('.repeat(10_000)],
    ['many backticks', '`a'.repeat(20_000)],
    ['a wide table', `|${'a|'.repeat(3000)}\n|${'-|'.repeat(3000)}\n|${'b|'.repeat(3000)}`],
    ['many comments', '<!--'.repeat(10_000)],
  ] as const

  test.each(attacks)('T19 %s end in lines no wider than the terminal', (_, text) => {
    const canvas = { style: painted, width: 60 }
    const stream = createMarkdownStream(() => canvas)
    const streamed: string[] = []
    for (let at = 0; at < text.length; at += 1000)
      streamed.push(...stream.push(text.slice(at, at + 1000)), ...stream.open())
    streamed.push(...stream.end())
    for (const line of shown([...drawMarkdown(text, canvas), ...streamed]))
      expect(displayWidth(line)).toBeLessThanOrEqual(60)
  })

  test('T18 control characters, bidi marks and forged colors of the text become visible', () => {
    const text =
      'a\u001B[31mred\u001B[0m \u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007 \u202Ertl\n\n```\n\u001B[2J\u0008\n```'
    const drawn = drawMarkdown(text, { style: painted, width: 120 })
      .map((line) => escapeStyled(line))
      .join('\n')
    expect(stripVTControlCharacters(drawn)).toBe(
      String.raw`a\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x07link\x1b]8;;\x07 \u{202e}rtl` +
        '\n\n' +
        String.raw`  \x1b[2J\x08`,
    )
  })
})

/** Pieces of Markdown, so that random texts have markup. */
const markup = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '# ',
        '- ',
        '1. ',
        '> ',
        '```',
        '~~~\n',
        '**',
        '_',
        '`',
        '[',
        '](',
        ')',
        '![',
        '|',
        '|---|---|\n',
        '\n',
        '\n\n',
        '    ',
        '\t',
        '<b>',
        '---\n',
        '\\',
        '\r\n',
        'https://a.example/b',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ maxLength: 30 }),
      fc.constantFrom('漢字', '👩‍👩‍👧', '\u001B[31m', '\u202E', 'x'.repeat(150)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/

describe('markdown: properties', () => {
  test('T18 no line is wider than the terminal or has a control character', () => {
    fc.assert(
      fc.property(markup, fc.constantFrom(20, 60, 120), (text, width) => {
        for (const line of shown(drawMarkdown(text, { style: painted, width }))) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width)
          expect(line).not.toMatch(controls)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('T18 the same holds for a text in pieces', () => {
    const pieces = fc.tuple(markup, fc.array(fc.nat(60), { maxLength: 30 }))
    fc.assert(
      fc.property(pieces, fc.constantFrom(60, 120), ([text, cuts], width) => {
        const stream = createMarkdownStream(() => ({ style: painted, width }))
        const lines: string[] = []
        let at = 0
        for (const cut of cuts) {
          lines.push(...stream.push(text.slice(at, at + cut)))
          for (const line of shown(stream.open())) expect(displayWidth(line)).toBeLessThanOrEqual(width)
          at += cut
        }
        lines.push(...stream.push(text.slice(at)), ...stream.end())
        for (const line of shown(lines)) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width)
          expect(line).not.toMatch(controls)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('markdown: a text in pieces', () => {
  test('finished blocks are returned once, and the open one can be shown before it ends', () => {
    const stream = createMarkdownStream(() => ({ style: plain, width: 60 }))
    expect(stream.push('# Ti')).toEqual([])
    expect(stream.open()).toEqual(['Ti'])
    expect(stream.push('tle\nA para')).toEqual(['Title'])
    expect(stream.open()).toEqual(['', 'A para'])
    expect(stream.push('graph\n\n- one\n')).toEqual(['', 'A paragraph'])
    expect(stream.push('- two\n\n')).toEqual([])
    expect(stream.push('```js\na\n')).toEqual(['', '• one', '• two', '', '  js', '  a'])
    expect(stream.push('b\n``')).toEqual(['  b'])
    expect(stream.push('`\nend')).toEqual([])
    expect(stream.open()).toEqual(['', 'end'])
    expect(stream.end()).toEqual(['', 'end'])
  })

  test('a text drawn in pieces looks like the text drawn at once', () => {
    const text =
      '# A\n\ntext *x*\nmore\n\n1. a\n2. b\n\n   c\n\n> q\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```\ncode\n\n  more\n```\n\nend'
    const canvas = { style: plain, width: 60 }
    for (const size of [1, 3, 7, 50]) {
      const stream = createMarkdownStream(() => canvas)
      const lines: string[] = []
      for (let at = 0; at < text.length; at += size) lines.push(...stream.push(text.slice(at, at + size)))
      expect([...lines, ...stream.end()]).toEqual(drawMarkdown(text, canvas))
    }
  })
})
