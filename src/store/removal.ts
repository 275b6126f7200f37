import { sql } from 'kysely'
import type { ExpressionBuilder, Transaction } from 'kysely'
import type { PrunedRows } from './store-interface.ts'
import type { Tables } from './tables.ts'

/** Conversations that were removed, and what went with them. */
export interface Removed extends PrunedRows {
  readonly ids: readonly string[]
}

/** Removes one conversation, or all that were last used before a time, with everything that belongs to them. */
export async function removeRows(
  within: Transaction<Tables>,
  which: { readonly id: string } | { readonly before: string },
): Promise<Removed> {
  const old = within.selectFrom('conversations').select('id')
  const ids = 'id' in which ? old.where('id', '=', which.id) : old.where('updated_at', '<', which.before)
  const removed = (await ids.execute()).map(({ id }) => id)
  const gone = { conversations: removed.length, questions: 0, calls: 0 }
  const remove = async (table: 'switches' | 'approvals' | 'questions' | 'calls', part: readonly string[]) => {
    const [result] = await within.deleteFrom(table).where('conversation', 'in', part).execute()
    return Number(result?.numDeletedRows ?? 0)
  }
  for (const part of partsOf(removed)) {
    await remove('switches', part)
    await remove('approvals', part)
    gone.questions += await remove('questions', part)
    gone.calls += await remove('calls', part)
    // Its messages go with it.
    await within.deleteFrom('conversations').where('id', 'in', part).execute()
  }
  if ('before' in which) {
    const [questions] = await within.deleteFrom('questions').where(isOldQuestion(which.before)).execute()
    const [calls] = await within.deleteFrom('calls').where('at', '<', which.before).execute()
    gone.questions += Number(questions?.numDeletedRows ?? 0)
    gone.calls += Number(calls?.numDeletedRows ?? 0)
  }
  // Other processes hold switches and approvals in memory, and notice a change by this number.
  if (removed.length > 0)
    await within
      .updateTable('counters')
      .set({ value: sql`value + 1` })
      .where('name', '=', 'memory')
      .execute()
  return { ids: removed, ...gone }
}

/** A question that was settled, and asked before a time. */
export function isOldQuestion(before: string) {
  return (of: ExpressionBuilder<Tables, 'questions'>) =>
    of.and([of('state', '!=', 'pending'), of('asked_at', '<', before)])
}

/** A statement takes a limited number of values. */
export function partsOf<T>(rows: readonly T[], size = 500): readonly T[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    rows.slice(at * size, (at + 1) * size),
  )
}
