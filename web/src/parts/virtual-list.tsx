import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rowAfterKey, scrollFor, windowOf } from './virtual-window.ts'

/** What the element of a row that takes the focus must have. */
export interface RowFocus {
  readonly 'data-row': number
  readonly tabIndex: 0 | -1
}

/**
 * A list of rows of one height that draws only those in sight, and is one stop of the Tab key. The active row is always
 * drawn, so that the focus is not lost when it is scrolled away.
 */
export function VirtualList({
  count,
  rowHeight,
  label,
  role = 'list',
  active,
  onActive,
  onRowKey,
  row,
  rowKey,
  class: className = '',
}: {
  readonly count: number
  readonly rowHeight: number
  readonly label: string
  readonly role?: 'list' | 'tree' | undefined
  readonly active: number
  readonly onActive: (row: number) => void
  /** Takes keys that the list does not use. Returns the row to go to, if the key means one. */
  readonly onRowKey?: ((event: KeyboardEvent, row: number) => number | undefined) | undefined
  readonly row: (index: number, focus: RowFocus) => ComponentChildren
  readonly rowKey: (index: number) => string
  readonly class?: string
}) {
  const box = useRef<HTMLDivElement>(null)
  const isFocusDue = useRef(false)
  const [scrollTop, setScrollTop] = useState(0)
  const [viewHeight, setViewHeight] = useState(600)
  const current = Math.min(active, count - 1)

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setViewHeight(element.clientHeight))
    observer.observe(element)
    setViewHeight(element.clientHeight)
    return () => observer.disconnect()
  }, [])

  useLayoutEffect(() => {
    const element = box.current
    if (!element || current < 0) return
    const to = scrollFor(current, {
      rowHeight,
      scrollTop: element.scrollTop,
      viewHeight: element.clientHeight,
    })
    if (to !== undefined) element.scrollTop = to
    if (!isFocusDue.current) return
    isFocusDue.current = false
    element.querySelector<HTMLElement>(`[data-row="${current}"]`)?.focus({ preventScroll: true })
  }, [current, rowHeight])

  const go = (to: number) => {
    isFocusDue.current = true
    if (to === current) box.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus()
    else onActive(to)
  }
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.max(Math.floor(viewHeight / rowHeight) - 1, 1)
    const to = rowAfterKey(event.key, { row: current, count, page }) ?? onRowKey?.(event, current)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    go(to)
  }
  const { from, to, height } = windowOf({ count, rowHeight, scrollTop, viewHeight })
  const drawn = Array.from({ length: to - from }, (_, index) => from + index)
  const outside = current >= 0 && (current < from || current >= to) ? [current] : []
  return (
    <div
      ref={box}
      class={`virtual ${className}`}
      role={role}
      aria-label={label}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${height}px` }}>
        {[...drawn, ...outside].map((index) => (
          <div
            key={rowKey(index)}
            class="virtual-row"
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
            {...(role === 'list'
              ? { role: 'listitem', 'aria-setsize': count, 'aria-posinset': index + 1 }
              : { role: 'presentation' })}
          >
            {row(index, { 'data-row': index, tabIndex: index === current ? 0 : -1 })}
          </div>
        ))}
      </div>
    </div>
  )
}
