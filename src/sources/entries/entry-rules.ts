import type { DiagnosticCode, Severity } from '../../model/diagnostic.ts'
import type { Auth } from '../../model/server.ts'
import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'

/** A transport as an owner means it: `http+sse` tries Streamable HTTP and falls back to HTTP+SSE. */
export type Means = 'stdio' | 'http' | 'http+sse' | 'sse' | 'refused'

export interface TimeoutRule {
  readonly key: string
  readonly unit: 'ms' | 's' | 'min'
  readonly sets: 'callMs' | 'startupMs' | 'idleMs' | 'call-and-startup'
  /** Bounds in the owner's unit; outside, the value is clamped, ignored, or makes the entry unusable. */
  readonly min?: number
  readonly max?: number
  readonly outside?: 'clamp' | 'ignore' | 'refuse'
  /** What the owner does with values too small to be meant. */
  readonly ignoredBelow?: number
  /** `0` switches the timeout off. */
  readonly zeroMeansNone?: boolean
  /** Parts of a unit can be written. */
  readonly fractions?: boolean
  /** It is read, and another key is written. */
  readonly deprecated?: boolean
}

interface Said {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
}

/** What an owner's entries look like. The same table reads them and writes them. */
export interface EntryRules {
  /** The owner's word for each transport. */
  readonly types: Readonly<Record<string, Means>>
  /** Where that word stands; `type` unless the owner calls it otherwise. The first is the one we write. */
  readonly typeKeys?: readonly string[]
  /** A url without a type. */
  readonly untypedUrl: Means
  readonly untypedUrlNote?: Said
  /** A command without a type, where the owner wants one. */
  readonly untypedCommandNote?: Said
  /** Keys of the url that say the transport by themselves, whatever the type is. */
  readonly urlMeans?: Readonly<Record<string, Means>>
  /** A key under which the owner may put the whole endpoint: `{ transport: { type, url } }`. */
  readonly nestedUnder?: string
  /** Both command and url: refused, or which one counts. */
  readonly both: 'refuse' | 'command' | 'url'
  /** `command` as a string beside `args`, one list, or either. */
  readonly commandShape?: 'string' | 'list' | 'either'
  /** A form of `command` that only this owner has; true if the entry was in that form and has been read. */
  readonly readCommand?: (entry: Entry, draft: Draft) => boolean
  /** The owner's spellings; the first is the one we write. */
  readonly keys?: {
    readonly command?: readonly string[]
    readonly args?: readonly string[]
    readonly env?: readonly string[]
    readonly cwd?: readonly string[] | null
    readonly envFile?: readonly string[] | null
    readonly url?: readonly string[]
    readonly headers?: readonly string[]
  }
  /** Numbers and null in `env` are legal and mean text and removal. */
  readonly envCoerces?: boolean
  readonly flag?: 'enabled' | 'disabled' | 'either'
  /** The owner wants the switch in every entry; elsewhere an entry without one is on. */
  readonly flagRequired?: true
  /** A switch or a list of tools of the wrong type makes the entry unusable: ignoring it would allow more than was meant. */
  readonly failsClosed?: boolean
  readonly timeouts?: readonly TimeoutRule[]
  readonly allowKey?: string
  readonly denyKey?: string
  readonly autoApproveKey?: string
  /** An empty allow-list means every tool. */
  readonly emptyAllowMeansAll?: boolean
  /** Say so when one tool is on both lists. */
  readonly filterConflict?: boolean
  readonly titleKey?: string
  readonly descriptionKey?: string
  /** Keys the owner knows and we only keep. */
  readonly known?: readonly string[]
  /** Keys to suggest for one that is misspelled. */
  readonly suggests?: readonly string[]
  /** Names the owner refuses. */
  readonly badName?: { readonly pattern: RegExp; readonly message: string }
  /** A value of this form is the name of a secret kept elsewhere, not a secret. */
  readonly references?: RegExp
  /** The owner takes every value as it stands: a secret can be nowhere else. */
  readonly isLiteral?: boolean
  /** Say that `sse` is the old transport. */
  readonly sseDeprecated?: boolean
  /** Point out `@latest`. */
  readonly checkPins?: boolean
  /** An entry without command and url may be an override of a lower layer. */
  readonly partial?: boolean
  readonly auth?: (entry: Entry) => Auth | undefined
  /** What only this owner has. Runs last. */
  readonly finish?: (entry: Entry, draft: Draft) => void
}
