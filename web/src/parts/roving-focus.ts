import type { RefObject } from 'preact'
import { useCallback, useRef } from 'preact/hooks'
import { isTyping } from '../state/keys.ts'
import { singleKeys } from '../state/settings.ts'

export interface RovingOptions {
  readonly direction?: 'column' | 'row'
  /** For rows that are not drawn: moves by a number, ±Infinity is the end, and focuses. */
  readonly onMove?: (step: number) => void
}

export interface RovingFocus<E extends HTMLElement> {
  readonly ref: RefObject<E>
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/**
 * One tab stop for many rows: arrows, j and k, Home and End move between the elements with `data-row` inside `ref`. The
 * caller gives one of them tabIndex 0 and the others -1.
 */
export function useRovingFocus<E extends HTMLElement>({
  direction = 'column',
  onMove,
}: RovingOptions = {}): RovingFocus<E> {
  const ref = useRef<E>(null)
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const step = stepOf(event, direction)
      if (step === undefined) return
      event.preventDefault()
      if (onMove) onMove(step)
      else if (ref.current) focusRow(ref.current, step)
    },
    [direction, onMove],
  )
  return { ref, onKeyDown }
}

function stepOf(event: KeyboardEvent, direction: 'column' | 'row'): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return undefined
  const [back, on] = direction === 'column' ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight']
  const letters = direction === 'column' && singleKeys.value === 'on'
  if (event.key === on || (letters && event.key === 'j')) return 1
  if (event.key === back || (letters && event.key === 'k')) return -1
  if (event.key === 'Home') return -Infinity
  if (event.key === 'End') return Infinity
  return undefined
}

function focusRow(container: HTMLElement, step: number): void {
  const rows = [...container.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
  if (!next) return
  for (const row of rows) row.tabIndex = row === next ? 0 : -1
  next.focus()
}
