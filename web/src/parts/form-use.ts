import type { ComponentChildren } from 'preact'
import type { Field, ShownArgumentProblem } from '../../../src/client.ts'
import type { Draft, Path } from './form-draft.ts'

/** A form in use: what was entered, what is wrong with it, and the one way to change it. */
export interface FormUse {
  readonly draft: Draft
  /** Takes a function of the newest draft: two changes within one frame must both count. */
  readonly onChange: (change: (draft: Draft) => Draft) => void
  readonly problems: readonly ShownArgumentProblem[]
  /** Begins the ids of all controls. */
  readonly id: string
  /** Draws a field within a group. */
  readonly draw: (field: Field, path: Path, extras?: FieldExtras) => ComponentChildren
}

export interface FieldExtras {
  /** Buttons beside the field: of a row of a list. */
  readonly actions?: ComponentChildren
  /** In place of the name: of a row of a map. */
  readonly label?: ComponentChildren
  /** The field is the chosen shape of another one at the same place. */
  readonly isVariant?: true
}
