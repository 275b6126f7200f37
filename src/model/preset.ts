import type { HostError } from './error.ts'
import type { Framing } from './server.ts'
import type { Failure } from './status.ts'

/** The rules of one system as a table; each row names the requirement it comes from. */
export interface Preset {
  readonly name: PresetName
  readonly title: string
  /** The sources in use, highest rank first. */
  readonly sources: readonly string[]
  /** Whether the sources that a person enabled are used too. */
  readonly addsEnabledSources: boolean
  readonly connecting: ConnectingRules
  readonly calling: CallingRules
  /** Refuses tools that declare that they write. */
  readonly readOnly?: 'reject-declared'
  /** Whether no state is kept between runs (C33). */
  readonly keepsNothing?: boolean
  /** Where agents are described; all known places by default. */
  readonly agentFiles?: AgentFileRules
  /** The system's own messages, which replace ours. */
  readonly words?: SystemWords
  readonly rows: readonly PresetRow[]
}

/** A point of a system's document that leads to no rule: a remark, or a point that a later one replaced. */
export interface PresetNote {
  readonly id: string
  readonly reason: string
}

/** A file or function that a system's document names, and its counterpart here. */
export interface PresetMapping {
  readonly named: string
  /** The counterpart; if absent, `note` says why. */
  readonly ours?: string
  readonly note?: string
}

/** The part of a preset that only documentation uses. */
export interface PresetPage {
  readonly notes: readonly PresetNote[]
  readonly mappings: readonly PresetMapping[]
}

/** How the host connects to servers, where their entries do not say. */
export interface ConnectingRules {
  readonly lifecycle: 'lazy' | 'background' | 'eager'
  readonly restart: 'backoff' | 'never'
  /** The protocol of entries that do not name one; probed if absent. */
  readonly protocol?: 'auto' | 'legacy' | '2026-07-28'
  /** How long a program may take to exit after its input was closed, and after SIGTERM. */
  readonly stop: { readonly eofGraceMs: number; readonly termGraceMs: number }
  /** Whether servers may request the working directories as roots. */
  readonly hasRoots: boolean
  readonly clientInfo?: { readonly name: string; readonly version: string }
  /** The framing on stdio, where an entry does not say (D30). */
  readonly framing?: Framing
  /** A transport that this system does not support, and its message for such entries. */
  readonly refuses?: { readonly kind: 'sse'; readonly message: string }
  /** Whether the call timeout of an entry also limits its start, if the entry has no startup timeout (O20). */
  readonly callTimeCoversStart?: true
}

/** How tools are listed and called, where the embedder does not say. */
export interface CallingRules {
  readonly naming: NamingRules
  readonly render: RenderRules
  /** `bracketed` puts the name of the server in brackets before each description (D17). */
  readonly descriptions: 'as-sent' | 'bracketed'
  /** `always` adds an empty `properties`: some providers refuse an object schema without it (O14). */
  readonly properties: 'as-sent' | 'always'
  /** Whether arguments are checked before they are sent; if not, only the server checks them (C32). */
  readonly checksArguments: boolean
  /**
   * Which calls of models wait for each other. `server`: those to one server, unless `parallel` allows more (C25).
   * `conversation`: also all calls of a conversation, and `parallel` does not apply (D19).
   */
  readonly serial: 'server' | 'conversation'
  /** The largest result in bytes; the rest is cut (B19). */
  readonly maxResultBytes?: number
  /** The text that a model gets of a result, in bytes; 50 KB by default, `Infinity` for all of it (C26). */
  readonly maxModelBytes?: number
}

/** How the name that a model sees is built from a server and a tool (D-6). */
export interface NamingRules {
  /** Stands before the server's part. */
  readonly prefix: '' | 'mcp_' | 'mcp__'
  /** Stands between the server's part and the tool's. */
  readonly separator: '_' | '__'
  /** Allowed characters. The two lower-case sets also merge runs of `_`, and drop the server's name where a tool repeats it. */
  readonly letters: 'A-Za-z0-9_-' | 'a-z0-9_' | 'a-z_'
  /** Tools with equal names: all but one get a hash suffix, or only the last one is offered (O13). */
  readonly clash: 'suffix' | 'last-wins'
}

/** How a result becomes the text that a model reads (C17). */
export interface RenderRules {
  /**
   * An embedded resource becomes its text; without text, its URI with type and size, or the URI alone. `json` prints the
   * block as JSON.
   */
  readonly resource: 'text-or-details' | 'text-or-uri' | 'json'
  /** The text of a result without content. */
  readonly empty: string
  /** Stands before the text of a result with `isError`. */
  readonly failedPrefix?: string
  /** Stands before the message of a JSON-RPC error, in place of our own sentence. */
  readonly refusedPrefix?: string
}

/** Agents come only from the `AGENTS.md` beside the configuration of a source (B2, B12). */
export interface AgentFileRules {
  readonly source: string
  /** The environment variable that moves that configuration; the default location is read as well. */
  readonly movedBy: string
}

/** The messages of a system, to the letter (O20). */
export interface SystemWords {
  readonly connection: ConnectionWords
  readonly login: LoginWords
}

/** Each function returns its argument unchanged where the system has no message of its own. */
export interface ConnectionWords {
  error(error: HostError): HostError
  failure(failure: Failure, server: string): Failure
}

export interface LoginWords {
  readonly timedOut: string
  undiscovered(server: string): string
  failed(message: string): string
}

/** Naming schemes that an embedder can choose by name. */
export const namingSchemes = {
  double: { prefix: '', separator: '__', letters: 'A-Za-z0-9_-', clash: 'suffix' },
  single: { prefix: '', separator: '_', letters: 'A-Za-z0-9_-', clash: 'suffix' },
  mcp: { prefix: 'mcp_', separator: '_', letters: 'a-z0-9_', clash: 'suffix' },
  // O13 to the letter: digits are lost.
  omp: { prefix: 'mcp_', separator: '_', letters: 'a-z_', clash: 'last-wins' },
  claude: { prefix: 'mcp__', separator: '__', letters: 'A-Za-z0-9_-', clash: 'suffix' },
} as const satisfies Readonly<Record<string, NamingRules>>
export type NamingScheme = keyof typeof namingSchemes

/** Options that override single rules of the preset. */
export interface RuleOptions
  extends
    Partial<Omit<ConnectingRules, 'lifecycle' | 'refuses' | 'callTimeCoversStart'>>,
    Partial<Omit<CallingRules, 'naming' | 'render' | 'serial'>> {
  readonly naming?: NamingScheme
  /** The preset whose rules turn a result into text (C17). */
  readonly render?: PresetName
  /** `false` keeps no state between runs: neither a cache of the catalog nor approvals. */
  readonly keeps?: boolean
}

/** The topics that every preset has a rule for, in the order they are printed. */
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
