import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxDepth } from './doc.ts'
import { parseFrontMatter, parseYaml } from './yaml.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

describe('T08 parseYaml', () => {
  test('every value has its position', () => {
    const doc = parseYaml(
      '# a comment\nextensions:\n  fetch:\n    args:\n      - -y\n      - "fetch"\n  a/b: {x: 1}\n',
    )
    expect(plain(doc.value)).toEqual({ extensions: { fetch: { args: ['-y', 'fetch'] }, 'a/b': { x: 1 } } })
    expect(doc.position('/extensions/fetch')).toEqual({ line: 3, column: 3 })
    expect(doc.position('/extensions/fetch/args/1')).toEqual({ line: 6, column: 9 })
    expect(doc.position('/extensions/a~1b/x')).toEqual({ line: 7, column: 9 })
    expect(doc.position('/extensions/absent')).toEqual({ line: 2, column: 1 })
  })

  test('firstLine shifts the lines of values and errors', () => {
    const doc = parseYaml('a: 1\nb: 2\n', { firstLine: 5 })
    expect(doc.position('/b')).toEqual({ line: 6, column: 1 })
    expect(parseYaml('a: [\n', { firstLine: 5 }).errors[0]?.line).toBeGreaterThanOrEqual(5)
  })

  test('CRLF and a byte order mark do not change values or positions', () => {
    const doc = parseYaml('\ufeffa:\r\n  b: 1\r\n')
    expect([plain(doc.value), doc.errors]).toEqual([{ a: { b: 1 } }, []])
    expect(doc.position('/a/b')).toEqual({ line: 2, column: 3 })
  })

  test('keys that are not strings become strings, without a process warning', async () => {
    const warned: unknown[] = []
    const onWarning = (warning: unknown) => warned.push(warning)
    process.on('warning', onWarning)
    expect(plain(parseYaml('? {a: 1}\n: x\n1: y\nnull: z\n').value)).toEqual({
      '{ a: 1 }': 'x',
      1: 'y',
      '': 'z',
    })
    await new Promise((resolve) => setImmediate(resolve)) // process warnings are emitted asynchronously
    process.off('warning', onWarning)
    expect(warned).toEqual([])
  })

  test('an empty text is null, and yes is a string (YAML 1.2)', () => {
    expect(parseYaml('').value).toBe(null)
    expect(plain(parseYaml('a: yes\nb: 010\nc: ~\n').value)).toEqual({ a: 'yes', b: 10, c: null })
  })

  test('T44 keys that could set a prototype are omitted, also through an alias', () => {
    const doc = parseYaml('__proto__: {polluted: 1}\na: &x {constructor: {prototype: {}}}\nb: *x\n')
    expect(plain(doc.value)).toEqual({ a: {}, b: {} })
    expect(doc.forbidden).toEqual(['/__proto__', '/a/constructor', '/b/constructor'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test.each([
    ['a: 1\na: 2\n', 2],
    ['a: 1\n---\nb: 2\n', 2],
    ['a: [1\n', 2],
    ['a: "open\n', 2],
    ['\ta: 1\n', 1],
  ])('%j is an error on line %i', (text, line) => {
    const doc = parseYaml(text)
    expect(doc.value).toBeUndefined()
    expect(doc.errors[0]?.line).toBe(line)
  })

  test('a bomb of aliases is an error and does not exhaust memory', () => {
    const layers = Array.from({ length: 12 }, (_, index) => {
      const items = index === 0 ? 'lol' : `*a${index - 1}`
      return `a${index}: &a${index} [${Array(10).fill(items).join(', ')}]`
    })
    expect(parseYaml(layers.join('\n')).errors).toHaveLength(1)
  })

  test('an alias that contains itself is an error', () => {
    expect(parseYaml('a: &a [*a]\n').errors).toHaveLength(1)
  })

  test.each([
    ['flow lists', '['.repeat(maxDepth + 2) + ']'.repeat(maxDepth + 2)],
    ['block lists', `${'- '.repeat(maxDepth + 2)}x`],
    ['20,000 lists', '['.repeat(20_000)],
    ['20,000 maps', '{a: '.repeat(20_000)],
  ])('nesting beyond the limit is an error: %s', (_what, text) => {
    expect(parseYaml(text).errors.length).toBeGreaterThan(0)
  })
})

describe('T08 parseYaml: fuzz', () => {
  const token = fc.constantFrom(
    ...`[ ] { } # *a | > " ' % @`.split(' '),
    '- ',
    ': ',
    '? ',
    ', ',
    '&a ',
    '!!map ',
    '!x ',
    ...'a b __proto__ << null 1'.split(' '),
    '\n',
    '\n  ',
    '\t',
    '---\n',
    '...\n',
    '\ufeff',
    '\ud800',
    '\r\n',
  )
  const soup = fc.array(token, { maxLength: 60 }).map((tokens) => tokens.join(''))
  const before = Object.getOwnPropertyNames(Object.prototype)

  test('no input makes it throw or changes Object.prototype', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' }), fc.json()), fc.string(), (text, pointer) => {
        const doc = parseYaml(text)
        for (const place of [doc.position(`/${pointer}`), doc.position('/a/0'), ...doc.errors]) {
          expect(place.line * place.column).toBeGreaterThan(0)
        }
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('parseYaml: errors of the library get our message and a line', () => {
  test.each([
    ['a second document begins here; only one is read', 2, 'a: 1\n---\nb: 2\n'],
    ['there is no anchor "gone" above this alias', 2, 'a: 1\nb: *gone\n'],
    ['this alias contains itself', 2, 'x: 1\na: &a [*a]\n'],
    [`nested deeper than ${maxDepth}`, 1, '['.repeat(20_000)],
    [`nested deeper than ${maxDepth}`, 2, `x: 1\ny: ${'['.repeat(maxDepth + 2)}${']'.repeat(maxDepth + 2)}`],
  ])('%s (line %i)', (message, line, text) => {
    expect(parseYaml(text).errors[0]).toMatchObject({ line, message })
  })
})

describe('T08 parseFrontMatter', () => {
  test('reads the YAML between the first two --- lines, with the line numbers of the file', () => {
    const doc = parseFrontMatter(
      '---\nname: docs\nmcp-servers:\n  a:\n    command: a\n---\n\n# Text\n---\nnot: this\n---\n',
    )
    expect(doc.format).toBe('markdown')
    expect(plain(doc.value)).toEqual({ name: 'docs', 'mcp-servers': { a: { command: 'a' } } })
    expect(doc.position('/mcp-servers/a')).toEqual({ line: 4, column: 3 })
  })

  test.each([
    ['CRLF', '---\r\na: 1\r\n---\r\ntext', { a: 1 }],
    ['spaces after the dashes', '--- \na: 1\n---\t\ntext', { a: 1 }],
    ['the file ending at the dashes', '---\na: 1\n---', { a: 1 }],
    ['dashes in a value', '---\na: x --- y\nb: |\n  ---x\n---\n', { a: 'x --- y', b: '---x\n' }],
    ['a byte order mark', '\ufeff---\na: 1\n---\n', { a: 1 }],
    ['empty front matter', '---\n---\ntext', null],
    ['no front matter', '# Title\n\n---\na: 1\n---\n', null],
    ['no closing dashes', '---\na: 1\n', null],
    ['an empty file', '', null],
  ])('with %s, the value is right and there is no error', (_what, text, value) => {
    const doc = parseFrontMatter(text)
    expect([plain(doc.value), doc.errors]).toEqual([value, []])
  })

  test('an error has the line number of the file', () => {
    expect(parseFrontMatter('---\na: 1\na: 2\n---\n').errors).toMatchObject([{ line: 3 }])
  })

  test('no input makes it throw, and many --- lines are read in time', () => {
    const token = fc.constantFrom('---', '\n', '\r\n', ' ', 'a: 1', '- x', '[', '__proto__: 1', '\ufeff')
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        expect(parseFrontMatter(tokens.join('')).position('/a').line).toBeGreaterThan(0)
      }),
    )
    expect(parseFrontMatter(`---\n${'--- x\n'.repeat(50_000)}`).value).toBe(null)
  })
})
