import type { DiagnosticCode, Severity } from '../../model/diagnostic.ts'
import type { Auth } from '../../model/server.ts'
import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'

/** The meaning of a client's word for a transport. `http+sse` tries Streamable HTTP and falls back to HTTP+SSE. */
export type TransportMeaning = 'stdio' | 'http' | 'http+sse' | 'sse' | 'refused'

export interface TimeoutRule {
  readonly key: string
  readonly unit: 'ms' | 's' | 'min'
  readonly sets: 'callMs' | 'startupMs' | 'idleMs' | 'call-and-startup'
  /** Bounds in the owner's unit; outside, the value is clamped, ignored, or makes the entry unusable. */
  readonly min?: number
  readonly max?: number
  readonly outside?: 'clamp' | 'ignore' | 'refuse'
  /** The client ignores values below this one. */
  readonly ignoredBelow?: number
  /** `0` turns the timeout off. */
  readonly zeroMeansNone?: boolean
  /** The value may be a fraction of the unit. */
  readonly fractions?: boolean
  /** The key is read but never written. */
  readonly deprecated?: boolean
}

interface EntryNote {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
}

/** The shape of a client's entries. The same table is used to read and to write them. */
export interface EntryRules {
  /** The client's words for transports. */
  readonly types: Readonly<Record<string, TransportMeaning>>
  /** Words of another client's entries: read, but neither written nor named in messages. */
  readonly alsoTypes?: Readonly<Record<string, TransportMeaning>>
  /** Keys that hold that word; `type` by default. The first one is written. */
  readonly typeKeys?: readonly string[]
  /** The transport of a url without a type. */
  readonly untypedUrl: TransportMeaning
  readonly untypedUrlNote?: EntryNote
  /** Reported for a command without a type, if the client requires one. */
  readonly untypedCommandNote?: EntryNote
  /** Url keys that imply a transport, whatever the type is. */
  readonly meaningOfUrlKey?: Readonly<Record<string, TransportMeaning>>
  /** A key that may hold the whole endpoint: `{ transport: { type, url } }`. */
  readonly nestedUnder?: string
  /** For an entry with both command and url: refuse it, or use this one. */
  readonly both: 'refuse' | 'command' | 'url'
  /** `command` is a string beside `args`, one list, or either. */
  readonly commandShape?: 'string' | 'list' | 'either'
  /** Reads a form of `command` that only this client has; returns true if the entry has that form. */
  readonly readCommand?: (entry: Entry, draft: Draft) => boolean
  /** The client's spellings of keys; the first one is written. */
  readonly keys?: {
    readonly command?: readonly string[]
    readonly args?: readonly string[]
    readonly env?: readonly string[]
    readonly cwd?: readonly string[] | null
    readonly envFile?: readonly string[] | null
    readonly url?: readonly string[]
    readonly headers?: readonly string[]
  }
  /** Numbers in `env` are converted to strings, and null unsets a variable. */
  readonly envCoerces?: boolean
  readonly flag?: 'enabled' | 'disabled' | 'either'
  /** The client requires the switch in every entry; otherwise an entry without it is on. */
  readonly flagRequired?: true
  /** A switch or tool list of the wrong type makes the entry unusable: ignoring it would allow more than intended. */
  readonly failsClosed?: boolean
  readonly timeouts?: readonly TimeoutRule[]
  readonly allowKey?: string
  readonly denyKey?: string
  readonly autoApproveKey?: string
  /** An empty allow-list means every tool. */
  readonly emptyAllowMeansAll?: boolean
  /** Report a tool that is on both lists. */
  readonly filterConflict?: boolean
  readonly titleKey?: string
  readonly descriptionKey?: string
  /** Keys that the client knows and that are only kept. */
  readonly known?: readonly string[]
  /** Keys to suggest for a misspelled one. */
  readonly suggests?: readonly string[]
  /** Names that the client refuses. */
  readonly badName?: { readonly pattern: RegExp; readonly message: string }
  /** A value of this form names a secret that is stored elsewhere. */
  readonly references?: RegExp
  /** The client expands no placeholders, so a secret can only be a literal. */
  readonly isLiteral?: boolean
  /** Report that `sse` is the legacy transport. */
  readonly sseDeprecated?: boolean
  /** Report `@latest`. */
  readonly checkPins?: boolean
  /** An entry without command and url may be an override of a lower layer. */
  readonly partial?: boolean
  readonly auth?: (entry: Entry) => Auth | undefined
  /** Reads what only this client has. Runs last. */
  readonly finish?: (entry: Entry, draft: Draft) => void
}
