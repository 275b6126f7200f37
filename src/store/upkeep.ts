import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { HostError } from '../model/error.ts'
import type { Files } from '../platform/platform.ts'
import type { Database } from './connect.ts'
import { migrations } from './migrations.ts'
import { readRows } from './read-rows.ts'
import { isOldQuestion, removeRows } from './removal.ts'
import type { OnRemoved, StoredTable, StoreStatus, Upkeep } from './store-interface.ts'
import type { Tables } from './tables.ts'

const tables = [
  'conversations',
  'messages',
  'switches',
  'approvals',
  'questions',
  'calls',
  'audit',
  'keys',
  'versions',
  'quotas',
  'acceptances',
  'logins',
] as const satisfies readonly StoredTable[]

export function createUpkeep({ place, run }: Database, files: Files, onRemoved: OnRemoved): Upkeep {
  return {
    async status() {
      const counts = await run((db) => Promise.all(tables.map((table) => countOf(db, table))))
      const bytes = place.kind === 'sqlite' ? (await files.stat(place.name))?.size : undefined
      return {
        driver: place.driver,
        place: place.name,
        step: Object.keys(migrations).at(-1) ?? '',
        ...(bytes !== undefined && { bytes }),
        rows: Object.fromEntries(tables.map((table, at) => [table, counts[at] ?? 0])) as StoreStatus['rows'],
      }
    },

    async backup(file) {
      if (place.kind === 'postgres')
        throw new HostError(
          'usage',
          {},
          `${place.name} is a PostgreSQL database, which has its own tool for that.`,
          {
            hint: 'Run: pg_dump --schema plugboard',
          },
        )
      // A new file, so that the copy is private from its first byte; SQLite accepts an empty one.
      await files.writeBytes(file, new Uint8Array(), { mode: 0o600 })
      try {
        await run((db) => sql`vacuum into ${file}`.execute(db))
      } catch (error) {
        await files.remove(file)
        throw error
      }
    },

    async *export() {
      for (const table of tables)
        for await (const row of readRows(run, table)) yield `${JSON.stringify({ table, row })}\n`
    },

    async countOld(before) {
      return run(async (db) => {
        const old = db.selectFrom('conversations').where('updated_at', '<', before)
        const ids = old.select('id')
        const questions = db
          .selectFrom('questions')
          .where((of) => of.or([isOldQuestion(before)(of), of('conversation', 'in', ids)]))
        const calls = db
          .selectFrom('calls')
          .where((of) => of.or([of('at', '<', before), of('conversation', 'in', ids)]))
        return {
          conversations: toNumber(await old.select(countAll).executeTakeFirst()),
          questions: toNumber(await questions.select(countAll).executeTakeFirst()),
          calls: toNumber(await calls.select(countAll).executeTakeFirst()),
        }
      })
    },

    async prune(before) {
      const { ids, ...rows } = await run((db) =>
        db.transaction().execute((within) => removeRows(within, { before })),
      )
      await onRemoved(ids)
      return rows
    },
  }
}

async function countOf(db: Kysely<Tables>, table: StoredTable): Promise<number> {
  return toNumber(await db.selectFrom(table).select(countAll).executeTakeFirst())
}

const countAll = sql<number | string>`count(*)`.as('count')

function toNumber(row: { readonly count: number | string } | undefined): number {
  return Number(row?.count ?? 0)
}
