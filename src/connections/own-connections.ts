import type { Server } from '../model/server.ts'
import type { Connection } from './connection.ts'

/** A connection beside the one that all requests share: for one caller of a gateway, or for one request. */
export interface OwnConnection {
  /** Equal for requests that use the same connection. */
  readonly key: string
  /** Ended after the request. */
  readonly isOnce?: boolean
  /** The caller of a gateway whose own login is used; part of the key. */
  readonly caller?: string
}

/** A connection for one request. */
export interface LeasedConnection {
  readonly connection: Connection
  /** The request is over. */
  readonly release: () => void
}

/** With more callers than this, connections end that are not in use, from the least used on. */
const maxOwn = 200

interface Own {
  readonly serverId: string
  readonly opening: Promise<Connection>
  connection?: Connection
  requests: number
}

/**
 * Connections that requests do not share, by server and key. They are not the ones that list what a server offers, so nothing
 * of them counts as the state of the server. One that stopped because it was idle is forgotten.
 */
export class OwnConnections {
  readonly #connect: (server: Server, own: OwnConnection) => Promise<Connection>
  /** The least used one is the first. */
  readonly #byName = new Map<string, Own>()
  readonly #ending = new Set<Promise<void>>()

  constructor(connect: (server: Server, own: OwnConnection) => Promise<Connection>) {
    this.#connect = connect
  }

  async lease(server: Server, wanted: OwnConnection): Promise<LeasedConnection> {
    const { key, isOnce = false } = wanted
    const name = `${server.id}\n${key}`
    const own = this.#byName.get(name) ?? this.#open(server, wanted)
    own.requests++
    this.#byName.delete(name)
    this.#byName.set(name, own)
    this.#endUnused()
    try {
      const connection = (own.connection = await own.opening)
      return {
        connection,
        release: () => {
          own.requests--
          if (isOnce) this.#end(name, own)
        },
      }
    } catch (error) {
      this.#byName.delete(name)
      throw error
    }
  }

  /** Ends the connections of servers that are no longer declared like this. */
  keepOnly(servers: readonly Server[]): void {
    const wanted = new Set(servers.map(({ id }) => id))
    for (const [name, own] of this.#byName) if (!wanted.has(own.serverId)) this.#end(name, own)
  }

  async close(): Promise<void> {
    const all = [...this.#byName.values()]
    this.#byName.clear()
    await Promise.all([...all.map(({ opening }) => closed(opening)), ...this.#ending])
  }

  #open(server: Server, wanted: OwnConnection): Own {
    return { serverId: server.id, opening: this.#connect(server, wanted), requests: 0 }
  }

  #end(name: string, { opening }: Own): void {
    this.#byName.delete(name)
    const ended = opening
      .then((connection) => connection.drained())
      .then(() => closed(opening))
      .finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }

  #endUnused(): void {
    for (const [name, own] of this.#byName) {
      if (own.requests > 0) continue
      const isStopped = own.connection?.status.state === 'idle'
      if (isStopped || this.#byName.size > maxOwn) this.#end(name, own)
    }
  }
}

function closed(opening: Promise<Connection>): Promise<void> {
  return opening.then(
    (connection) => connection.close(),
    () => undefined,
  )
}
