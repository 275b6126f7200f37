/** The exit code of a program, or the signal that ended it. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}
