import { escapeLine } from './escape.ts'
import { displayWidth, truncate, wrap } from './width.ts'

export interface Column<Row> {
  readonly title: string
  /** The unescaped text of the cell: the table escapes it. */
  readonly value: (row: Row) => string
  /** Colors the cell after it was cut to its width. */
  readonly paint?: (text: string, row: Row) => string
  readonly align?: 'left' | 'right'
  /**
   * How the column adapts to a narrow terminal. A `whole` column (the default) is shown completely or dropped; a shrinking one
   * is cut with an ellipsis before it is dropped. `essential` columns are dropped last, and one of them always stays, complete.
   */
  readonly fit?: 'whole' | 'essential' | { readonly shrinkTo: number }
}
export interface TableOptions {
  /** The width of the terminal. Without it, nothing is cut or dropped. */
  readonly width?: number | undefined
  readonly paintTitle?: (text: string) => string
}
/** A column with its escaped cells and the width of the widest. */
interface MeasuredColumn<Row> {
  readonly column: Column<Row>
  readonly title: string
  readonly cells: readonly string[]
  readonly natural: number
}
interface SizedColumn<Row> extends MeasuredColumn<Row> {
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
  const all = columns.map((column) => measureColumn(column, rows))
  const shown = fitColumns(all, width)
  const head = renderRow(shown, ({ title }) => title, paintTitle)
  const body = rows.flatMap((row, at) =>
    renderRow(
      shown,
      ({ cells }) => cells[at] ?? '',
      (text, { column }) => column.paint?.(text, row) ?? text,
    ),
  )
  return [...head, ...body, ...nameDroppedColumns(all, shown, width)].join('\n')
}

function measureColumn<Row>(column: Column<Row>, rows: readonly Row[]): MeasuredColumn<Row> {
  const title = escapeLine(column.title)
  const cells = rows.map((row) => escapeLine(column.value(row)))
  const natural = [title, ...cells].reduce((max, cell) => Math.max(max, displayWidth(cell)), 0)
  return { column, title, cells, natural }
}

function fitColumns<Row>(
  columns: readonly MeasuredColumn<Row>[],
  width: number,
): readonly SizedColumn<Row>[] {
  const sized = shrinkColumns(columns, width)
  if (totalWidth(sized) <= width) return sized
  if (columns.length <= 1) return sized.map((measured) => ({ ...measured, width: Math.max(2, width) }))
  const dropped = columns.findLast(({ column }) => column.fit !== 'essential') ?? columns.at(-1)
  return fitColumns(
    columns.filter((measured) => measured !== dropped),
    width,
  )
}

/** Shrinks the widest shrinkable columns by the excess, so that they end up about equally wide. */
function shrinkColumns<Row>(
  columns: readonly MeasuredColumn<Row>[],
  width: number,
): readonly SizedColumn<Row>[] {
  const sized = columns.map((measured) => ({ ...measured, width: measured.natural }))
  for (let excess = totalWidth(sized) - width; excess > 0; excess--) {
    const able = sized.filter((measured) => measured.width > minWidth(measured))
    if (able.length === 0) break
    const widest = able.reduce((max, measured) => (measured.width > max.width ? measured : max))
    widest.width--
  }
  return sized
}

function minWidth<Row>({ column, natural }: MeasuredColumn<Row>): number {
  return typeof column.fit === 'object' ? Math.min(natural, Math.max(1, column.fit.shrinkTo)) : natural
}

function totalWidth(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * Math.max(0, columns.length - 1))
}

function cutCell<Row>({ column, width, natural }: SizedColumn<Row>, cell: string): readonly string[] {
  if (width >= natural) return [cell]
  return typeof column.fit === 'object' ? [truncate(cell, width)] : wrap(cell, width)
}

/** Returns one line, or more if the only column left is wider than the terminal. */
function renderRow<Row>(
  columns: readonly SizedColumn<Row>[],
  textOf: (measured: SizedColumn<Row>) => string,
  paint: (text: string, measured: SizedColumn<Row>) => string,
): readonly string[] {
  const cells = columns.map((measured) => cutCell(measured, textOf(measured)))
  const height = cells.reduce((max, lines) => Math.max(max, lines.length), 0)
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((measured, at) => {
        const text = cells[at]?.[line] ?? ''
        return align(text, paint(text, measured), measured)
      })
      .join(GAP)
      .trimEnd(),
  )
}

function align<Row>(text: string, painted: string, { column, width }: SizedColumn<Row>): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return column.align === 'right' ? blanks + painted : painted + blanks
}

function nameDroppedColumns<Row>(
  all: readonly MeasuredColumn<Row>[],
  shown: readonly MeasuredColumn<Row>[],
  width: number,
): readonly string[] {
  const visible = new Set(shown.map(({ column }) => column))
  const dropped = all.filter(({ column }) => !visible.has(column))
  if (dropped.length === 0) return []
  return wrap(`Too narrow to show: ${dropped.map(({ title }) => title).join(', ')}`, width)
}
