import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { go } from '../state/addresses.ts'
import { useKeys } from '../state/keys.ts'

export interface SplitProps {
  /** `list`: a narrow list, the detail has the room. `panel`: a wide table, the detail is a panel at its right. */
  readonly kind: 'list' | 'panel'
  readonly list: ComponentChildren
  /** Undefined: nothing is chosen. */
  readonly detail?: ComponentChildren
  /** What a list without a chosen row shows at the right. */
  readonly placeholder?: ComponentChildren
  /** The address of the list, which Esc and, on a phone, the link above the detail go back to. */
  readonly back: string
  readonly backLabel: string
  /** What the detail is about, for screen readers. */
  readonly detailLabel: string
}

/**
 * A list that keeps its place and selection, and the detail beside it; on a narrow page the detail is the next page. Esc
 * goes back to the row.
 */
export function Split({ kind, list, detail, placeholder, back, backLabel, detailLabel }: SplitProps) {
  const hasDetail = detail !== undefined && detail !== null
  const listSide = useRef<HTMLDivElement>(null)
  const hadDetail = useRef(hasDetail)
  useKeys({ Escape: { does: `Back to ${backLabel}`, run: () => go(back), isOff: !hasDetail } })
  useLayoutEffect(() => {
    // The focus was in the detail, which is gone: it goes back to the row.
    if (hadDetail.current && !hasDetail && isNowhere(document.activeElement))
      listSide.current?.querySelector<HTMLElement>('a[tabindex="0"], [data-row][tabindex="0"]')?.focus()
    hadDetail.current = hasDetail
  }, [hasDetail])
  return (
    <div class={`split split-${kind}${hasDetail ? ' has-detail' : ''}`}>
      <div class="split-side" ref={listSide}>
        {list}
      </div>
      {(hasDetail || kind === 'list') && (
        <section class="split-side" aria-label={detailLabel}>
          {hasDetail && (
            <a class="split-back" href={back}>
              ‹ {backLabel}
            </a>
          )}
          {hasDetail ? detail : placeholder}
        </section>
      )}
    </div>
  )
}

function isNowhere(focused: Element | null): boolean {
  return focused === null || focused === document.body || focused.tagName === 'MAIN'
}
