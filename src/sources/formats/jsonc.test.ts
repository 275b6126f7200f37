import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxDepth } from './doc.ts'
import { parseJsonc } from './jsonc.ts'

/** Values are compared as plain JSON, because those of a doc have no prototype. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

describe('T08 parseJsonc', () => {
  test('every value has its position', () => {
    const doc = parseJsonc('{\n  "a": [1, {"b/c": true}],\n  "d": null\n}')
    expect(plain(doc.value)).toEqual({ a: [1, { 'b/c': true }], d: null })
    expect([doc.errors, doc.relaxed, doc.duplicates, doc.forbidden]).toEqual([[], [], [], []])
    expect(doc.position('')).toEqual({ line: 1, column: 1 })
    expect(doc.position('/a')).toEqual({ line: 2, column: 3 })
    expect(doc.position('/a/1/b~1c')).toEqual({ line: 2, column: 13 })
    expect(doc.position('/d/not/there')).toEqual({ line: 3, column: 3 })
  })

  test('comments and trailing commas are accepted and recorded', () => {
    const doc = parseJsonc('// one\n{ "a": [1, 2,], /* two */ "b": 3, }\n')
    expect(plain(doc.value)).toEqual({ a: [1, 2], b: 3 })
    expect(doc.errors).toEqual([])
    expect(doc.relaxed).toEqual([
      { message: 'comment', line: 1, column: 1 },
      { message: 'trailing comma', line: 2, column: 13 },
      { message: 'comment', line: 2, column: 17 },
      { message: 'trailing comma', line: 2, column: 33 },
    ])
  })

  test('a text of comments alone is an empty file, an unfinished comment is an error', () => {
    const doc = parseJsonc('// one\n/* two */\n')
    expect([doc.value, doc.errors, doc.relaxed.length]).toEqual([undefined, [], 2])
    expect(parseJsonc('// one\n/* two').errors.length).toBeGreaterThan(0)
  })

  test('CRLF counts as one line break', () => {
    const doc = parseJsonc('{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n')
    expect(plain(doc.value)).toEqual({ a: 1, b: 2 })
    expect(doc.position('/b')).toEqual({ line: 3, column: 3 })
  })

  test('the last of duplicate keys is used, and the duplicate is recorded', () => {
    const doc = parseJsonc('{"s": {"a": 1, "\\u0061": 2, "b": {"x": 1}, "b": {}}}')
    expect(plain(doc.value)).toEqual({ s: { a: 2, b: {} } })
    expect(doc.duplicates).toEqual(['/s/a', '/s/b'])
    expect(doc.position('/s/a')).toEqual({ line: 1, column: 16 })
  })

  test('T44 keys that could set a prototype are omitted with their content, however they are escaped', () => {
    const doc = parseJsonc(
      '{"__proto__": {"polluted": 1}, "\\u005f_proto__": 2, "a": {"constructor": {"prototype": {}}}, "b": [{"prototype": 3}]}',
    )
    expect(plain(doc.value)).toEqual({ a: {}, b: [{}] })
    expect(doc.forbidden).toEqual([
      '/__proto__',
      '/__proto__',
      '/a/constructor/prototype',
      '/a/constructor',
      '/b/0/prototype',
    ])
    expect(Object.getPrototypeOf(doc.value)).toBe(null)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test.each([
    ['', 'a value is missing here', 1, 1],
    ['{"a": }', 'a value is missing here', 1, 7],
    ['{"a": 1 "b": 2}', 'a comma is missing here', 1, 9],
    ['{\n"a" 1}', 'a colon is missing here', 2, 5],
    ['{a: 1}', 'this is not JSON', 1, 2],
    ['{"a": "b\n}', 'a closing quote is missing', 1, 7],
    ['{"a": [1', 'a closing "]" is missing here', 1, 9],
    ['{} {}', 'there is text after the end of the value', 1, 4],
  ])('error in %j: %s (line %i, column %i)', (text, message, line, column) => {
    expect(parseJsonc(text).errors[0]).toEqual({ message, line, column })
  })

  test('a leading byte order mark is ignored', () => {
    const doc = parseJsonc('\ufeff{"a": 1}')
    expect([plain(doc.value), doc.errors, doc.relaxed]).toEqual([{ a: 1 }, [], []])
  })
})

describe('T08 parseJsonc: nesting', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  test('nesting up to the limit is read; one level more is an error with its position', () => {
    expect(parseJsonc(nested(maxDepth)).errors).toEqual([])
    expect(parseJsonc(`\n${nested(maxDepth + 1)}`).errors).toEqual([
      { message: `nested deeper than ${maxDepth}`, line: 2, column: maxDepth + 1 },
    ])
  })

  test('brackets in strings and comments do not count as nesting', () => {
    const text = `{"a": "${'['.repeat(99)}", /* ${'['.repeat(99)} */ "b": 1 // ${'{'.repeat(99)}\n}`
    expect(plain(parseJsonc(text).value)).toEqual({ a: '['.repeat(99), b: 1 })
  })

  test.each([
    ['at the start', nested(100_000)],
    ['of objects', '{"a":'.repeat(100_000)],
    ['after a quote in a comment', `/*"*/${nested(100_000)}`],
    ['after a string that ends at a carriage return', `"a\r${nested(100_000)}`],
    ['of lists with mismatched closing brackets', '[},'.repeat(100_000)],
    ['of objects with mismatched closing brackets', '{"a":],"b":'.repeat(50_000)],
  ])('a nesting bomb %s is an error, not a stack overflow', (_how, text) => {
    expect(parseJsonc(text).errors[0]?.message).toBeTypeOf('string')
  })
})

describe('T08 parseJsonc: fuzz', () => {
  const token = fc.constantFrom(
    ...'{ } [ ] , : " / * // /* */'.split(' '),
    '\\',
    '\n',
    '\r',
    ' ',
    '\u2028',
    '\ufeff',
    ...'"a" "__proto__" "constructor" 1 - 1e999 null true'.split(' '),
    '\\u005f',
    '\ud800',
  )
  const soup = fc.array(token, { maxLength: 200 }).map((tokens) => tokens.join(''))
  const before = Object.getOwnPropertyNames(Object.prototype)

  test('no input makes it throw or changes Object.prototype', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' }), fc.json()), fc.string(), (text, pointer) => {
        const doc = parseJsonc(text)
        expect(doc.position(`/${pointer}`).line).toBeGreaterThan(0)
        for (const found of [...doc.errors, ...doc.relaxed])
          expect(found.line * found.column).toBeGreaterThan(0)
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
      }),
      { numRuns: 1000 },
    )
  })

  test('it gives the same value as JSON.parse for valid JSON', () => {
    const safe = fc
      .jsonValue()
      .filter((value) => !/__proto__|constructor|prototype/.test(JSON.stringify(value)))
    fc.assert(
      fc.property(safe, fc.nat(4), (value, indent) => {
        const doc = parseJsonc(JSON.stringify(value, null, indent))
        expect(plain(doc.value)).toEqual(plain(value))
        expect([doc.errors, doc.relaxed, doc.duplicates, doc.forbidden]).toEqual([[], [], [], []])
      }),
    )
  })
})

test('T08 parseJsonc: an infinite number becomes a string, as in the other formats', () => {
  const { value, errors } = parseJsonc('{ "a": 1e400, "b": [-1e999], "c": 1e308 }')
  expect([value, errors]).toEqual([{ a: 'Infinity', b: ['-Infinity'], c: 1e308 }, []])
})
