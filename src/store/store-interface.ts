import type { GatewayKeys } from '../model/gateway/gateway-key.ts'
import type { GatewayVersions } from '../model/gateway/gateway-version.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { Memory, MemoryRows } from '../model/memory.ts'
import type { SqliteDriver } from '../platform/node/open-sqlite.ts'
import type { Platform, Processes } from '../platform/platform.ts'
import type { Conversations } from './conversation.ts'
import type { Questions } from './question.ts'
import type { StoredAudit } from './stored-audit.ts'
import type { CallHistory } from './stored-call.ts'
import type { StoredAcceptances, StoredLogins, StoredQuotas, WatchOptions } from './team/team-parts.ts'

/** What people expect to find again tomorrow (D-19), in SQLite or PostgreSQL, shared by all programs of a person. */
export interface Store extends Upkeep, AsyncDisposable {
  /** Whether it is a file of this machine, and not a database server. */
  readonly isFile: boolean
  readonly conversations: Conversations
  readonly questions: Questions
  readonly calls: CallHistory
  readonly audit: StoredAudit
  /** The keys of the gateway. */
  readonly keys: GatewayKeys
  /** The published configurations of the gateway. */
  readonly versions: GatewayVersions
  /** What gateways have taken of daily quotas. */
  readonly quotas: StoredQuotas
  /** What a team accepted of servers. */
  readonly acceptances: StoredAcceptances
  /** The logins of a team, sealed. */
  readonly logins: StoredLogins
  /** Follows changes of other programs, until it is disposed of. */
  watch(options: WatchOptions): AsyncDisposable
  /** Switches and approvals, for `createHost({ memory })`. */
  readonly memory: StoredMemory
  /**
   * Another text after each change that another program made; the own changes may count too. Cheap enough to be asked for
   * several times a second.
   */
  version(): Promise<string>
  /** Adds what a memory file had. */
  takeOver(memory: MemoryRows): Promise<void>
  /** Writes what is left of the call history, then closes. */
  close(): Promise<void>
}

/** The memory of hosts in the store. It is read into this process, so that nothing on the path of a call waits for it. */
export interface StoredMemory extends Memory {
  /** Reads changes of other programs. Called before an approval is relied on; costs one row if there are none. */
  readonly recall: () => Promise<void>
}

export interface Upkeep {
  status(): Promise<StoreStatus>
  /** Copies the store into a new private file, while others go on using it. SQLite only. */
  backup(file: string): Promise<void>
  /** Every row as a line of JSON: `{ "table": …, "row": … }`. */
  export(): AsyncIterable<string>
  /** Removes conversations with all that belongs to them, settled questions and calls, last used before a time; returns how many. */
  prune(before: string): Promise<PrunedRows>
  /** What `prune` would remove. */
  countOld(before: string): Promise<PrunedRows>
}

export type OnRemoved = (conversations: readonly string[]) => Promise<void>

export interface PrunedRows {
  readonly conversations: number
  readonly questions: number
  readonly calls: number
}

export interface StoreStatus {
  readonly driver: SqliteDriver | 'pg'
  /** The file, or the address without its password. */
  readonly place: string
  /** The last step of its tables. */
  readonly step: string
  readonly bytes?: number
  readonly rows: Readonly<Record<StoredTable, number>>
}

export type StoredTable =
  | 'conversations'
  | 'messages'
  | 'switches'
  | 'approvals'
  | 'questions'
  | 'calls'
  | 'audit'
  | 'keys'
  | 'versions'
  | 'quotas'
  | 'acceptances'
  | 'logins'

export interface ConnectOptions {
  readonly platform: Pick<Platform, 'files' | 'clock'>
  /** A file of SQLite, or the address of a PostgreSQL server. */
  readonly at: { readonly file: string; readonly driver?: SqliteDriver } | { readonly url: string }
  /** How long work is repeated while the server is away, or another process writes to the file. */
  readonly retryMs?: number
}

export interface StoreOptions extends ConnectOptions {
  readonly platform: ConnectOptions['platform'] & {
    /** Tells whether the process that asked a question still runs. */
    readonly processes: Pick<Processes, 'self' | 'startMarkOf'>
  }
  /** Takes secrets out of a text before it is written. */
  readonly redact: Mask
  /** Called with the ids of conversations that were removed, for what is kept of them beside the store. */
  readonly onRemoved?: OnRemoved
  /** Called if a row of the call history cannot be written; `record` has returned by then. */
  readonly onProblem?: (problem: unknown) => void
}
