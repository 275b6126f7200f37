import type { ComponentChildren } from 'preact'
import type { Action } from '../state/answers.ts'

export interface ButtonProps {
  readonly children: ComponentChildren
  /** The command of the terminal that does the same; shown on hover and focus. */
  readonly command?: string
  /** What it does, where no command does the same. */
  readonly about?: string
  /** At most one in a row: the cure. */
  readonly kind?: 'primary' | 'danger' | 'plain'
  readonly onPress?: () => void
  /** Runs it, and shows that it runs. */
  readonly action?: Pick<Action<[]>, 'run' | 'isBusy'>
  /** An address of the page: the button is a link then. */
  readonly to?: string
  /** Shown as a key; the place binds it. */
  readonly keyName?: string
  /** Why it cannot be pressed now; it stays reachable, so that the reason can be read. */
  readonly refused?: string
  readonly label?: string
  readonly type?: 'button' | 'submit'
  /** -1 in a row of a list that is not its tab stop. */
  readonly tabIndex?: number
  readonly class?: string
}

export function Button(props: ButtonProps) {
  const {
    children,
    command,
    about,
    kind,
    onPress,
    action,
    to,
    keyName,
    refused,
    label,
    type = 'button',
  } = props
  const isOff = refused !== undefined || action?.isBusy === true
  const title = [refused, about, command && `Same as: ${command}`].filter(Boolean).join('\n')
  const shared = {
    class: `button${kind ? ` is-${kind}` : ''}${props.class ? ` ${props.class}` : ''}`,
    title: title || undefined,
    'aria-label': label,
    tabIndex: props.tabIndex,
  }
  const content = (
    <>
      {children}
      {keyName && <kbd aria-hidden="true">{keyName}</kbd>}
    </>
  )
  if (to !== undefined && !isOff)
    return (
      <a {...shared} href={to} onClick={onPress}>
        {content}
      </a>
    )
  return (
    <button
      {...shared}
      type={type}
      aria-disabled={isOff}
      aria-busy={action?.isBusy}
      aria-keyshortcuts={keyName?.replace('⏎', 'Enter')}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else if (action) void action.run()
        else onPress?.()
      }}
    >
      {content}
    </button>
  )
}
