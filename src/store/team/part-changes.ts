import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { schemaName } from '../connect.ts'
import type { Database } from '../connect.ts'
import type { Tables } from '../tables.ts'
import { storeParts } from './team-parts.ts'
import type { StorePart, WatchOptions } from './team-parts.ts'

const usualMs = 5000

/** Writes a change together with the count by which other processes notice it, and tells them where that is possible. */
export function changePart<T>(
  { place, run }: Database,
  part: StorePart,
  write: (within: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return run((db) =>
    db.transaction().execute(async (within) => {
      // First: the row is locked until the end, so that changes of one part come one after the other.
      await within
        .updateTable('counters')
        .set({ value: sql`value + 1` })
        .where('name', '=', part)
        .execute()
      const written = await write(within)
      if (place.kind === 'postgres') await sql`select pg_notify(${schemaName}, ${part})`.execute(within)
      return written
    }),
  )
}

/** Follows the changes of other processes: by signals where the database has them, and by reading the counts. */
export function watchParts(database: Database, options: WatchOptions): AsyncDisposable {
  const { onChange, onProblem = () => undefined, everyMs = usualMs } = options
  let known: ReadonlyMap<string, number> = new Map()
  let reading: Promise<void> | undefined
  let isAsked = false
  let isClosed = false
  const read = async () => {
    try {
      const rows = await database.run((db) => db.selectFrom('counters').selectAll().execute(), 0)
      const now = new Map(rows.map(({ name, value }) => [name, value]))
      const changed = storeParts.filter((part) => now.get(part) !== known.get(part))
      known = now
      onProblem(undefined)
      if (changed.length > 0 && !isClosed) onChange(changed)
    } catch (error) {
      if (!isClosed) onProblem(error)
    }
  }
  /** A signal that comes during a reading may be about a change after it. */
  const look = () => {
    if (isClosed) return
    if (reading) {
      isAsked = true
      return
    }
    reading = read().finally(() => {
      reading = undefined
      if (!isAsked) return
      isAsked = false
      look()
    })
  }
  const timer = setInterval(look, everyMs)
  timer.unref()
  const listening = database.listen(look)
  look()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearInterval(timer)
      await listening[Symbol.asyncDispose]()
      await reading
    },
  }
}
