import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { HostError } from '../model/error.ts'
import type { Files } from '../platform/platform.ts'
import type { Database } from './connect.ts'
import { migrations } from './migrations.ts'
import type { StoredTable, StoreStatus, Upkeep } from './store-interface.ts'
import type { Tables } from './tables.ts'

const tables = [
  'conversations',
  'messages',
  'switches',
  'approvals',
  'questions',
  'calls',
] as const satisfies readonly StoredTable[]

export function createUpkeep({ place, run }: Database, files: Files): Upkeep {
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
      for (const table of tables) {
        const rows = await run((db) => db.selectFrom(table).selectAll().execute())
        for (const row of rows) yield `${JSON.stringify({ table, row })}\n`
      }
    },

    async countOld(before) {
      return run(async (db) => {
        const conversations = db.selectFrom('conversations').where('updated_at', '<', before)
        const questions = db
          .selectFrom('questions')
          .where('state', '!=', 'pending')
          .where('asked_at', '<', before)
        const calls = db.selectFrom('calls').where('at', '<', before)
        return {
          conversations: toNumber(await conversations.select(countAll).executeTakeFirst()),
          questions: toNumber(await questions.select(countAll).executeTakeFirst()),
          calls: toNumber(await calls.select(countAll).executeTakeFirst()),
        }
      })
    },

    async prune(before) {
      return run((db) =>
        db.transaction().execute(async (within) => {
          const old = within.selectFrom('conversations').select('id').where('updated_at', '<', before)
          await within.deleteFrom('switches').where('conversation', 'in', old).execute()
          await within.deleteFrom('approvals').where('conversation', 'in', old).execute()
          const gone = [
            await within.deleteFrom('conversations').where('updated_at', '<', before).execute(),
            await within
              .deleteFrom('questions')
              .where('state', '!=', 'pending')
              .where('asked_at', '<', before)
              .execute(),
            await within.deleteFrom('calls').where('at', '<', before).execute(),
          ]
          const [conversations = 0, questions = 0, calls = 0] = gone.map(([result]) =>
            Number(result?.numDeletedRows ?? 0),
          )
          return { conversations, questions, calls }
        }),
      )
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
