import type { ComponentChildren } from 'preact'
import type { Fault } from '../../../src/client.ts'
import { CommandText } from './copy-button.tsx'
import { ShapeMark } from './state-mark.tsx'

export interface EmptyProps {
  /** The heading, where it stands for a whole view. */
  readonly title?: string
  /** One sentence. */
  readonly says: string
  /** One action. */
  readonly children?: ComponentChildren
  /** One command. */
  readonly command?: string
}

export function Empty({ title, says, children, command }: EmptyProps) {
  return (
    <div class="empty">
      {title !== undefined && <h1>{title}</h1>}
      <p>{says}</p>
      {children && <div class="buttons">{children}</div>}
      {command && <CommandText command={command} />}
    </div>
  )
}

/** What failed and what to do, in a line. */
export function faultText({ message, hint }: Pick<Fault, 'message' | 'hint'>): string {
  return hint === undefined ? message : `${message} ${hint}`
}

export interface ErrorLineProps {
  readonly error: Pick<Fault, 'message' | 'hint'> | undefined
  readonly children?: ComponentChildren
  readonly id?: string
}

/** Why something failed, and what to do; nothing without an error. */
export function ErrorLine({ error, children, id }: ErrorLineProps) {
  if (!error) return null
  return (
    <div class="problem" role="alert" id={id}>
      <ShapeMark shape="triangle" />
      <div>
        {error.message}
        {error.hint && <span class="problem-hint">{error.hint}</span>}
      </div>
      {children}
    </div>
  )
}

/** Shown only if it takes long. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      {what}…
    </p>
  )
}

/** What a tool or a server declares: `writes`, `reaches outside`. */
export function Marks({ marks }: { readonly marks: readonly string[] }) {
  return (
    <>
      {marks.map((mark) => (
        <span key={mark} class="mark">
          {mark}
        </span>
      ))}
    </>
  )
}
