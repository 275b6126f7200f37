import { sql } from 'kysely'
import type { Database } from './connect.ts'

/**
 * A text that differs after a change of another program. SQLite counts the commits of other connections itself; PostgreSQL has
 * no such number, so the newest times and the number of rows of each table stand for it.
 */
export async function readStoreVersion({ place, run }: Database): Promise<string> {
  if (place.kind === 'sqlite')
    return run(async (db) => {
      const { rows } = await sql<{ readonly data_version: number }>`pragma data_version`.execute(db)
      return String(rows[0]?.data_version ?? '')
    }, 0)
  return run(async (db) => {
    const conversations = await db
      .selectFrom('conversations')
      .select(({ fn }) => [fn.countAll().as('count'), fn.max('updated_at').as('at')])
      .executeTakeFirst()
    const questions = await db
      .selectFrom('questions')
      .select(({ fn }) => [
        fn.countAll().as('count'),
        fn.max('asked_at').as('at'),
        fn.max('settled_at').as('settled'),
      ])
      .executeTakeFirst()
    const calls = await db
      .selectFrom('calls')
      .select(({ fn }) => fn.max('at').as('at'))
      .executeTakeFirst()
    const counters = await db.selectFrom('counters').select(['name', 'value']).orderBy('name').execute()
    return JSON.stringify([conversations, questions, calls, counters])
  }, 0)
}
