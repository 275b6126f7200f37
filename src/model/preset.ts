/** A system's rules as a table: every line names the requirement it comes from. */
export interface Preset {
  readonly name: PresetName
  readonly title: string
  /** The sources in use, highest in rank first. */
  readonly sources: readonly string[]
  /** Sources a person turned on count too. */
  readonly addsEnabledSources: boolean
  readonly connecting: ConnectingRules
  readonly calling: CallingRules
  /** Refuses tools that declare to write. */
  readonly readOnly?: 'reject-declared'
  /** Nothing is kept between runs (C33). */
  readonly keepsNothing?: boolean
  readonly rows: readonly PresetRow[]
}

/** How servers are connected to, where their entries do not say. */
export interface ConnectingRules {
  readonly lifecycle: 'lazy' | 'background' | 'eager'
  readonly restart: 'backoff' | 'never'
  /** Instead of probing. */
  readonly protocol?: 'legacy'
  /** Milliseconds after the end of its input, and after SIGTERM. */
  readonly stop: { readonly eofGraceMs: number; readonly termGraceMs: number }
  /** Whether servers may ask for the working directories. */
  readonly hasRoots: boolean
  readonly clientInfo?: { readonly name: string; readonly version: string }
  /** A transport this system does not have, and what it says of it. */
  readonly refuses?: { readonly kind: 'sse'; readonly message: string }
}

/** How tools are shown and called, where the embedder does not say. */
export interface CallingRules {
  readonly naming: 'double' | 'single' | 'mcp' | 'omp' | 'claude'
  /** Whose flattening of a result (C17). */
  readonly render: 'default' | 'boocode' | 'dispatch' | 'omp'
  /** Some providers refuse an object schema without `properties` (O14). */
  readonly properties: 'as-sent' | 'always'
  /** Where not, the server alone judges arguments (C32). */
  readonly checksArguments: boolean
  /** Bytes of a result that are let through at all (B19). */
  readonly maxResultBytes?: number
}

export interface PresetRow {
  readonly topic: string
  readonly rule: string
  readonly ids: readonly string[]
}

export const presetNames = ['default', 'boocode', 'dispatch', 'omp'] as const
export type PresetName = (typeof presetNames)[number]
