import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxDepth } from './doc.ts'
import { parseToml } from './toml.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

describe('T08 parseToml', () => {
  test('every value has its position', () => {
    const doc = parseToml(
      '# a comment\n[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y",\n  "docs",\n]\n\n[mcp_servers."a.b"]\nenv = { A = "1", "B/C" = "2" }\n',
    )
    expect(plain(doc.value)).toEqual({
      mcp_servers: {
        docs: { command: 'npx', args: ['-y', 'docs'] },
        'a.b': { env: { A: '1', 'B/C': '2' } },
      },
    })
    expect(doc.position('/mcp_servers/docs')).toEqual({ line: 2, column: 1 })
    expect(doc.position('/mcp_servers/docs/args/1')).toEqual({ line: 6, column: 3 })
    expect(doc.position('/mcp_servers/a.b/env/B~1C')).toEqual({ line: 10, column: 18 })
    expect(doc.position('/mcp_servers/docs/absent')).toEqual({ line: 2, column: 1 })
    expect(doc.position('/absent')).toEqual({ line: 1, column: 1 })
  })

  test('CRLF and a byte order mark do not change values or positions', () => {
    const doc = parseToml('\ufeff[a]\r\nb = 1\r\n')
    expect([plain(doc.value), doc.errors]).toEqual([{ a: { b: 1 } }, []])
    expect(doc.position('/a/b')).toEqual({ line: 2, column: 1 })
  })

  test('numbers, dates and large integers become JSON', () => {
    const doc = parseToml('a = 1979-05-27T07:32:00Z\nb = inf\nc = 1_000\nd = 0.5\n')
    expect(plain(doc.value)).toEqual({ a: '1979-05-27T07:32:00.000Z', b: 'Infinity', c: 1000, d: 0.5 })
  })

  test('T44 keys that could set a prototype are omitted', () => {
    const doc = parseToml(
      '[__proto__]\npolluted = 1\n[a.constructor]\nprototype = 2\n[b]\n"prototype" = 3\nc = 4\n',
    )
    expect(plain(doc.value)).toEqual({ a: {}, b: { c: 4 } })
    expect(doc.forbidden).toEqual(['/__proto__', '/a/constructor', '/b/prototype'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test.each([
    ['a = 1\na = 2\n', 2],
    ['[a]\n[a]\n', 2],
    ['a = \n', 1],
    ['[mcp_servers.x\n', 1],
    ['a = "open\n', 1],
  ])('%j is an error on line %i', (text, line) => {
    const doc = parseToml(text)
    expect(doc.value).toBeUndefined()
    expect(doc.errors).toMatchObject([{ line }])
    expect(doc.position('/a')).toEqual({ line, column: doc.errors[0]?.column })
  })

  test.each([
    ['lists', `a = ${'['.repeat(maxDepth + 2)}${']'.repeat(maxDepth + 2)}`],
    ['tables', `${Array.from({ length: maxDepth + 2 }, () => 'a').join('.')} = 1`],
    ['100,000 lists', `a = ${'['.repeat(100_000)}`],
    ['100,000 inline tables', `a = ${'{a='.repeat(100_000)}`],
    ['a long dotted key', `[${'a.'.repeat(20_000)}a]`],
  ])('nesting beyond the limit is an error: %s', (_what, text) => {
    expect(parseToml(text).errors).toHaveLength(1)
  })

  test('error messages state the fact, without the library’s prefix and excerpt', () => {
    const texts = [
      `a = ${'['.repeat(maxDepth + 1)}`,
      'a = 1\na = 2\n',
      'a = "b',
      'a = "\\ b"',
      `${'a.'.repeat(99)}a = 1`,
    ]
    expect(texts.map((text) => parseToml(text).errors.map(({ message }) => message))).toEqual([
      ['document contains excessively nested structures'],
      ['trying to redefine an already defined table or value'],
      ['unfinished string'],
      ['unrecognised escape sequence'],
      ['nested deeper than 64'],
    ])
  })

  test('TOML 1.1 syntax has values and positions', () => {
    const doc = parseToml('a = { b = "\\e",\n c = 07:32 }\n')
    expect([plain(doc.value), doc.position('/a/c')]).toEqual([
      { a: { b: '\u001b', c: '07:32:00.000' } },
      { line: 2, column: 2 },
    ])
  })
})

describe('T08 parseToml: fuzz', () => {
  const token = fc.constantFrom(
    ...`[ ] [[ ]] { } = . , " ' """ ''' #`.split(' '),
    '\n',
    '\r\n',
    ' ',
    '\\',
    '\ufeff',
    ...'a b __proto__ constructor 1 1e9 0x inf nan true 1979-05-27'.split(' '),
    '\ud800',
  )
  const soup = fc.array(token, { maxLength: 80 }).map((tokens) => tokens.join(''))
  const lines = fc
    .array(
      fc.tuple(
        fc.constantFrom('a', 'b', 'a.b', '__proto__', '"x y"'),
        fc.constantFrom('1', '"s"', '[]', '{}'),
      ),
    )
    .map((pairs) => pairs.map(([key, value]) => `${key} = ${value}`).join('\n'))
  const before = Object.getOwnPropertyNames(Object.prototype)

  test('no input makes it throw or changes Object.prototype', () => {
    fc.assert(
      fc.property(fc.oneof(soup, lines, fc.string({ unit: 'binary' })), fc.string(), (text, pointer) => {
        const doc = parseToml(text)
        for (const place of [doc.position(`/${pointer}`), doc.position('/a'), ...doc.errors]) {
          expect(place.line * place.column).toBeGreaterThan(0)
        }
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
      }),
      { numRuns: 1000 },
    )
  })
})
