import { Kysely, PostgresDialect, sql, SqliteDialect } from 'kysely'
import type { Dialect } from 'kysely'
import { dirname } from 'node:path'
import type { SqliteDriver } from '../platform/node/open-sqlite.ts'
import { isPassing, removed, toStoreError } from './store-error.ts'
import type { StorePlace } from './store-error.ts'
import type { ConnectOptions } from './store-interface.ts'
import type { Tables } from './tables.ts'

/** The tables of PostgreSQL have a schema of their own, so that they can share a database with an application. */
export const schemaName = 'plugboard'

/** An open database. All work goes through `run`, which words the errors and repeats what was cut off. */
export interface Database {
  readonly place: StorePlace & { readonly driver: SqliteDriver | 'pg' }
  /** `work` may run more than once, so it must end the same way if it already ran; it is repeated for at most `retryMs`. */
  readonly run: <T>(work: (db: Kysely<Tables>) => Promise<T>, retryMs?: number) => Promise<T>
  /** Throws if the file was removed while it is open: everything written would be lost with it. */
  checkPresent(this: void): Promise<void>
  /** Overwrites what was deleted also where SQLite keeps recent changes. Goes without it while others read. */
  scrub(): Promise<void>
  /** Calls back when another program says that it changed something. Where there is no such signal, never. */
  listen(onSignal: () => void): AsyncDisposable
  close(): Promise<void>
}

/** Opens a database. `undefined`: there is no driver for SQLite here. */
export async function connect(options: ConnectOptions): Promise<Database | undefined> {
  const { at } = options
  if ('url' in at) {
    const { listenPostgres, openPostgres } = await import('../platform/node/open-postgres.ts')
    const pool = await openPostgres(at.url)
    const place = { kind: 'postgres', name: withoutPassword(at.url), driver: 'pg' } as const
    const database = toDatabase(place, new PostgresDialect({ pool: pool as never }), options) // the part of a pool that it uses
    return { ...database, listen: (onSignal) => listenPostgres(at.url, schemaName, onSignal) }
  }
  const place = { kind: 'sqlite', name: at.file } as const
  try {
    const { findSqlite } = await import('../platform/node/open-sqlite.ts')
    const found = await findSqlite(at.driver)
    // Before the file is made: where there is no driver, there is no store either.
    if (!found) return undefined
    await makePrivateFile(at.file, options.platform)
    const database = await repeat(async () => found.open(at.file), options, 5000)
    return toDatabase({ ...place, driver: found.driver }, new SqliteDialect({ database }), options)
  } catch (error) {
    throw toStoreError(error, place)
  }
}

/** SQLite gives the files beside it the mode of the first. */
async function makePrivateFile(file: string, { files }: ConnectOptions['platform']): Promise<void> {
  if (await files.stat(file)) return
  await files.makePrivateDirectory(dirname(file))
  await files.append(file, '')
}

function toDatabase(place: Database['place'], dialect: Dialect, options: ConnectOptions): Database {
  const plain = new Kysely<Tables>({ dialect })
  const db = place.kind === 'postgres' ? plain.withSchema(schemaName) : plain
  const usualMs = place.kind === 'postgres' ? 30_000 : 5000
  return {
    place,
    run: async (work, retryMs = Infinity) => {
      try {
        const atMost = Math.min(retryMs, options.retryMs ?? usualMs)
        return await repeat(() => work(db), { ...options, retryMs: atMost }, usualMs)
      } catch (error) {
        throw toStoreError(error, place)
      }
    },
    async checkPresent() {
      if (place.kind === 'sqlite' && !(await options.platform.files.stat(place.name))) throw removed(place)
    },
    async scrub() {
      if (place.kind === 'sqlite')
        await sql`pragma wal_checkpoint(truncate)`.execute(plain).catch(() => undefined)
    },
    listen: () => ({ [Symbol.asyncDispose]: () => Promise.resolve() }),
    close: () => plain.destroy(),
  }
}

async function repeat<T>(
  work: () => Promise<T>,
  { platform: { clock }, retryMs }: ConnectOptions,
  usualMs: number,
): Promise<T> {
  const until = clock.monotonic() + (retryMs ?? usualMs)
  for (let pause = 20; ; pause = Math.min(pause * 2, 2000)) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || clock.monotonic() + pause > until) throw error
      await clock.sleep(pause)
    }
  }
}

function withoutPassword(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    // Without `@`: in an address with a wrong escape, the password may be a part of what is taken for the path.
    if (/^postgres(?:ql)?:$/.test(protocol) && !pathname.includes('@'))
      return `${protocol}//${host}${pathname}`
  } catch {
    // Not shown: it may have a password.
  }
  return 'PostgreSQL'
}
