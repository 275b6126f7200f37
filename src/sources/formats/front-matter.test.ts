import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFrontMatter } from './front-matter.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

describe('T08 the front matter of a Markdown file', () => {
  test('is the YAML between the first two lines of dashes, with the lines of the file', () => {
    const doc = parseFrontMatter(
      '---\nname: docs\nmcp-servers:\n  a:\n    command: a\n---\n\n# Text\n---\nnot: this\n---\n',
    )
    expect(doc.format).toBe('markdown')
    expect(plain(doc.value)).toEqual({ name: 'docs', 'mcp-servers': { a: { command: 'a' } } })
    expect(doc.position('/mcp-servers/a')).toEqual({ line: 4, column: 3 })
  })

  test.each([
    ['CRLF', '---\r\na: 1\r\n---\r\ntext', { a: 1 }],
    ['dashes with spaces behind them', '--- \na: 1\n---\t\ntext', { a: 1 }],
    ['the end of the file', '---\na: 1\n---', { a: 1 }],
    ['dashes in a value', '---\na: x --- y\nb: |\n  ---x\n---\n', { a: 'x --- y', b: '---x\n' }],
    ['a byte order mark', '\ufeff---\na: 1\n---\n', { a: 1 }],
    ['nothing in it', '---\n---\ntext', null],
    ['none', '# Title\n\n---\na: 1\n---\n', null],
    ['one that never ends', '---\na: 1\n', null],
    ['an empty file', '', null],
  ])('with %s', (_what, text, value) => {
    const doc = parseFrontMatter(text)
    expect([plain(doc.value), doc.errors]).toEqual([value, []])
  })

  test('an error in it has the line of the file', () => {
    expect(parseFrontMatter('---\na: 1\na: 2\n---\n').errors).toMatchObject([{ line: 3 }])
  })

  test('no text makes it throw, and it finishes on many dashes', () => {
    const token = fc.constantFrom('---', '\n', '\r\n', ' ', 'a: 1', '- x', '[', '__proto__: 1', '\ufeff')
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        expect(parseFrontMatter(tokens.join('')).position('/a').line).toBeGreaterThan(0)
      }),
    )
    expect(parseFrontMatter(`---\n${'--- x\n'.repeat(50_000)}`).value).toBe(null)
  })
})
