import type { GatewayKey, GatewayKeys } from '../model/gateway/gateway-key.ts'
import type { Database } from './connect.ts'
import type { KeyRow } from './tables.ts'
import { changePart } from './team/part-changes.ts'

/** The keys of the gateway in the store. */
export function createStoredKeys(database: Database): GatewayKeys {
  return {
    async list() {
      const rows = await database.run((db) => db.selectFrom('keys').selectAll().orderBy('name').execute())
      return rows.map(toKey)
    },
    async add(key) {
      // Run again after a lost answer, it finds its own row: the id is random.
      return changePart(database, 'keys', async (db) => {
        await db
          .insertInto('keys')
          .values(toRow(key))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const found = await db.selectFrom('keys').select('id').where('name', '=', key.name).executeTakeFirst()
        return found?.id === key.id
      })
    },
    async replace(key) {
      const { name, ...rest } = toRow(key)
      return changePart(database, 'keys', async (db) => {
        await db.updateTable('keys').set(rest).where('name', '=', name).execute()
        const found = await db.selectFrom('keys').select('id').where('name', '=', name).executeTakeFirst()
        return found?.id === key.id
      })
    },
    async remove(name) {
      return changePart(database, 'keys', async (db) => {
        const found = await db.selectFrom('keys').select('id').where('name', '=', name).executeTakeFirst()
        await db.deleteFrom('keys').where('name', '=', name).execute()
        return found !== undefined
      })
    },
  }
}

function toRow({ name, id, hash, views, createdAt, expiresAt, previous }: GatewayKey): KeyRow {
  return {
    name,
    id,
    hash,
    views: views ? JSON.stringify(views) : null,
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    previous_hash: previous?.hash ?? null,
    previous_until: previous?.until ?? null,
  }
}

function toKey(row: KeyRow): GatewayKey {
  const { name, id, hash, views, created_at, expires_at, previous_hash, previous_until } = row
  return {
    name,
    id,
    hash,
    ...(views !== null && { views: JSON.parse(views) as readonly string[] }), // written by `toRow`
    createdAt: created_at,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...(previous_hash !== null &&
      previous_until !== null && { previous: { hash: previous_hash, until: previous_until } }),
  }
}
