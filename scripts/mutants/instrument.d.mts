/** A decision of a source file that can be turned around. */
export interface Mutant {
  readonly number: number
  readonly file: string
  readonly line: number
  readonly column: number
  readonly original: string
  /** Empty for a statement that is removed. */
  readonly mutated: string
  /** It is decided when its module is loaded, and never again. */
  readonly isStatic: boolean
}

export function instrument(
  file: string,
  source: string,
  firstNumber: number,
): { readonly code: string; readonly mutants: readonly Mutant[] }
