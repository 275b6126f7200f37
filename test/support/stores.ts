import type { Kysely } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { connect } from '../../src/store/connect.ts'
import { openStore } from '../../src/store/sql-store.ts'
import type { Store, StoreOptions } from '../../src/store/store-interface.ts'
import { noPostgres, startPostgres } from './programs/postgres.ts'
import type { Postgres } from './programs/postgres.ts'

export type DriverName = 'libsql' | 'node:sqlite' | 'postgres'

/** Every driver with the reason why it cannot run here, if there is one. */
export const drivers: readonly { readonly driver: DriverName; readonly missing: string | undefined }[] = [
  { driver: 'libsql', missing: undefined },
  {
    driver: 'node:sqlite',
    missing: process.getBuiltinModule('node:sqlite') ? undefined : 'this Node has no SQLite',
  },
  { driver: 'postgres', missing: noPostgres },
]

/** What later steps added to the calls. */
const columnsOf = {
  '0003-call-makers': ['made_by', 'error'],
  '0004-call-starts': ['started_at', 'waited_ms'],
} as const

/** This machine at a fixed time. */
export function platformAt(time: string): StoreOptions['platform'] {
  const { files, clock, processes } = nodePlatform({})
  return { files, processes, clock: { ...clock, now: () => Date.parse(time) } }
}

/** Places for stores of one driver, removed at the end. */
export class Stores {
  readonly #driver: DriverName
  readonly #folder = mkdtempSync(join(tmpdir(), 'plugboard-store-'))
  readonly #open = new Set<Store>()
  #postgres: Postgres | undefined
  #count = 0

  constructor(driver: DriverName) {
    this.#driver = driver
  }

  /** A place with nothing in it. */
  async place(): Promise<StoreOptions['at']> {
    if (this.#driver !== 'postgres')
      return { file: join(this.#folder, String(++this.#count), 'store.db'), driver: this.#driver }
    this.#postgres ??= await startPostgres()
    return { url: await this.#postgres.createDatabase() }
  }

  /** Makes the tables as they were before these steps, the last ones. */
  async undoSteps(at: StoreOptions['at'], ...steps: readonly (keyof typeof columnsOf)[]): Promise<void> {
    const database = await connect({ at, platform: nodePlatform({}) })
    await database?.run(async (db) => {
      for (const table of ['logins', 'acceptances', 'quotas', 'versions', 'keys'])
        await db.schema.dropTable(table).execute()
      await db
        .deleteFrom('counters')
        .where('name', 'in', ['config', 'keys', 'acceptances', 'logins'])
        .execute()
      await db.schema.dropTable('audit').execute()
      if (steps.includes('0004-call-starts')) await db.schema.dropIndex('calls_by_start').execute()
      for (const column of [...steps.flatMap((step) => columnsOf[step]), 'raw', 'app'])
        await db.schema.alterTable('calls').dropColumn(column).execute()
      await (db as unknown as Kysely<{ kysely_migration: { name: string } }>)
        .deleteFrom('kysely_migration')
        .where('name', 'in', [
          ...steps,
          '0005-audit',
          '0006-keys',
          '0007-team',
          '0008-call-results',
          '0009-call-apps',
        ])
        .execute()
    })
    await database?.close()
  }

  /** Writes the name of a step that only a later program knows. */
  async addForeignStep(at: StoreOptions['at']): Promise<void> {
    const database = await connect({ at, platform: nodePlatform({}) })
    await database?.run((db) =>
      (db as unknown as Kysely<{ kysely_migration: { name: string; timestamp: string } }>)
        .insertInto('kysely_migration')
        .values({ name: '9999-later', timestamp: '2030-01-01T00:00:00.000Z' })
        .execute(),
    )
    await database?.close()
  }

  get postgres(): Postgres {
    if (!this.#postgres) throw new Error('no PostgreSQL was started')
    return this.#postgres
  }

  /** A store of this driver; a new one unless a place is given. */
  async open(options: Partial<StoreOptions> = {}): Promise<Store> {
    const at = options.at ?? (await this.place())
    const store = await openStore({ platform: nodePlatform({}), redact: (text) => text, ...options, at })
    if (!store) throw new Error(`no driver ${this.#driver}`)
    this.#open.add(store)
    return store
  }

  async close(): Promise<void> {
    for (const store of this.#open) await store.close()
    await this.#postgres?.[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
