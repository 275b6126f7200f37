import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useKeys } from '../state/keys.ts'
import { singleKeys } from '../state/settings.ts'

export interface FilterBoxProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children?: ComponentChildren
}

/** The filter of a list. `/` goes to it, Esc clears it, the arrow down goes to the list. */
export function FilterBox({ label, value, onChange, children }: FilterBoxProps) {
  const field = useRef<HTMLInputElement>(null)
  useKeys({ '/': { does: label, run: () => field.current?.select() } })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && value !== '') {
      event.preventDefault()
      onChange('')
    } else if (event.key === 'ArrowDown') {
      event.preventDefault()
      const side = field.current?.closest('.split-side, .place')
      side?.querySelector<HTMLElement>('[data-key][tabindex="0"], [data-row][tabindex="0"]')?.focus()
    }
  }
  return (
    <div class="filter">
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={hasSingleKeys() ? `${label}   /` : label}
        autoComplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {children}
    </div>
  )
}

/** Whether `/` can be pressed here: a finger has no keys, as `.keys-only` says for texts. */
function hasSingleKeys(): boolean {
  return singleKeys.value === 'on' && !matchMedia('(pointer: coarse), (max-width: 640px)').matches
}
