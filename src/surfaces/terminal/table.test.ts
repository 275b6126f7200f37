import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createStyle } from './style.ts'
import { renderTable } from './table.ts'
import type { Column } from './table.ts'
import { displayWidth } from './width.ts'

interface Row {
  readonly name: string
  readonly tools: number
  readonly command: string
  readonly file: string
}

const columns: readonly Column<Row>[] = [
  { title: 'Server', value: ({ name }) => name, fit: 'essential' },
  { title: 'Tools', value: ({ tools }) => String(tools), align: 'right' },
  { title: 'Command', value: ({ command }) => command, fit: { shrinkTo: 8 } },
  { title: 'File', value: ({ file }) => file, fit: { shrinkTo: 8 } },
]
const rows: readonly Row[] = [
  { name: 'github', tools: 26, command: 'npx -y server-github', file: '~/.cursor/mcp.json' },
  { name: '文書', tools: 3, command: 'uvx docs', file: '.mcp.json' },
]

const shows = (width: number | undefined): readonly string[] =>
  renderTable(columns, rows, { width }).split('\n')

describe('renderTable', () => {
  test('aligns columns by display width', () => {
    expect(shows(80)).toEqual([
      'Server  Tools  Command               File',
      'github     26  npx -y server-github  ~/.cursor/mcp.json',
      '文書        3  uvx docs              .mcp.json',
    ])
  })

  test('shrinks the widest shrinkable columns, with an ellipsis', () => {
    expect(shows(45)).toEqual([
      'Server  Tools  Command         File',
      'github     26  npx -y server…  ~/.cursor/mcp…',
      '文書        3  uvx docs        .mcp.json',
    ])
  })

  test('T10 drops columns from the right if shrinking is not enough, and names them', () => {
    expect(shows(30)).toEqual([
      'Server  Tools  Command',
      'github     26  npx -y server-…',
      '文書        3  uvx docs',
      'Too narrow to show: File',
    ])
  })

  test('T10 keeps the essential column complete at any width', () => {
    expect(shows(4)).toEqual([
      'Serv',
      'er',
      'gith',
      'ub',
      '文書',
      'Too',
      'narr',
      'ow',
      'to',
      'show',
      ':',
      'Tool',
      's,',
      'Comm',
      'and,',
      'File',
    ])
  })

  test('keeps the first column if none is essential', () => {
    const plain: readonly Column<Row>[] = columns.map((column) => ({ ...column, fit: 'whole' }))
    expect(renderTable(plain, rows, { width: 25 }).split('\n')).toEqual([
      'Server  Tools',
      'github     26',
      '文書        3',
      'Too narrow to show:',
      'Command, File',
    ])
  })

  test('drops the last essential column only if the essential ones alone do not fit', () => {
    const essential: readonly Column<Row>[] = columns.map((column) => ({ ...column, fit: 'essential' }))
    expect(renderTable(essential, rows, { width: 36 }).split('\n').slice(0, 2)).toEqual([
      'Server  Tools  Command',
      'github     26  npx -y server-github',
    ])
  })

  test('T10 cuts and drops nothing without a terminal', () => {
    const command = 'x'.repeat(10_000)
    const [, line] = renderTable(columns, [{ name: 'a', tools: 1, command, file: 'f' }]).split('\n')
    expect(line).toBe(`a           1  ${command}  f`)
  })

  test('T18 escapes cells and titles, each on one line', () => {
    const hostile: readonly Column<string>[] = [
      { title: 'a\u001B[2J', value: (text) => text, fit: 'essential' },
      { title: 'b', value: () => 'end' },
    ]
    expect(renderTable(hostile, ['x\ny\r\u202E', 'z'], { width: 60 }).split('\n')).toEqual([
      'a\\x1b[2J        b',
      'x\\ny\\r\\u{202e}  end',
      'z               end',
    ])
  })

  test('paints cells and titles without changing the alignment', () => {
    const { bold, red } = createStyle({ env: {}, isTTY: true })
    const painted: readonly Column<Row>[] = [
      {
        title: 'Name',
        value: ({ name }) => name,
        paint: (text, { tools }) => (tools > 9 ? red(text) : text),
      },
      { title: 'Tools', value: ({ tools }) => String(tools), align: 'right', paint: bold },
    ]
    expect(renderTable(painted, rows, { width: 80, paintTitle: bold }).split('\n')).toEqual([
      `${bold('Name')}    ${bold('Tools')}`,
      `${red('github')}     ${bold('26')}`,
      `文書        ${bold('3')}`,
    ])
  })

  test('without rows returns only the titles', () => {
    expect(renderTable(columns, [], { width: 80 })).toBe('Server  Tools  Command  File')
  })

  test('without columns returns an empty text', () => {
    expect(renderTable([], rows, { width: 80 })).toBe('')
  })
})

describe('renderTable with any table', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('日', '😀', ' ', 'a', '\u001B[2J', '\n', '\u202E'), maxLength: 60 }),
  )
  const fit: fc.Arbitrary<NonNullable<Column<unknown>['fit']>> = fc.oneof(
    fc.constant('whole' as const),
    fc.constant('essential' as const),
    fc.record({ shrinkTo: fc.integer({ min: 0, max: 20 }) }),
  )
  const column = fc.record({ title: cell, fit, align: fc.constantFrom('left' as const, 'right' as const) })
  const table = fc
    .array(column, { minLength: 1, maxLength: 6 })
    .chain((columns) =>
      fc.tuple(
        fc.constant(
          columns.map((each, at) => ({ ...each, value: (row: readonly string[]) => row[at] ?? '' })),
        ),
        fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), { maxLength: 6 }),
      ),
    )

  test('no line is wider than the terminal', () => {
    fc.assert(
      fc.property(table, fc.integer({ min: 2, max: 120 }), ([columns, rows], width) => {
        const lines = renderTable(columns, rows, { width }).split('\n')
        expect(lines.filter((line) => displayWidth(line) > width)).toEqual([])
      }),
    )
  })

  test('T18 no line contains a control character', () => {
    fc.assert(
      fc.property(table, fc.integer({ min: 2, max: 120 }), ([columns, rows], width) => {
        expect(renderTable(columns, rows, { width }).match(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)).toBe(null)
      }),
    )
  })
})
