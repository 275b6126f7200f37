import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../state/keys.ts'
import { useHeldOrder } from './held-order.ts'
import { useRovingFocus } from './roving-focus.ts'

export interface ListProps<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** The address that a row opens. */
  readonly to: (item: T) => string
  /** What stands in a row. */
  readonly children: (item: T) => ComponentChildren
  /** The key of the row whose detail is open. */
  readonly current?: string | undefined
  /** Rows that only group others: not a link, no focus. */
  readonly isHeading?: (item: T) => boolean
  /** All rows have this height in pixels: only those in sight are drawn, so that 10,000 are no burden. */
  readonly rowHeight?: number
  /** Names the filter and the sorting: another one is shown at once, even under the pointer. */
  readonly order?: string
  readonly class?: string
}

/** A list of links with one tab stop. It does not move under the pointer: new rows wait behind “3 new”. */
export function List<T>(props: ListProps<T>) {
  const { label, items, keyOf, to, children, current, isHeading = () => false, order } = props
  const { shown, fresh, release, hold } = useHeldOrder(items, keyOf, order)
  const freshRows = fresh.filter((item) => !isHeading(item)).length
  const [active, setActive] = useState<string>()
  const isMoved = useRef(false)
  const rowHeight = props.rowHeight === undefined ? undefined : Math.max(props.rowHeight, minRowHeight())
  const rows = shown.map((item, index) => ({ item, index, key: keyOf(item), isHeading: isHeading(item) }))
  const links = rows.filter((row) => !row.isHeading)
  const stop = links.find(({ key }) => key === active) ?? links.find(({ key }) => key === current) ?? links[0]

  const roving = useRovingFocus<HTMLDivElement>({
    onMove: (step) => {
      const at = stop ? links.indexOf(stop) : 0
      const next = links[Math.max(0, Math.min(links.length - 1, at + step))]
      if (!next) return
      isMoved.current = true
      setActive(next.key)
      if (rowHeight !== undefined) scrollTo(roving.ref.current, next.index * rowHeight, rowHeight)
    },
  })
  // From elsewhere on the page the same keys go into the list.
  const enter = { does: 'Move in a list', run: () => enterList(roving.ref.current) }
  useKeys({ j: enter, k: enter })
  const sight = useSight(roving.ref, rowHeight, rows.length)
  useLayoutEffect(() => {
    if (!isMoved.current) return
    isMoved.current = false
    rowOf(roving.ref.current, active)?.focus()
  })
  // A row that was opened from elsewhere is shown once; afterwards the list stays where the person scrolled it.
  const placedRow = useRef<string>()
  useLayoutEffect(() => {
    const row = rows.find(({ key }) => key === current)
    if (placedRow.current === current || !row) return
    placedRow.current = current
    if (rowHeight !== undefined) scrollTo(roving.ref.current, row.index * rowHeight, rowHeight)
    else rowOf(roving.ref.current, current)?.scrollIntoView({ block: 'nearest' })
  })
  const drawn = rows.filter(
    ({ index, key }) => (index >= sight.from && index < sight.to) || key === stop?.key,
  )

  return (
    <div class={`list ${props.class ?? ''}`} ref={roving.ref} onKeyDown={roving.onKeyDown} {...hold}>
      {freshRows > 0 && (
        <button type="button" class="list-fresh" onClick={release}>
          {freshRows} new
        </button>
      )}
      <ul
        aria-label={label}
        style={rowHeight ? { height: rows.length * rowHeight, position: 'relative' } : undefined}
      >
        {drawn.map((row) => (
          <li
            key={row.key}
            aria-setsize={rowHeight && rows.length}
            aria-posinset={rowHeight && row.index + 1}
            style={rowHeight ? placed(row.index * rowHeight, rowHeight) : undefined}
          >
            {row.isHeading ? (
              <div class="list-heading">{children(row.item)}</div>
            ) : (
              <a
                class="list-row"
                href={to(row.item)}
                data-key={row.key}
                tabIndex={row === stop ? 0 : -1}
                aria-current={row.key === current ? 'true' : undefined}
                onFocus={() => setActive(row.key)}
              >
                {children(row.item)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function placed(top: number, height: number) {
  return { position: 'absolute', top, height, left: 0, right: 0, display: 'grid' } as const
}

/** Rows are higher where fingers touch them. */
function minRowHeight(): number {
  return Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10) || 0
}

const rowsAround = 10

/** The rows that are in sight, with some above and below; all of them without a fixed height. */
function useSight(
  ref: { readonly current: HTMLElement | null },
  rowHeight: number | undefined,
  count: number,
): { readonly from: number; readonly to: number } {
  const [sight, setSight] = useState({ from: 0, to: 60 })
  useLayoutEffect(() => {
    const list = ref.current
    if (!list || rowHeight === undefined) return
    const look = (): void => {
      const from = Math.max(0, Math.floor(list.scrollTop / rowHeight) - rowsAround)
      const to = Math.ceil((list.scrollTop + list.clientHeight) / rowHeight) + rowsAround
      setSight((known) => (known.from === from && known.to === to ? known : { from, to }))
    }
    const resized = new ResizeObserver(look)
    resized.observe(list)
    list.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      list.removeEventListener('scroll', look)
    }
  }, [rowHeight])
  return rowHeight === undefined ? { from: 0, to: count } : sight
}

function scrollTo(list: HTMLElement | null, top: number, height: number): void {
  if (!list) return
  if (top < list.scrollTop) list.scrollTop = top
  else if (top + height > list.scrollTop + list.clientHeight)
    list.scrollTop = top + height - list.clientHeight
}

/** To its tab stop: within the list its own keys move on. */
function enterList(list: HTMLElement | null): void {
  list?.querySelector<HTMLElement>('[data-key][tabindex="0"]')?.focus()
}

function rowOf(list: HTMLElement | null, key: string | undefined): HTMLElement | undefined {
  if (!list || key === undefined) return undefined
  return list.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? undefined
}
