import type { ComponentChildren } from 'preact'
import { useRovingFocus } from './roving-focus.ts'

export interface TabItem<Id extends string> {
  readonly id: Id
  readonly label: ComponentChildren
  /** Its address, if it has one: the tab is part of the link to this view then. */
  readonly to?: string
}

export interface TabsProps<Id extends string> {
  readonly label: string
  readonly items: readonly TabItem<Id>[]
  readonly current: Id
  readonly onSelect?: (id: Id) => void
  /** The id of the element below, which has role="tabpanel". */
  readonly panel: string
}

export function Tabs<Id extends string>({ label, items, current, onSelect, panel }: TabsProps<Id>) {
  const roving = useRovingFocus<HTMLDivElement>({ direction: 'row' })
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={roving.ref} onKeyDown={roving.onKeyDown}>
      {items.map(({ id, label: name, to }) => {
        const shared = {
          class: 'tab',
          role: 'tab',
          'data-row': '',
          'aria-selected': id === current,
          'aria-controls': panel,
          tabIndex: id === current ? 0 : -1,
        } as const
        return to === undefined ? (
          <button key={id} type="button" {...shared} onClick={() => onSelect?.(id)}>
            {name}
          </button>
        ) : (
          <a key={id} href={to} {...shared}>
            {name}
          </a>
        )
      })}
    </div>
  )
}
