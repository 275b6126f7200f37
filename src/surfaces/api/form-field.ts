import type { Json } from '../../index.ts'

/** What every field has. `pointer` is its place in the arguments, as in problems. */
export interface FieldBase {
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly isRequired: boolean
  /** The value may also be null. */
  readonly isNullable?: true
  /** Shown as such, and not sent unless it is touched. */
  readonly initial?: Json
}

export interface FieldOption {
  readonly value: Json
  readonly title: string
}

/**
 * One field of a form, made from a JSON Schema; the fields of objects, lists and choices nest. What a form cannot show is
 * `json`: a text with a signature and an example.
 */
export type Field = FieldBase &
  (
    | {
        readonly kind: 'text'
        readonly min?: number
        readonly max?: number
        readonly pattern?: string
        readonly format?: string
        readonly isLong?: true
      }
    | { readonly kind: 'number'; readonly isInteger: boolean; readonly min?: number; readonly max?: number }
    | { readonly kind: 'yes-no' }
    | { readonly kind: 'choice'; readonly options: readonly FieldOption[] }
    | {
        readonly kind: 'choices'
        readonly options: readonly FieldOption[]
        readonly min?: number
        readonly max?: number
      }
    | { readonly kind: 'object'; readonly fields: readonly Field[] }
    | { readonly kind: 'list'; readonly item: Field; readonly min?: number; readonly max?: number }
    /** Names that the person chooses, with values of one kind. */
    | { readonly kind: 'map'; readonly value: Field }
    /** One of several shapes; `variants` have a title each. */
    | { readonly kind: 'one-of'; readonly variants: readonly Field[] }
    | { readonly kind: 'constant'; readonly value: Json }
    | { readonly kind: 'json'; readonly signature: string; readonly example?: Json; readonly reason?: string }
  )
