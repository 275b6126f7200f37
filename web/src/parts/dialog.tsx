import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useKeys } from '../state/keys.ts'

export interface DialogProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly class?: string
}

/** Stops everything else: only for the code of the terminal and for leaving unsent text, and as the palette's frame. */
export function Dialog({ label, onClose, children, class: name }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useKeys({}, { isDialog: true })
  // Before it is painted: what is typed next belongs to the dialog.
  useLayoutEffect(() => {
    const own = dialog.current
    const before = document.activeElement
    own?.showModal()
    return () => {
      // While it is open, nothing outside of it can take the focus.
      own?.close()
      const isLeft = before instanceof HTMLElement && before.isConnected && before !== document.body
      const to = isLeft ? before : document.querySelector('main')
      to?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      class={name}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  )
}
