import * as fc from 'fast-check'
import { parseTOML } from 'toml-eslint-parser'
import type { AST } from 'toml-eslint-parser'
import { describe, expect, test } from 'vitest'
import { toPointer } from '../../model/json.ts'
import type { Path, Position } from './doc.ts'
import { createTomlPlaces } from './toml-places.ts'
import { parseToml } from './toml.ts'

describe('createTomlPlaces', () => {
  test('T08 positions agree with a full parser, for every table, key and element of any document', () => {
    let compared = 0
    fc.assert(
      fc.property(documents(), (text) => {
        const expected = placesBy(text)
        fc.pre(expected !== undefined && parseToml(text).errors.length === 0)
        const position = createTomlPlaces(text)
        const found = new Map([...expected].map(([pointer]) => [pointer, position(pointer)]))
        expect(found).toEqual(expected)
        compared += expected.size
      }),
      { numRuns: 1000 },
    )
    expect(compared).toBeGreaterThan(1000)
  })

  test.each([
    ['a table in an array of tables', '[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n', '/a/1/c/d', [6, 1]],
    ['a quoted key with an escape', '["a\\"b"]\n"\\u0063" = { d = 1 }\n', '/a"b/c/d', [2, 14]],
    ['a key after a multi-line string', 'a = """\n[b]\nc = 1\n\\""" """\nb = 2\n', '/b', [5, 1]],
    [
      'an element after a multi-line string that ends with quotes',
      "a = '''it''''\nb = [ '''x''''', 'y' ]\n",
      '/b/1',
      [2, 18],
    ],
    ['an element after a date with a space', 'a = [1979-05-27 07:32:00, 2]\n', '/a/1', [1, 27]],
    ['a key inside nested lists', 'a = [[1], [ # [\n  {b = 2}]]\n', '/a/1/0/b', [2, 4]],
    ['a key of a multi-line inline table', 'a = {\n  b = 1, # c\n  c = 2,\n}\n', '/a/c', [3, 3]],
    ['a key after characters outside the basic plane', 'a = { b = "😀", c = 1 }\n', '/a/c', [1, 17]],
  ])('%s', (_what, text, pointer, [line, column]) => {
    const doc = parseToml(text)
    expect([doc.errors, doc.position(pointer)]).toEqual([[], { line, column }])
  })

  test('a long line and a long comment are scanned once', () => {
    const count = 100_000
    const text = `${'# x\n'.repeat(count)}#${' '.repeat(9_000_000)}\na = [${'{b="c"},'.repeat(count)}]\n`
    expect(createTomlPlaces(text)(`/a/${count - 1}/b`)).toEqual({
      line: count + 2,
      column: 6 + count * 8 - 7,
    })
  })
})

/** The expected positions, from the parser that edits use. */
function placesBy(text: string): ReadonlyMap<string, Position> | undefined {
  const places = new Map<string, Position>()
  const note = (path: Path, { loc }: AST.TOMLNode) => {
    const pointer = toPointer(path)
    const { line, column } = loc.start
    if (!places.has(pointer)) places.set(pointer, { line, column: column + 1 })
  }
  const inside = (node: AST.TOMLContentNode, path: Path) => {
    if (node.type === 'TOMLInlineTable') for (const pair of node.body) visit(pair, path)
    if (node.type !== 'TOMLArray') return
    for (const [index, element] of node.elements.entries()) {
      note([...path, index], element)
      inside(element, [...path, index])
    }
  }
  const visit = (node: AST.TOMLKeyValue | AST.TOMLTable, base: Path) => {
    if (node.type === 'TOMLTable') {
      note(node.resolvedKey, node)
      for (const pair of node.body) visit(pair, node.resolvedKey)
      return
    }
    const keys = node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))
    note([...base, ...keys], node)
    inside(node.value, [...base, ...keys])
  }
  try {
    for (const node of parseTOML(text).body[0].body) visit(node, [])
    return places
  } catch {
    return undefined // generated twice, say
  }
}

function documents(): fc.Arbitrary<string> {
  const blank = fc.constantFrom('', '', ' ', '\t ')
  const eol = fc.constantFrom('\n', '\n', '\r\n', ' # [a] = """\n', '\n\n  # x = 1\n')
  const bare = fc.constantFrom(...'a b c d e f g 1 2 a-b x_y'.split(' '))
  const content = fc
    .array(fc.constantFrom(...'a [ ] { } # = , . / ~ 1 é 😀'.split(' '), ' ', "'", '\\"', '\\\\', '\\u0061'))
    .map((signs) => signs.join(''))
  const basic = content.map((text) => `"${text}"`)
  const literal = content.map((text) => `'${text.replaceAll("'", '')}'`)
  const key = fc.oneof({ weight: 4, arbitrary: bare }, basic, literal)
  const keys = fc
    .tuple(fc.array(key, { minLength: 1, maxLength: 3 }), blank)
    .map(([parts, space]) => parts.join(`${space}.${space}`))
  const lines = fc.array(content, { maxLength: 3 }).map((parts) => parts.join('\n'))
  const long = fc.constantFrom('', '"', '""').chain((end) => lines.map((text) => `"""${text}${end}"""`))
  const raw = lines.map((text) => `'''${text.replaceAll("'", '')}''''`)
  const other = fc.constantFrom(
    ...'1 -2.5 true inf 0xff 1979-05-27 07:32:00'.split(' '),
    '1979-05-27 07:32:00',
  )
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      basic,
      literal,
      long,
      raw,
      other,
      fc
        .tuple(fc.array(tie('value'), { maxLength: 3 }), eol, fc.boolean())
        .map(
          ([items, gap, more]) =>
            `[${gap}${items.join(`${gap},${gap}`)}${more && items[0] ? ',' : ''}${gap}]`,
        ),
      fc
        .array(fc.tuple(key, blank, tie('value')), { maxLength: 3 })
        .map(
          (pairs) =>
            `{${pairs.map(([name, space, item]) => `${space}${name}${space}=${space}${item}`).join(',')}}`,
        ),
    ),
  }))
  const pair = fc
    .tuple(blank, keys, blank, value, eol)
    .map(([a, name, b, item, end]) => `${a}${name}${b}=${b}${item}${end}`)
  const table = fc
    .tuple(blank, keys, eol)
    .map(([space, name, end]) => `${space}[${space}${name}${space}]${end}`)
  const lists = fc.tuple(bare, eol).map(([name, end]) => `[[${name}]]${end}`)
  const inList = fc
    .tuple(bare, bare, eol)
    .map(([list, name, end]) => `[[${list}]]${end}[${list}.${name}]${end}`)
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: pair }, table, lists, inList), { maxLength: 8 })
    .map((parts) => parts.join(''))
}
