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

/** A connection that was lost is made again after this long; what was missed meanwhile is found by polling. */
const reconnectMs = 1000

/**
 * Calls back for each signal on a channel, and whenever the connection is made or lost: something may have been missed before,
 * and the server may be away.
 */
export function listenPostgres(url: string, channel: string, onSignal: () => void): AsyncDisposable {
  let isClosed = false
  let client: { end(): Promise<void> } | undefined
  let timer: NodeJS.Timeout | undefined
  let opening: Promise<void> = Promise.resolve()
  const again = () => {
    if (isClosed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      opening = open()
    }, reconnectMs)
    timer.unref()
  }
  const open = async () => {
    const { Client } = (await import('pg')).default
    const made = new Client({
      connectionString: url,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      application_name: 'plugboard',
    })
    made.on('error', () => undefined)
    made.on('end', () => {
      again()
      if (!isClosed) onSignal()
    })
    made.on('notification', onSignal)
    try {
      await made.connect()
      if (isClosed) return await made.end()
      client = made
      await made.query(`listen "${channel}"`)
      onSignal()
    } catch {
      await made.end().catch(() => undefined)
      again()
    }
  }
  opening = open()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      await opening
      await client?.end().catch(() => undefined)
    },
  }
}
