import type { Tokens } from 'marked'
import { toSpans } from './markdown-inline.ts'
import type { MarkdownCanvas } from './markdown.ts'
import { wrapSpans } from './painted-lines.ts'
import type { Span } from './painted-lines.ts'
import { stripPaint } from './style.ts'
import type { Paint } from './style.ts'
import { displayWidth } from './width.ts'

const gap = '  '
const minColumn = 5

/** A table in columns whose cells wrap; if the columns do not fit at all, one row after the other. */
export function drawTable({ header, rows, align }: Tokens.Table, canvas: MarkdownCanvas): readonly string[] {
  const { style, width } = canvas
  const titles = header.map(({ tokens }) => toSpans(tokens, style, style.bold))
  const body = rows.map((cells) => titles.map((_, at) => toSpans(cells[at]?.tokens ?? [], style)))
  const natural = titles.map((title, at) =>
    Math.max(1, ...[title, ...body.map((cells) => cells[at] ?? [])].map(widthOf)),
  )
  const widths = fitColumns(natural, width - gap.length * (titles.length - 1))
  if (!widths) return drawRecords(titles, body, canvas)
  const draw = (cells: readonly (readonly Span[])[]) =>
    drawRow(
      cells.map((cell, at) => ({
        lines: wrapSpans(cell, widths[at] ?? 2),
        width: widths[at] ?? 2,
        isRight: align[at] === 'right',
      })),
    )
  const rule = style.dim(widths.map((column) => '─'.repeat(column)).join(gap))
  return [...draw(titles), rule, ...body.flatMap(draw)]
}

function widthOf(spans: readonly Span[]): number {
  return Math.max(
    0,
    ...wrapSpans(spans, Number.MAX_SAFE_INTEGER).map((line) => displayWidth(stripPaint(line))),
  )
}

/** Takes the excess from the widest columns; `undefined` if even the smallest columns are too wide. */
function fitColumns(natural: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) - room
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= minColumn) return undefined
    const next = Math.max(minColumn, ...widths.filter((width) => width < widest))
    const at = widths.flatMap((width, column) => (width === widest ? [column] : []))
    const each = Math.min(widest - next, Math.ceil(excess / at.length))
    for (const column of at) widths[column] = widest - Math.max(1, each)
    excess -= Math.max(1, each) * at.length
  }
  return widths
}

interface Cell {
  readonly lines: readonly string[]
  readonly width: number
  readonly isRight: boolean
}

function drawRow(cells: readonly Cell[]): readonly string[] {
  const height = Math.max(1, ...cells.map(({ lines }) => lines.length))
  return Array.from({ length: height }, (_, row) =>
    cells
      .map(({ lines, width, isRight }) => {
        const line = lines[row] ?? ''
        const blanks = ' '.repeat(Math.max(0, width - displayWidth(stripPaint(line))))
        return isRight ? blanks + line : line + blanks
      })
      .join(gap)
      .trimEnd(),
  )
}

/** Each row as `title: value` lines, for a table that is too wide for the terminal. */
function drawRecords(
  titles: readonly (readonly Span[])[],
  body: readonly (readonly (readonly Span[])[])[],
  { style, width }: MarkdownCanvas,
): readonly string[] {
  const bold: Paint = style.bold
  return body.flatMap((cells, row) => [
    ...(row === 0 ? [] : ['']),
    ...cells.flatMap((cell, at) =>
      wrapSpans([...(titles[at] ?? []), { text: ': ', paint: bold }, ...cell], width),
    ),
  ])
}
