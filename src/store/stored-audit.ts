import type { AuditCall, AuditPlace, AuditRow } from '../audit/audit-row.ts'

export interface ListAudit {
  /** Only rows of calls that ended at this time or later, as ISO 8601. */
  readonly since?: string
  readonly server?: string
  readonly outcome?: AuditCall['outcome']
  /** Only the row of the call that asked, or answered, this question. */
  readonly question?: string
  /** Only rows that come after this one in the list. */
  readonly before?: AuditMark
  /** Only the row with this writer and number. */
  readonly row?: Omit<AuditMark, 'at'>
  readonly limit?: number
}

/** The place of a row in the list: by time, the newest first, then by writer and number. */
export type AuditMark = Pick<AuditRow, 'at' | 'writer' | 'seq'>

/** The audit trail in the store. Rows come sealed, and are kept as they are. */
export interface StoredAudit {
  /** Ignores rows that are there. */
  add(rows: readonly AuditRow[]): Promise<void>
  /** Calls and gaps, the newest first. */
  list(options?: ListAudit): Promise<readonly AuditRow[]>
  /** All rows, by writer and number. */
  read(): AsyncIterable<AuditRow>
  newest(): Promise<AuditPlace | undefined>
  /** Removes the rows of each of these writers up to a number. */
  remove(upTo: ReadonlyMap<string, number>): Promise<void>
}
