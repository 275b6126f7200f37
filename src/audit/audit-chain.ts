import { sealRow } from './audit-row.ts'
import type { AuditEntry, AuditPlace, AuditRow } from './audit-row.ts'

export interface TimedEntry {
  readonly at: string
  readonly entry: AuditEntry
}

/** The rows of one writer. Rows are made by `next` and count only once `commit` was called: a failed write repeats them. */
export class AuditChain {
  readonly #writer: string
  readonly #after: AuditPlace | undefined
  #seq = 0
  #prev: string | null = null

  constructor(writer: string, after: AuditPlace | undefined) {
    this.#writer = writer
    this.#after = after
  }

  next(entries: readonly TimedEntry[]): readonly AuditRow[] {
    let [seq, prev] = [this.#seq, this.#prev]
    return entries.map(({ at, entry }) => {
      const first = seq === 0 ? { closes: true as const, ...(this.#after && { after: this.#after }) } : {}
      const row = sealRow({ writer: this.#writer, seq: ++seq, prev, ...first, at, ...entry })
      prev = row.hash
      return row
    })
  }

  commit(rows: readonly AuditRow[]): void {
    const last = rows.at(-1)
    if (!last) return
    this.#seq = last.seq
    this.#prev = last.hash
  }
}
