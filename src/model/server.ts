import { dirname } from 'node:path'
import { sha256Hex } from './canonical.ts'
import type { Diagnostic, Place } from './diagnostic.ts'
import type { Json, JsonObject } from './json.ts'
import type { LockState } from './locked-server.ts'
import type { Preview } from './resolved.ts'
import type { Runner } from './runner/runner.ts'

/** How far a place is trusted. Servers of `managed`, `user` and `explicit` may start; those of `project` need trust first. */
export type Authority = 'managed' | 'user' | 'explicit' | 'project'

/** Where a declaration came from. `scope` is the owner's word for it. */
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

/** The authentication of a server, as declared and unresolved. */
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
      /** `channel`: the program itself passed the server to the host (D-17); its url is only a name to show. */
      readonly kind: 'http' | 'sse' | 'channel'
      readonly url: string
      readonly socketPath?: string
      readonly headers: Values
      readonly headersCommand?: string
      readonly fallback?: 'sse'
      readonly tls?: Tls
      readonly auth?: Auth
      /** Variables for the owner's own templates. */
      readonly env?: Values
      readonly secretEnv?: readonly string[]
      /** A program that must run before the address exists. */
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

/** A value that a person must provide. */
export interface Input {
  readonly id: string
  readonly description?: string
  /** How its owner asks a person for it, if that is more than the description. */
  readonly question?: string
  readonly required?: boolean
  readonly secret?: boolean
  readonly multiple?: boolean
  readonly default?: Json
  readonly choices?: readonly string[]
}

/** An entry exactly as written in its file. */
export interface DeclaredEntry {
  readonly origin: Origin
  readonly entry: JsonObject
  /** The keys that enable or disable the entry in its owner's dialect. */
  readonly switches?: readonly string[]
  /** A place inside the same file, with its line. */
  placeOf(pointer: string): Place
}

/** One declaration of an MCP server, unexpanded. */
export interface Server {
  /** Name plus a short hash of the entry and its file: the same entry in two directories is two servers. */
  readonly id: string
  readonly name: string
  /** RFC 8785 hash of the unexpanded entry. Trust covers more than that: see `Discovery.trustKeys`. */
  readonly entryHash: string
  readonly transport: Transport
  readonly protocol: 'auto' | 'legacy' | '2026-07-28'
  readonly origin: Origin
  /**
   * The folder that its relative paths are bound to: that of the project whose file declares it (T52), or the host's if it
   * is declared in code. Absent for others.
   */
  readonly folder?: string
  /** Declared in code with `expand: true`. Without it, values of a server in code are literal. */
  readonly isExpanded?: true
  readonly enabled: boolean
  /** `file#pointer` of the setting that disabled the server, if it is not in the entry itself. */
  readonly disabledBy?: string
  readonly timeouts: Timeouts
  readonly tools: ToolFilter
  readonly lifecycle?: 'lazy' | 'background' | 'eager'
  readonly restart?: 'backoff' | 'never'
  /** It keeps state between calls: several gateways offer it only at an address of its own. */
  readonly stateful?: true
  readonly title?: string
  readonly description?: string
  readonly inputs?: readonly Input[]
  readonly sandbox?: Json
  /** What its program runs in: as its entry asks for, within the rule of the person's settings. */
  readonly runner?: Runner
  /** What its entry asks for and the rule of the settings does not grant, as sentences. */
  readonly runnerNotes?: readonly string[]
  readonly watch?: readonly string[]
  /** The owner's setting for approvals: a state, or its modes. */
  readonly approval?: Json
  readonly forceEnabledBy?: string
  /** The owner's agent that this server belongs to; absent if every agent may use it. */
  readonly agent?: string
  readonly mergedFrom?: readonly Origin[]
  /** The unexpanded entries that the server is built from, highest rank first: one, unless its owner merges layers. */
  readonly declared: readonly DeclaredEntry[]
  /** Keys that we do not interpret, kept to be written back. */
  readonly extra: Readonly<Record<string, Json>>
}

/** A declaration hidden by another of the same name. */
export interface ShadowedServer {
  readonly server: Server
  readonly by: Origin
  /** Set for a project's entry with a higher rank, which comes into force once it is trusted. */
  readonly trust?: TrustState
}

/** The servers in force for one working directory, and everything that is not in force, with the reason. */
export interface Discovery {
  readonly servers: readonly Server[]
  readonly shadowed: readonly ShadowedServer[]
  readonly diagnostics: readonly Diagnostic[]
  readonly trust: ReadonlyMap<Server, TrustState>
  /** The hash for `trust --hash` of each server that a project declares; only with the option `trustKeys`. */
  readonly trustKeys?: ReadonlyMap<Server, string>
  /** What the lock file of its project says about each server; only with the option `lock`, and where there is such a file. */
  readonly locks?: ReadonlyMap<Server, LockState>
  readonly others: readonly OtherFile[]
  /** Resolved values for display; only with the option `preview`. */
  readonly resolved?: ReadonlyMap<Server, Preview>
}

/** `trusted` may start; `pending` waits for a person's decision; `changed` was trusted in an earlier form. */
export type TrustState = 'trusted' | 'pending' | 'changed'

/** A file of another client that exists but is not used, because its source is disabled. */
export interface OtherFile {
  readonly source: string
  readonly file: string
}

/** The source of servers that a program declares in code (D-17). */
export const inCode = 'code'

/** The place of such a declaration, where that of another server names its file. */
export const codeFile = 'createHost'

export function isInCode({ origin }: Pick<Server, 'origin'>): boolean {
  return origin.source === inCode
}

/** The folder of the file that declares a server, or that of the program. */
export function entryFolder(server: Pick<Server, 'origin' | 'folder'>): string {
  const { origin, folder } = server
  return isInCode(server) && folder !== undefined ? folder : dirname(origin.file)
}

/** What stands for the file of a declaration where declarations are told apart. In code, the program's folder stands for it. */
export function declaredPlace(server: Pick<Server, 'origin' | 'folder'>): string {
  const { origin, folder } = server
  return isInCode(server) ? `${codeFile}:${folder ?? ''}` : origin.file
}

/**
 * The key of what is stored about a server, 64 hex digits. Project entries are keyed by file too, and programs in code by
 * folder: the same entry may run two different programs.
 */
export function storageKeyOf(server: Server): string {
  const { entryHash, origin, transport } = server
  const isPlaceKeyed = origin.authority === 'project' || (isInCode(server) && transport.kind === 'stdio')
  if (isPlaceKeyed) return sha256Hex(`${entryHash}\0${declaredPlace(server)}`)
  return entryHash.slice(entryHash.indexOf(':') + 1)
}
