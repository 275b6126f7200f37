import * as fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../model/json.ts'
import { toPlain } from './doc.ts'
import { readPlainToml } from './plain-toml.ts'

describe('readPlainToml', () => {
  test('T08 the result equals that of the full parser, with keys in the same order', () => {
    let read = 0
    fc.assert(
      fc.property(fc.oneof(documents(), soup()), (text) => {
        const plain = readPlainToml(text)
        if (!plain) return
        read++
        expect(JSON.stringify(plain)).toBe(JSON.stringify(byWholeParser(text)))
      }),
      { numRuns: 5000 },
    )
    expect(read).toBeGreaterThan(1000)
  })

  test('a usual configuration is read', () => {
    const text =
      '# mine\r\nmodel = "o3" # fast\n\n[projects."C:\\\\me\\\\a.b"]\ntrust_level = \'trusted\'\n\n' +
      '[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y",\r\n  \'docs\',\n]\nenv = { A = "1", B = "a = 1, b" }\n' +
      'enabled = false\nstartup_timeout_sec = 20\ntool_timeout_sec = 1.5\n[mcp_servers.docs.tools]\n[mcp_servers]\nempty = []'
    expect(readPlainToml(text)).toEqual(
      withoutPrototypes({
        model: 'o3',
        projects: { 'C:\\me\\a.b': { trust_level: 'trusted' } },
        mcp_servers: {
          docs: {
            command: 'npx',
            args: ['-y', 'docs'],
            env: { A: '1', B: 'a = 1, b' },
            enabled: false,
            startup_timeout_sec: 20,
            tool_timeout_sec: 1.5,
            tools: {},
          },
          empty: [],
        },
      }),
    )
  })

  test('T44 the tables have no prototype', () => {
    const value = readPlainToml('[a]\nb = { c = "d" }\n') as { a: { b: object } } | undefined
    expect([value, value?.a, value?.a.b].map((table) => Object.getPrototypeOf(table))).toEqual([
      null,
      null,
      null,
    ])
  })

  test.each([
    ['an escape that JSON lacks', 'a = "\\e"'],
    ['an escape that TOML lacks', 'a = "\\/"'],
    ['a multi-line string', 'a = """b"""'],
    ['an array of tables', '[[a]]'],
    ['a list with a comment', 'a = [ # b\n]'],
    ['a dotted key', 'a.b = 1'],
    ['a date', 'a = 1979-05-27'],
    ['a duplicate key', 'a = 1\na = 2'],
    ['a duplicate key in an inline table', 'a = { b = "1", b = "2" }'],
    ['a table defined twice', '[a]\n["a"]'],
    ['a subtable of an inline table', 'a = { b = "c" }\n[a.d]'],
    ['a subtable of a string', 'a = "b"\n[a.c]'],
    ['a list of only a comma', 'a = [,]'],
    ['two statements on a line', 'a = 1 b = 2'],
    ['an incomplete statement', 'a = '],
    ['a carriage return without a line feed', 'a = 1\rb = 2'],
    ['a control character in a comment', '# \u0000\na = 1'],
    ['a table name that could set a prototype', '[__proto__]\na = 1'],
    ['a key that could set a prototype', 'a = { constructor = "b" }'],
    ['deep nesting', `[${Array.from({ length: 65 }, () => 'a').join('.')}]`],
    ['a text over the length limit', `a = "${'b'.repeat(1_000_000)}"`],
  ])('%s is left to the full parser', (_what, text) => {
    expect(readPlainToml(text)).toBeUndefined()
  })

  test.each([
    ['blank lines', (many: number) => '\n'.repeat(many)],
    ['comments', (many: number) => '#\n'.repeat(many / 2)],
    ['a long string', (many: number) => `a = "${'b'.repeat(many - 20)}"`],
    ['a string of escapes', (many: number) => `a = "${'\\\\'.repeat(many / 2 - 20)}"`],
    ['a list that ends in an error', (many: number) => `a = [${'"b",'.repeat(many / 4 - 20)}!]`],
    ['an inline table that ends in an error', (many: number) => `a = {${'b="c",'.repeat(many / 6 - 20)}!}`],
  ])('a text of the maximum length does not overflow the stack: %s', (_what, make) => {
    expect(() => readPlainToml(make(999_990))).not.toThrow()
  })
})

function withoutPrototypes(value: Json): Json {
  return toPlain(value, [])
}

function byWholeParser(text: string): unknown {
  const forbidden: string[] = []
  const value = toPlain(parse(text), forbidden)
  return forbidden.length > 0 ? { forbidden } : value
}

function documents(): fc.Arbitrary<string> {
  const key = fc.constantFrom(...'a b c d e f g h 1 a-b x_y __proto__'.split(' '))
  const quoted = fc.constantFrom('"a"', "'b'", '"c.d"', '""', "'\"'", '"C:\\\\x"')
  const header = fc.array(fc.oneof({ weight: 4, arbitrary: key }, quoted), { minLength: 1, maxLength: 3 })
  const escapes = ['"\\t"', '"\\\\"', '"a\\"]"', '"\\/"', '"\\u0061"', "'\\'", "'\"'", '"\'"', "'a, b'"]
  const text = fc.constantFrom('""', '"x"', '"a = 1, b"', '"#"', "'y'", '"é"', '"]"', ...escapes)
  const space = fc.constantFrom('', '', ' ', '\t', '\n', '\r\n')
  const texts = fc
    .tuple(fc.array(text, { maxLength: 3 }), space, fc.constantFrom('', '', ','))
    .map(([items, gap, end]) => `[${gap}${items.join(`${gap},${gap}`)}${end}${gap}]`)
  const braces = fc
    .tuple(fc.array(fc.tuple(key, text), { maxLength: 3 }), space)
    .map(([pairs, gap]) => `{${gap}${pairs.map((pair) => pair.join(`${gap}=${gap}`)).join(`${gap},`)}${gap}}`)
  const other = fc.constantFrom(
    ...'0 1 -1 -0 0.0 1.50 01 1_0 123456789012345 1e3 true false inf 1.'.split(' '),
  )
  const eol = fc.constantFrom('\n', '\n', '\n', '\r\n', ' # b\n', '\n\n', '')
  const pair = fc
    .tuple(key, fc.constantFrom('=', ' = '), fc.oneof(text, texts, braces, other), eol)
    .map((parts) => parts.join(''))
  const table = fc.tuple(header, eol).map(([parts, end]) => `[${parts.join('.')}]${end}`)
  return fc
    .array(fc.oneof({ weight: 2, arbitrary: pair }, table), { maxLength: 6 })
    .map((parts) => parts.join(''))
}

function soup(): fc.Arbitrary<string> {
  const sign = fc.constantFrom(
    ...`[ ] { } = . , " ' # a b 1`.split(' '),
    '\n',
    '\r\n',
    ' ',
    '\u007f',
    'a = "b"\n',
    '[a]\n',
  )
  return fc.array(sign, { maxLength: 12 }).map((signs) => signs.join(''))
}
