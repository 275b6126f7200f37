import type { HostError } from './error.ts'
import type { Framing } from './server.ts'
import type { Failure } from './status.ts'

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
  /** Where agents are described; every known place unless given. */
  readonly agentFiles?: AgentFileRules
  /** The system's own sentences, which replace ours. */
  readonly words?: SystemWords
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
}

/** How tools are shown and called, where the embedder does not say. */
export interface CallingRules {
  readonly naming: NamingRules
  readonly render: RenderRules
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

/** How the name that a model sees is made of a server and a tool (D-6). */
export interface NamingRules {
  /** Put before the server's part. */
  readonly prefix: '' | 'mcp_' | 'mcp__'
  /** Put between the server's part and the tool's. */
  readonly separator: '_' | '__'
  /** The characters that stay; the two lower-case sets also join runs of `_` and drop a server's name that a tool repeats. */
  readonly letters: 'A-Za-z0-9_-' | 'a-z0-9_' | 'a-z_'
  /** Of tools with equal names, all but one get a hash suffix, or only the last one is offered (O13). */
  readonly clash: 'suffix' | 'last-wins'
}

/** How a result becomes the text that a model reads (C17). */
export interface RenderRules {
  /** An embedded resource: its text, or else its address with type and size, or the address alone; or the block as JSON. */
  readonly resource: 'text-or-details' | 'text-or-uri' | 'json'
  /** The text of a result without content. */
  readonly empty: string
  /** Put before the text of a result that says it failed. */
  readonly failedPrefix?: string
  /** Put before the message of a JSON-RPC error, in place of our own sentence. */
  readonly refusedPrefix?: string
}

/** One `AGENTS.md` beside the configuration of a source, and no other file (B2, B12). */
export interface AgentFileRules {
  readonly source: string
  /** The environment variable that moves that configuration; the usual place still counts. */
  readonly movedBy: string
}

/** What a system says in its own words, to the letter (O20). */
export interface SystemWords {
  readonly connection: ConnectionWords
  readonly login: LoginWords
}

/** Each returns what it was given where the system has no words for it. */
export interface ConnectionWords {
  error(error: HostError): HostError
  failure(failure: Failure, server: string): Failure
}

export interface LoginWords {
  readonly timedOut: string
  undiscovered(server: string): string
  failed(message: string): string
}

/** Schemes that an embedder can choose by name. */
export const namingSchemes = {
  double: { prefix: '', separator: '__', letters: 'A-Za-z0-9_-', clash: 'suffix' },
  single: { prefix: '', separator: '_', letters: 'A-Za-z0-9_-', clash: 'suffix' },
  mcp: { prefix: 'mcp_', separator: '_', letters: 'a-z0-9_', clash: 'suffix' },
  // O13 to the letter: digits are lost.
  omp: { prefix: 'mcp_', separator: '_', letters: 'a-z_', clash: 'last-wins' },
  claude: { prefix: 'mcp__', separator: '__', letters: 'A-Za-z0-9_-', clash: 'suffix' },
} as const satisfies Readonly<Record<string, NamingRules>>
export type NamingScheme = keyof typeof namingSchemes

/** A line of a preset's table that is given beside it counts more. */
export interface RuleOptions
  extends
    Partial<Omit<ConnectingRules, 'lifecycle' | 'refuses' | 'callTimeCoversStart'>>,
    Partial<Omit<CallingRules, 'naming' | 'render'>> {
  readonly naming?: NamingScheme
  /** Whose flattening of a result (C17). */
  readonly render?: PresetName
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
