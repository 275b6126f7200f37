/** How a program ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}
