/** The rows of a list that are drawn: those in sight and a few around them. */
export interface VirtualWindow {
  readonly from: number
  readonly to: number
  /** Height of all rows in pixels. */
  readonly height: number
}

export function windowOf(list: {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly viewHeight: number
  /** Rows above and below what is in sight. */
  readonly around?: number
}): VirtualWindow {
  const { count, rowHeight, scrollTop, viewHeight, around = 8 } = list
  const first = Math.floor(scrollTop / rowHeight) - around
  const last = Math.ceil((scrollTop + viewHeight) / rowHeight) + around
  const from = Math.min(Math.max(first, 0), Math.max(count - 1, 0))
  return { from, to: Math.max(Math.min(last, count), Math.min(from + 1, count)), height: count * rowHeight }
}

/** Where to scroll so that a row is in sight; `undefined` if it is already. */
export function scrollFor(
  row: number,
  {
    rowHeight,
    scrollTop,
    viewHeight,
  }: { readonly rowHeight: number; readonly scrollTop: number; readonly viewHeight: number },
): number | undefined {
  const top = row * rowHeight
  if (top < scrollTop) return top
  const bottom = top + rowHeight
  return bottom > scrollTop + viewHeight ? bottom - viewHeight : undefined
}

/** The row that a key of a list goes to; `undefined` for other keys. */
export function rowAfterKey(
  key: string,
  { row, count, page }: { readonly row: number; readonly count: number; readonly page: number },
): number | undefined {
  const to = targets[key]?.({ row, count, page })
  return to === undefined ? undefined : Math.min(Math.max(to, 0), count - 1)
}

const targets: Readonly<
  Record<string, (at: { readonly row: number; readonly count: number; readonly page: number }) => number>
> = {
  ArrowDown: ({ row }) => row + 1,
  j: ({ row }) => row + 1,
  ArrowUp: ({ row }) => row - 1,
  k: ({ row }) => row - 1,
  PageDown: ({ row, page }) => row + page,
  PageUp: ({ row, page }) => row - page,
  Home: () => 0,
  End: ({ count }) => count - 1,
}
