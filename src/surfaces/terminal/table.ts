import { escapeLine } from './escape.ts'
import { displayWidth, truncate, wrap } from './width.ts'

export interface Column<Row> {
  readonly title: string
  /** The cell's text as it is: the table escapes it. */
  readonly value: (row: Row) => string
  /** Colors the cell, after it was cut to its width. */
  readonly paint?: (text: string, row: Row) => string
  readonly align?: 'left' | 'right'
  /**
   * What may happen in a narrow terminal. A `whole` column (the default) is shown complete or left out, a shrinking one
   * is cut with an ellipsis before it is left out. `essential` columns go last, and one of them always stays, complete.
   */
  readonly fit?: 'whole' | 'essential' | { readonly shrinkTo: number }
}
export interface TableOptions {
  /** The terminal's width. Without one nothing is cut or left out. */
  readonly width?: number | undefined
  readonly paintTitle?: (text: string) => string
}
interface Laid<Row> {
  readonly column: Column<Row>
  readonly title: string
  readonly cells: readonly string[]
  readonly natural: number
}
interface Fitted<Row> extends Laid<Row> {
  width: number
}

const GAP = '  '
const WHOLE = Number.POSITIVE_INFINITY

/** Aligned columns, no wider than the terminal. Columns that did not fit are named below the table (T10). */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width = WHOLE, paintTitle = (text) => text }: TableOptions = {},
): string {
  const all = columns.map((column) => lay(column, rows))
  const shown = fit(all, width)
  const head = renderRow(shown, ({ title }) => title, paintTitle)
  const body = rows.flatMap((row, at) =>
    renderRow(
      shown,
      ({ cells }) => cells[at] ?? '',
      (text, { column }) => column.paint?.(text, row) ?? text,
    ),
  )
  return [...head, ...body, ...nameMissing(all, shown, width)].join('\n')
}

function lay<Row>(column: Column<Row>, rows: readonly Row[]): Laid<Row> {
  const title = escapeLine(column.title)
  const cells = rows.map((row) => escapeLine(column.value(row)))
  const natural = [title, ...cells].reduce((most, cell) => Math.max(most, displayWidth(cell)), 0)
  return { column, title, cells, natural }
}

function fit<Row>(columns: readonly Laid<Row>[], width: number): readonly Fitted<Row>[] {
  const fitted = shrink(columns, width)
  if (totalWidth(fitted) <= width) return fitted
  if (columns.length <= 1) return fitted.map((laid) => ({ ...laid, width: Math.max(2, width) }))
  const dropped = columns.findLast(({ column }) => column.fit !== 'essential') ?? columns.at(-1)
  return fit(
    columns.filter((laid) => laid !== dropped),
    width,
  )
}

/** Takes what is too much from the widest columns that may shrink, so that they end up about equally wide. */
function shrink<Row>(columns: readonly Laid<Row>[], width: number): readonly Fitted<Row>[] {
  const fitted = columns.map((laid) => ({ ...laid, width: laid.natural }))
  for (let excess = totalWidth(fitted) - width; excess > 0; excess--) {
    const able = fitted.filter((laid) => laid.width > leastWidth(laid))
    if (able.length === 0) break
    const widest = able.reduce((most, laid) => (laid.width > most.width ? laid : most))
    widest.width--
  }
  return fitted
}

function leastWidth<Row>({ column, natural }: Laid<Row>): number {
  return typeof column.fit === 'object' ? Math.min(natural, Math.max(1, column.fit.shrinkTo)) : natural
}

function totalWidth(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * Math.max(0, columns.length - 1))
}

function cutCell<Row>({ column, width, natural }: Fitted<Row>, cell: string): readonly string[] {
  if (width >= natural) return [cell]
  return typeof column.fit === 'object' ? [truncate(cell, width)] : wrap(cell, width)
}

/** One line, or more if the last column left is wider than the terminal. */
function renderRow<Row>(
  columns: readonly Fitted<Row>[],
  textOf: (laid: Fitted<Row>) => string,
  paint: (text: string, laid: Fitted<Row>) => string,
): readonly string[] {
  const cells = columns.map((laid) => cutCell(laid, textOf(laid)))
  const height = cells.reduce((most, lines) => Math.max(most, lines.length), 0)
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((laid, at) => {
        const text = cells[at]?.[line] ?? ''
        return align(text, paint(text, laid), laid)
      })
      .join(GAP)
      .trimEnd(),
  )
}

function align<Row>(text: string, painted: string, { column, width }: Fitted<Row>): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return column.align === 'right' ? blanks + painted : painted + blanks
}

function nameMissing<Row>(
  all: readonly Laid<Row>[],
  shown: readonly Laid<Row>[],
  width: number,
): readonly string[] {
  const visible = new Set(shown.map(({ column }) => column))
  const missing = all.filter(({ column }) => !visible.has(column))
  if (missing.length === 0) return []
  return wrap(`Too narrow to show: ${missing.map(({ title }) => title).join(', ')}`, width)
}
