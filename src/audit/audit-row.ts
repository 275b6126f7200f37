import { hashOf } from '../model/canonical.ts'
import type { Json } from '../model/json.ts'

/** A row of the trail, by its writer and its number. */
export interface AuditPlace {
  readonly writer: string
  readonly seq: number
  readonly hash: string
}

/**
 * One row of the audit trail. Every host that records is a writer with a chain of its own: a row holds the hash of the one
 * before it, and the first row names the newest row of all writers that its writer knew.
 */
export type AuditRow = AuditLinks & AuditEntry

/** What chains a row to the others. */
export interface AuditLinks {
  readonly writer: string
  /** From 1 on, without gaps. */
  readonly seq: number
  /** The hash of the writer's row before; `null` in its first row. */
  readonly prev: string | null
  /** In the first row only. */
  readonly after?: AuditPlace
  /** In the first row only: the writer adds a row of the kind `end` when it closes. Writers of earlier versions did not. */
  readonly closes?: true
  /** When the call ended, as ISO 8601. */
  readonly at: string
  /** The hash of the canonical form of all the rest. */
  readonly hash: string
}

export type AuditEntry = AuditCall | AuditGap | AuditCheckpoint | AuditEnd

/** One call: who, what, with which decision. */
export interface AuditCall {
  readonly kind: 'call'
  readonly by: AuditCaller
  readonly conversation?: string
  readonly agent?: string
  /** The ref that was asked for; the name, if there is no such tool. */
  readonly ref: string
  readonly server?: string
  readonly tool?: string
  /** The hash of the tool's definition. */
  readonly definition?: string
  /** Absent if the call ended before a decision: an unknown tool, or invalid arguments. */
  readonly decision?: AuditDecision
  readonly outcome: 'done' | 'failed' | 'denied' | 'cancelled' | 'refused'
  /** The code of the error, if the call did not run, or it is not known whether it did. */
  readonly error?: string
  readonly ms: number
  readonly argsBytes: number
  readonly resultBytes: number
  /** The names and types of the arguments. */
  readonly shape: Json
  /** The arguments themselves, if they were asked for and can be hashed: not with an infinite number, or very deep. */
  readonly args?: Json
}

/** Who made a call. */
export interface AuditCaller {
  /** `cli`, `shell`, `chat`, `run`, `page`, `app`, `gateway`, or what the embedder says. */
  readonly surface: string
  /** The account of the operating system, or what the embedder says. */
  readonly user?: string
  /** The ref of the tool whose app made the call; `surface` is `app` then. */
  readonly app?: string
  /** The MCP client behind a gateway. */
  readonly client?: string
  /** The id of the API key, never the key. */
  readonly key?: string
}

export interface AuditDecision {
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly by: string
  /** The layer whose rule decided: `user`, `project`, `agent`, `conversation`. */
  readonly layer?: string
  /** What a person answered; absent if no person was asked. */
  readonly answer?: 'approved' | 'edited' | 'refused'
  /** Behind a gateway: the id of the question that the client was asked, if the answer comes with another request. */
  readonly question?: string
  /** The server announced other tools while the call ran: what became of its answer, judged by the new list. */
  readonly judged?: 'passed' | 'withheld'
}

/** Rows that could not be written. */
export interface AuditGap {
  readonly kind: 'gap'
  readonly lost: number
}

/** Nothing follows: the writer was closed, and has lost no row. */
export interface AuditEnd {
  readonly kind: 'end'
}

/** What a prune left of the rows that it removed, so that the rest can still be verified. */
export interface AuditCheckpoint {
  readonly kind: 'checkpoint'
  /** Rows that ended before this time were removed. */
  readonly before: string
  readonly removed: number
  /** The last removed row of each writer that has rows left, and removed rows that others name. */
  readonly ends: readonly AuditPlace[]
}

/** Gives the rows by writer and number, each time it is called. */
export type ReadRows = () => AsyncIterable<AuditRow> | Iterable<AuditRow>

/** The row with its hash. */
export function sealRow(row: Omit<AuditLinks, 'hash'> & AuditEntry): AuditRow {
  return { ...row, hash: hashOf(row) }
}

/** Whether nothing in the row was changed since it was sealed. */
export function isSealed({ hash, ...row }: AuditRow): boolean {
  return hashOf(row) === hash
}

export function placeOf({ writer, seq, hash }: AuditRow): AuditPlace {
  return { writer, seq, hash }
}

/** Equal for the same row only. */
export function keyOf({ writer, seq, hash }: AuditPlace): string {
  return `${writer} ${seq} ${hash}`
}

/** The order of verification: by writer, then by number. */
export function compareRows(one: AuditRow, other: AuditRow): number {
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1
  return one.seq - other.seq
}
