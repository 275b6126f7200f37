import type { Framing } from './server.ts'

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

/** What a system's document says and no rule comes of: a remark, or a point another one replaced. */
export interface PresetNote {
  readonly id: string
  readonly reason: string
}

/** A file or function that a system's document names, and where its work is done here. */
export interface PresetMapping {
  readonly named: string
  /** Ours; absent where there is none, and then `note` says why. */
  readonly ours?: string
  readonly note?: string
}

/** What only people read of a preset. */
export interface PresetPage {
  readonly notes: readonly PresetNote[]
  readonly mappings: readonly PresetMapping[]
}

/** How servers are connected to, where their entries do not say. */
export interface ConnectingRules {
  readonly lifecycle: 'lazy' | 'background' | 'eager'
  readonly restart: 'backoff' | 'never'
  /** Instead of probing, where an entry does not say. */
  readonly protocol?: 'auto' | 'legacy' | '2026-07-28'
  /** Milliseconds after the end of its input, and after SIGTERM. */
  readonly stop: { readonly eofGraceMs: number; readonly termGraceMs: number }
  /** Whether servers may ask for the working directories. */
  readonly hasRoots: boolean
  readonly clientInfo?: { readonly name: string; readonly version: string }
  /** How messages are told apart on a pipe, where an entry does not say (D30). */
  readonly framing?: Framing
  /** A transport this system does not have, and what it says of it. */
  readonly refuses?: { readonly kind: 'sse'; readonly message: string }
  /** What an entry says for calls is also how long its start may take, where it says nothing for that (O20). */
  readonly callTimeCoversStart?: true
  /** Whose sentences are said when a server cannot be reached (O20). */
  readonly wording?: 'omp'
}

/** How tools are shown and called, where the embedder does not say. */
export interface CallingRules {
  readonly naming: 'double' | 'single' | 'mcp' | 'omp' | 'claude'
  /** Whose flattening of a result (C17). */
  readonly render: 'default' | 'boocode' | 'dispatch' | 'omp'
  /** Whether a description begins with the name of its server in brackets (D17). */
  readonly descriptions: 'as-sent' | 'bracketed'
  /** Some providers refuse an object schema without `properties` (O14). */
  readonly properties: 'as-sent' | 'always'
  /** Where not, the server alone judges arguments (C32). */
  readonly checksArguments: boolean
  /** Bytes of a result that are let through at all (B19). */
  readonly maxResultBytes?: number
  /** Bytes of text that a model gets, where it is not 50 KB; `Infinity` is all of it (C26). */
  readonly maxModelBytes?: number
}

/** A line of a preset's table that is given beside it counts more. */
export interface RuleOptions
  extends
    Partial<Omit<ConnectingRules, 'lifecycle' | 'refuses' | 'callTimeCoversStart' | 'wording'>>,
    Partial<CallingRules> {
  /** False keeps nothing between runs: no cache of what servers offer, no memory of approvals. */
  readonly keeps?: boolean
}

/** What every preset has a rule for, in the order they are told. */
export const presetTopics = [
  'sources',
  'merging',
  'values',
  'trust',
  'lifecycle',
  'protocol',
  'client info',
  'restart',
  'shutdown',
  'names',
  'descriptions',
  'schemas',
  'tools',
  'arguments',
  'limits',
  'flattening',
  'errors',
  'memory',
] as const
export type PresetTopic = (typeof presetTopics)[number]

export interface PresetRow {
  readonly topic: PresetTopic
  readonly rule: string
  readonly ids: readonly string[]
}

export const presetNames = ['default', 'boocode', 'dispatch', 'omp'] as const
export type PresetName = (typeof presetNames)[number]
