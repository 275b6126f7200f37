import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { HostError } from '../model/error.ts'
import type { Files } from '../platform/platform.ts'
import type { Database } from './connect.ts'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

export interface StoreStatus {
  readonly driver: Database['place']['driver']
  /** The file, or the address without its password. */
  readonly place: string
  /** The last step of its tables. */
  readonly step: string
  readonly bytes?: number
  readonly rows: Readonly<Record<StoredTable, number>>
}

export interface Upkeep {
  status(): Promise<StoreStatus>
  /** Copies the store into a new private file, while others go on using it. SQLite only. */
  backup(file: string): Promise<void>
  /** Every row as a line of JSON: `{ "table": …, "row": … }`. */
  export(): AsyncIterable<string>
  /** Removes conversations, settled questions and calls that were last used before a time; returns how many of each. */
  prune(
    before: string,
  ): Promise<{ readonly conversations: number; readonly questions: number; readonly calls: number }>
}

type StoredTable = Exclude<keyof Tables, 'counters'>

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
      await run((db) => sql`vacuum into ${file}`.execute(db))
    },

    async *export() {
      for (const table of tables) {
        const rows = await run((db) => db.selectFrom(table).selectAll().execute())
        for (const row of rows) yield `${JSON.stringify({ table, row })}\n`
      }
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
  const row = await db
    .selectFrom(table)
    .select((builder) => builder.fn.countAll<number | string>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}
