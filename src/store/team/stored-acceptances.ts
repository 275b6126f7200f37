import type { Database } from '../connect.ts'
import type { Writing } from '../writing.ts'
import { changePart } from './part-changes.ts'
import type { AcceptancePlace, StoredAcceptances } from './team-parts.ts'

export function createStoredAcceptances(database: Database, { now }: Writing): StoredAcceptances {
  const read = async (db: Parameters<Parameters<Database['run']>[0]>[0], place: AcceptancePlace) => {
    const all = db.selectFrom('acceptances').select(['key', 'document']).where('account', '=', place.account)
    const own = await all.where('key', '=', place.key).executeTakeFirst()
    if (own) return { text: own.document, isEarlier: false }
    const earlier = await all
      .where('server', '=', place.server)
      .orderBy('at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return earlier && { text: earlier.document, isEarlier: true }
  }
  return {
    read: (place) => database.run((db) => read(db, place), 2000),
    change: (place, change) =>
      changePart(database, 'acceptances', async (within) => {
        const document = change(await read(within, place))
        // The place may have more fields than the row.
        const { key, account, server } = place
        const row = { key, account, server, at: now(), document }
        await within
          .insertInto('acceptances')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['key', 'account']).doUpdateSet({ document, at: row.at, server: row.server }),
          )
          .execute()
      }),
  }
}
