import { sql } from 'kysely'
import type { Database } from './connect.ts'
import type { StoredTable } from './store-interface.ts'
import type { Tables } from './tables.ts'

/** What makes the rows of a table unique, in the order in which they are read. */
const keys: { readonly [T in StoredTable]: readonly (keyof Tables[T] & string)[] } = {
  conversations: ['id'],
  messages: ['conversation', 'seq'],
  switches: ['conversation', 'server'],
  approvals: ['id'],
  questions: ['id'],
  calls: ['id'],
  audit: ['writer', 'seq'],
  keys: ['name'],
  versions: ['number'],
  quotas: ['id', 'day'],
  acceptances: ['key', 'account'],
  logins: ['id'],
}

/** A message may hold a large result, so few are in memory at a time. */
const pageSize = 100

/** Reads a table page by page: each begins after the last row of the one before, also if rows come and go meanwhile. */
export async function* readRows(
  run: Database['run'],
  table: StoredTable,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const key: readonly string[] = keys[table]
  const columns = sql.join(key.map((column) => sql.ref(column)))
  let last: readonly unknown[] | undefined
  do {
    const after = last
    const rows: readonly Readonly<Record<string, unknown>>[] = await run((db) => {
      const page = db.selectFrom(table).selectAll().orderBy(columns).limit(pageSize)
      return (after ? page.where(sql<boolean>`(${columns}) > (${sql.join(after)})`) : page).execute()
    })
    yield* rows
    const end = rows.length === pageSize ? rows.at(-1) : undefined
    last = end && key.map((column) => end[column])
  } while (last)
}
