import { toBound } from './bound-value.ts'

/** A pool of connections, as Kysely's dialect for PostgreSQL takes it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
}

interface PostgresClient {
  query(sql: string, values: readonly unknown[]): Promise<unknown>
  release(): void
}

/** Connections to the server at `url`. None is made before the first query. */
export async function openPostgres(url: string): Promise<PostgresPool> {
  const { Pool } = (await import('pg')).default
  const pool = new Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: 5000,
    application_name: 'plugboard',
    // An idle pool does not keep the process alive.
    allowExitOnIdle: true,
  })
  // When the server goes, each idle client emits this, twice. Without a listener the process would end; the next query
  // connects again.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    async connect() {
      const client = await pool.connect()
      return {
        query: (sql, values) => client.query(sql, values.map(toBound)),
        release: () => client.release(),
      }
    },
    end: () => pool.end(),
  }
}
