import { sql } from 'kysely'
import type { Database } from '../connect.ts'
import type { StoredQuotas } from './team-parts.ts'

export function createStoredQuotas({ place, run }: Database): StoredQuotas {
  return {
    take: ({ id, day, limit, spent, wanted }) =>
      // Not repeated: an attempt whose answer was lost may have counted.
      run(
        (db) =>
          db.transaction().execute(async (within) => {
            await within
              .insertInto('quotas')
              .values({ id, day, used: spent })
              .onConflict((conflict) =>
                conflict.columns(['id', 'day']).doUpdateSet({ used: sql`quotas.used + ${spent}` }),
              )
              .execute()
            const row = await within
              .selectFrom('quotas')
              .select('used')
              .where('id', '=', id)
              .where('day', '=', day)
              .$if(place.kind === 'postgres', (query) => query.forUpdate())
              .executeTakeFirstOrThrow()
            const taken = Math.max(0, Math.min(wanted, limit - row.used))
            if (taken > 0)
              await within
                .updateTable('quotas')
                .set({ used: row.used + taken })
                .where('id', '=', id)
                .where('day', '=', day)
                .execute()
            return taken
          }),
        0,
      ),
    async giveBack(id, day, count) {
      await run(
        (db) =>
          db
            .updateTable('quotas')
            .set({ used: sql`used - ${count}` })
            .where('id', '=', id)
            .where('day', '=', day)
            .execute(),
        0,
      )
    },
    async forget(before) {
      await run((db) => db.deleteFrom('quotas').where('day', '<', before).execute(), 0)
    },
  }
}
