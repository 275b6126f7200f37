import { isSealed, keyOf, placeOf } from './audit-row.ts'
import type { AuditCheckpoint, AuditPlace, AuditRow, ReadRows } from './audit-row.ts'

export interface AuditProblem {
  /**
   * `changed`: a row is not as it was written. `missing`: rows between others are gone. `cut`: rows at the beginning or the end
   * are gone. `lost`: rows that could not be written when their calls ended.
   */
  readonly kind: 'changed' | 'missing' | 'cut' | 'lost'
  /** Empty if it is not known whose row it is. */
  readonly writer: string
  /** The row with the problem, or the last of those that are gone. */
  readonly seq: number
  readonly message: string
}

export interface AuditVerification {
  /** Without closing rows. */
  readonly rows: number
  readonly writers: number
  /** The newest row. Kept elsewhere, it shows later whether the end of the trail was cut off. */
  readonly head?: AuditPlace & { readonly at: string }
  /**
   * What checkpoints say was removed by `prune`. A checkpoint has no signature: that a person pruned then is for the person to
   * confirm.
   */
  readonly pruned?: PrunedAudit
  /** Writers without a closing row: their program still runs, or was killed and may have lost its last rows. */
  readonly open?: readonly OpenWriter[]
  readonly problems: readonly AuditProblem[]
}

export interface OpenWriter {
  readonly writer: string
  /** The number and the time of its last row. */
  readonly seq: number
  readonly at: string
}

export interface PrunedAudit {
  readonly rows: number
  /** Rows that ended before this time, the latest of all checkpoints. */
  readonly before: string
}

export interface VerifyOptions {
  /** The hash of a row that must be there. */
  readonly head?: string | undefined
  /** Lines of files that are no rows. */
  readonly unreadable?: number
  /** Those of them that are the beginning of a row. */
  readonly torn?: number
  /** In milliseconds. A row that is dated later than this is the newest one only if there is no other (T49). */
  readonly now?: number
  /** A row that was the newest when a file was closed. */
  readonly known?: AuditPlace | undefined
}

/** Clocks of machines that share a trail differ by less. */
const clockSkewMs = 5 * 60_000

/**
 * Checks every chain. `read` gives the rows by writer and number, and is called twice: first each chain is followed, then the
 * rows that others name are looked for. The memory it takes grows with the writers, not with the rows.
 */
export async function verifyAudit(
  read: ReadRows,
  { head, unreadable = 0, torn = 0, now = Infinity, known }: VerifyOptions = {},
): Promise<AuditVerification> {
  const chains = new Chains(Number.isFinite(now) ? new Date(now + clockSkewMs).toISOString() : '')
  for await (const row of read()) chains.add(row)
  chains.end()
  if (known)
    chains.named.push({
      place: known,
      why: `Row ${known.seq} is missing, which was the newest when a file of the trail was closed.`,
    })
  const missing = new Map(chains.named.map((each) => [keyOf(each.place), each]))
  let isHeadThere = head === undefined
  for await (const row of read()) {
    isHeadThere ||= row.hash === head
    missing.delete(keyOf(row))
  }
  const problems = [...chains.problems]
  for (const [key, { place, why }] of missing)
    if (!chains.removed.has(key))
      problems.push({ kind: 'cut', writer: place.writer, seq: place.seq, message: why })
  if (!isHeadThere)
    problems.push({ kind: 'cut', writer: '', seq: 0, message: `There is no row with the hash ${head}.` })
  const foreign = unreadable - torn
  const note = (kind: AuditProblem['kind'], message: string) =>
    problems.push({ kind, writer: '', seq: 0, message })
  if (torn > 0) note('lost', `${countLines(torn)} cut off: a program was killed, or the disk was full.`)
  if (foreign > 0) note('changed', `${countLines(foreign)} no row: changed, or written by something else.`)
  const { rows, writers, newest, pruned, open } = chains
  return {
    rows,
    writers,
    ...(newest && { head: { ...placeOf(newest), at: newest.at } }),
    ...(pruned && { pruned }),
    ...(open.length > 0 && { open }),
    problems,
  }
}

