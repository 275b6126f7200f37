import { sql } from 'kysely'
import type { Database } from '../connect.ts'
import type { Writing } from '../writing.ts'
import { changePart } from './part-changes.ts'
import type { StoredLogins } from './team-parts.ts'

export function createStoredLogins(database: Database, { now }: Writing): StoredLogins {
  const { place, run } = database
  const inTurn = createLane(maxLocks)
  return {
    all: () =>
      run((db) => db.selectFrom('logins').select(['id', 'account', 'sealed']).orderBy('id').execute()),
    read: (id) =>
      run((db) =>
        db.selectFrom('logins').select(['id', 'account', 'sealed']).where('id', '=', id).executeTakeFirst(),
      ),
    async write(login) {
      const row = { ...login, at: now() }
      const { id: _id, ...rest } = row
      await changePart(database, 'logins', (within) =>
        within
          .insertInto('logins')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
          .execute(),
      )
    },
    async remove(id) {
      await changePart(database, 'logins', (within) =>
        within.deleteFrom('logins').where('id', '=', id).execute(),
      )
    },
    locked<T>(id: string, work: () => Promise<T>) {
      if (place.kind !== 'postgres') return work()
      return inTurn(async () => {
        const done: { outcome?: { readonly value: T } | { readonly error: unknown } } = {}
        // An advisory lock and not that of the row: a login that is made for the first time has no row yet, and `work` writes
        // the row on a connection of its own.
        await run(async (db) => {
          if (done.outcome) return
          await db.transaction().execute(async (within) => {
            const name = `plugboard login ${id}`
            await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(within)
            done.outcome = await work().then(
              (value) => ({ value }),
              (error: unknown) => ({ error }),
            )
          })
        })
        const { outcome } = done
        if (!outcome) throw new Error('the work of a lock did not run')
        if ('error' in outcome) throw outcome.error
        return outcome.value
      })
    },
  }
}

/** Each lock holds a connection while its work needs another one: with more, none would be left in the pool. */
const maxLocks = 2

/** Runs at most so many at once, the others in their order. */
function createLane(size: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= size) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
