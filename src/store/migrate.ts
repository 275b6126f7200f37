import { Migrator, sql } from 'kysely'
import type { Kysely } from 'kysely'
import { HostError } from '../model/error.ts'
import { schemaName } from './connect.ts'
import type { Database } from './connect.ts'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

/** Brings the tables up to date, once for all processes. Refuses a store that a newer program has changed. */
export async function migrate(database: Database): Promise<void> {
  const { place, run } = database
  const known = Object.keys(migrations)
  const done = await run(readSteps)
  const foreign = done.find((step) => !known.includes(step))
  if (foreign)
    throw new HostError(
      'store.newer',
      { place: place.name, step: foreign },
      `The store ${place.name} was changed by a newer Plugboard (step ${foreign}).`,
      { hint: 'Update this Plugboard: npm i -g plugboard@latest' },
    )
  if (done.length === known.length) return
  await run((db) => (place.kind === 'postgres' ? migrateWith(db, schemaName) : migrateAlone(db)))
}

/** The names of the steps that were run. None if there are no tables yet. */
async function readSteps(db: Kysely<Tables>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (
    !tables.some(({ name, schema }) => name === 'kysely_migration' && (schema ?? schemaName) === schemaName)
  )
    return []
  const rows = await (db as unknown as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  return rows.map(({ name }) => name)
}

/** PostgreSQL: the migrator itself takes an advisory lock. */
async function migrateWith(db: Kysely<Tables>, schema?: string): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    ...(schema === undefined ? { disableTransactions: true } : { migrationTableSchema: schema }),
  })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

/** SQLite: the migrator has no lock between processes there, so it runs while this one alone may write. */
async function migrateAlone(db: Kysely<Tables>): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`begin immediate`.execute(connection)
    try {
      await migrateWith(connection)
      await sql`commit`.execute(connection)
    } catch (error) {
      await sql`rollback`.execute(connection)
      throw error
    }
  })
}