function countLines(lines: number): string {
  return lines === 1 ? '1 line is' : `${lines} lines are`
}

interface NamedRow {
  readonly place: AuditPlace
  /** What it means if the row is not there. */
  readonly why: string
}

/** Follows the chains, row by row. */
class Chains {
  readonly problems: AuditProblem[] = []
  /** Rows that others name. */
  readonly named: NamedRow[] = []
  /** Rows that were removed on purpose, as a checkpoint says. */
  readonly removed = new Set<string>()
  rows = 0
  writers = 0
  newest: AuditRow | undefined
  pruned: PrunedAudit | undefined
  readonly #latest: string
  /** Writers that were not closed. */
  readonly open: OpenWriter[] = []
  #last: AuditRow | undefined
  /** Whether the writer of the last row closes, and whether it has done so. */
  #closes = false
  #isClosed = false

  /** `latest`: the time up to which a row counts as the newest one; empty without a limit. */
  constructor(latest: string) {
    this.#latest = latest
  }

  add(row: AuditRow): void {
    const { seq, prev } = row
    const before = this.#last?.writer === row.writer ? this.#last : undefined
    if (!before) {
      this.end()
      this.#begin(row)
    }
    if (before && seq <= before.seq) this.#note(row, 'changed', `There are two rows ${seq}.`)
    else if (before && seq > before.seq + 1)
      this.#note(row, 'missing', `Rows ${before.seq + 1} to ${seq - 1} are missing.`)
    else if (before && prev !== before.hash)
      this.#note(row, 'changed', `Row ${seq} does not continue row ${before.seq}.`)
    const isGenuine = isSealed(row)
    if (!isGenuine) this.#note(row, 'changed', `Row ${seq} was changed after it was written.`)
    if (row.kind === 'gap') this.#note(row, 'lost', `${row.lost} rows could not be written.`)
    if (row.kind === 'checkpoint' && isGenuine) this.#prune(row)
    // Rows that were lost are counted after the closing row.
    if (row.kind !== 'gap') this.#isClosed = row.kind === 'end'
    if (row.kind !== 'end') this.rows++
    if (this.#isNewer(row)) this.newest = row
    this.#last = row
  }

  /** Called after the last row of each writer. */
  end(): void {
    if (!this.#last || !this.#closes || this.#isClosed) return
    const { writer, seq, at } = this.#last
    this.open.push({ writer, seq, at })
  }

  #prune({ removed, before, ends }: AuditCheckpoint): void {
    for (const place of ends) this.removed.add(keyOf(place))
    const { rows = 0, before: latest = '' } = this.pruned ?? {}
    this.pruned = { rows: rows + removed, before: before > latest ? before : latest }
  }

  #isNewer({ at }: AuditRow): boolean {
    if (!this.newest) return true
    const isPossible = (time: string) => this.#latest === '' || time <= this.#latest
    if (isPossible(at) !== isPossible(this.newest.at)) return isPossible(at)
    return at >= this.newest.at
  }

  #begin({ writer, seq, prev, after, closes }: AuditRow): void {
    this.writers++
    this.#closes = closes === true
    this.#isClosed = false
    if (after)
      this.named.push({
        place: after,
        why: `Row ${after.seq} is missing, which another writer knew when it began.`,
      })
    if (seq > 1)
      this.named.push({
        place: { writer, seq: seq - 1, hash: prev ?? '' },
        why: `Rows 1 to ${seq - 1} are missing, and no prune removed them.`,
      })
  }

  #note({ writer, seq }: AuditRow, kind: AuditProblem['kind'], message: string): void {
    this.problems.push({ kind, writer, seq, message })
  }
}
