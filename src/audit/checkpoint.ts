import { keyOf, placeOf } from './audit-row.ts'
import type { AuditCheckpoint, AuditPlace, AuditRow, ReadRows } from './audit-row.ts'

export interface PrunePlan {
  /** The last row of each writer that goes, with all before it. */
  readonly upTo: ReadonlyMap<string, number>
  readonly checkpoint: AuditCheckpoint
}

/**
 * Plans the removal of the rows that ended before a time. A row stays if an earlier one of its writer stays, so that no chain
 * gets a hole when a clock was set back. `newest` is what a writer that begins now names. `read` is called twice; the memory
 * grows with the writers, not with the rows.
 */
export async function planPrune(
  read: ReadRows,
  before: string,
  newest: AuditPlace | undefined,
): Promise<PrunePlan> {
  const upTo = new Map<string, number>()
  const kept = new Set<string>()
  /** Rows that those that stay name. */
  const named = new Set(newest ? [keyOf(newest)] : [])
  let removed = 0
  for await (const { writer, seq, prev, after, at, kind } of read()) {
    if (at < before && !kept.has(writer)) {
      upTo.set(writer, seq)
      // A closing row is counted nowhere.
      if (kind !== 'end') removed++
      continue
    }
    if (!kept.has(writer) && prev !== null) named.add(keyOf({ writer, seq: seq - 1, hash: prev }))
    kept.add(writer)
    if (after) named.add(keyOf(after))
  }
  const ends = new Map<string, AuditPlace>()
  for await (const row of read()) {
    if (!goes(row, upTo)) continue
    // What an earlier prune left counts as if it went now.
    for (const place of [placeOf(row), ...(row.kind === 'checkpoint' ? row.ends : [])])
      if (named.has(keyOf(place))) ends.set(keyOf(place), place)
  }
  return { upTo, checkpoint: { kind: 'checkpoint', before, removed, ends: [...ends.values()] } }
}

/** Whether a row is one of those that a plan removes. */
export function goes({ writer, seq }: AuditRow, upTo: PrunePlan['upTo']): boolean {
  return seq <= (upTo.get(writer) ?? 0)
}
