import type { Diagnostic, Place } from './diagnostic.ts'
import type { Json, JsonObject } from './json.ts'
import type { Preview } from './resolved.ts'

/** How far a place is trusted: `managed`, `user` and `explicit` may start at once, `project` waits for a person. */
export type Authority = 'managed' | 'user' | 'explicit' | 'project'

/** Where a declaration came from, in its owner's words. */
export interface Origin {
  readonly source: string
  readonly scope: string
  readonly authority: Authority
  readonly file: string
  readonly pointer: string
  readonly line: number
  readonly column: number
}

export type Framing = 'auto' | 'ndjson' | 'content-length'

/** An unexpanded value, or the name of an environment variable that holds it. */
export type Value = string | { readonly env: string }
export type Values = Readonly<Record<string, Value>>

export interface Tls {
  readonly verify?: boolean
  readonly caFile?: string
}

/** How a server wants to be authenticated, as declared; nothing in it is resolved. */
export interface Auth {
  readonly type: string
  readonly [key: string]: Json | undefined
}

export type Transport =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Values
      readonly passEnv?: readonly string[]
      readonly secretEnv?: readonly string[]
      readonly unsetEnv?: readonly string[]
      readonly envFile?: string
      readonly cwd?: string
      readonly framing: Framing
      readonly inheritEnv: boolean
      readonly auth?: Auth
    }
  | {
      readonly kind: 'http' | 'sse'
      readonly url: string
      readonly socketPath?: string
      readonly headers: Values
      readonly headersCommand?: string
      readonly fallback?: 'sse'
      readonly tls?: Tls
      readonly auth?: Auth
      /** Variables the owner puts into its own templates, and a program that must run for the address to exist. */
      readonly env?: Values
      readonly secretEnv?: readonly string[]
      readonly launch?: { readonly command: string; readonly args: readonly string[] }
    }

export interface Timeouts {
  readonly startupMs?: number
  readonly callMs?: number
  readonly idleMs?: number
}

export interface ToolFilter {
  /** `null` admits every tool, an empty list none. */
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
  readonly autoApprove?: readonly string[]
}

/** A value that only a person can give. */
export interface Input {
  readonly id: string
  readonly description?: string
  readonly required?: boolean
  readonly secret?: boolean
  readonly multiple?: boolean
  readonly default?: Json
  readonly choices?: readonly string[]
}

/** An entry exactly as it stands in its file. */
export interface Declared {
  readonly origin: Origin
  readonly entry: JsonObject
  /** Keys by which its owner switches it on or off. */
  readonly switches?: readonly string[]
  /** A place inside the same file, with its line. */
  placeOf(pointer: string): Place
}

/** One declaration of an MCP server, unexpanded. */
export interface Server {
  /** Name plus a short hash of the entry and its file: two directories are two servers. */
  readonly id: string
  readonly name: string
  /** RFC 8785 hash of the unexpanded entry. What a person trusts is more than that: see `Discovery.trustKeys`. */
  readonly entryHash: string
  readonly transport: Transport
  readonly protocol: 'auto' | 'legacy' | '2026-07-28'
  readonly origin: Origin
  readonly enabled: boolean
  /** `file#pointer` of what switched it off, when that is not the entry itself. */
  readonly disabledBy?: string
  readonly timeouts: Timeouts
  readonly tools: ToolFilter
  readonly lifecycle?: 'lazy' | 'background' | 'eager'
  readonly restart?: 'backoff' | 'never'
  readonly title?: string
  readonly description?: string
  readonly inputs?: readonly Input[]
  readonly sandbox?: Json
  readonly watch?: readonly string[]
  /** The owner's own word on approval: a state, or its modes. */
  readonly approval?: Json
  readonly forceEnabledBy?: string
  /** The owner's agent this server belongs to; absent for servers of everyone. */
  readonly agent?: string
  readonly mergedFrom?: readonly Origin[]
  /** The unexpanded entries it is made of, highest first: one, unless its owner joins layers. */
  readonly declared: readonly Declared[]
  /** Keys we do not interpret, kept for write-back. */
  readonly extra: Readonly<Record<string, Json>>
}

/** A declaration that a higher one of the same name hides. */
export interface Shadowed {
  readonly server: Server
  readonly by: Origin
}

/** What is in force for one working directory, and everything that is not and why. */
export interface Discovery {
  readonly servers: readonly Server[]
  readonly shadowed: readonly Shadowed[]
  readonly diagnostics: readonly Diagnostic[]
  readonly trust: ReadonlyMap<Server, TrustState>
  /** The hash that `trust --hash` takes, of each server that a project declares; only where it was asked for. */
  readonly trustKeys?: ReadonlyMap<Server, string>
  readonly others: readonly OtherFile[]
  /** Values as they would be used; only where they were asked for. */
  readonly resolved?: ReadonlyMap<Server, Preview>
}

/** `trusted` may start; `pending` waits for a person; `changed` was trusted in an earlier form. */
export type TrustState = 'trusted' | 'pending' | 'changed'

/** A file of another client that exists and is not used, because its source is off. */
export interface OtherFile {
  readonly source: string
  readonly file: string
}
