/** A person's word that a finding is harmless. It holds for exactly this definition: a changed one is reported again. */
export interface IgnoredFinding {
  /** The id of the rule. */
  readonly rule: string
  readonly server: string
  /** Of the definition, or of the entry for a finding about the declaration, as `plugboard scan --json` shows it. */
  readonly sha256: string
  readonly reason: string
  /** The last day on which it holds, as `2026-12-31`. */
  readonly until?: string
}
