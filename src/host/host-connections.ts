import type { Connection } from '../connections/connection.ts'
import type { HostContext } from './host-context.ts'
import { HostError } from '../model/error.ts'
import { isResting } from '../model/status.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'

/** How long a host waits for `eager` servers when it starts. Slower ones go on in the background. */
const eagerMs = 10_000

/** The connections of a host: one for each server that was needed. Their modules are loaded with the first one. */
export class HostConnections {
  readonly #context: HostContext
  readonly #initial: (server: Server) => Status
  /** By id, so that the same entry has one connection under any name. */
  readonly #byId = new Map<string, Connection>()
  /** The same connections by name, for fast lookup: an id has to be computed. */
  readonly #byName = new Map<string, Connection>()
  /** Connections of removed servers that still answer calls. */
  readonly #leaving = new Set<Connection>()
  #parts: ReturnType<typeof loadParts> | undefined
  #isClosed = false

  constructor(context: HostContext, initial: (server: Server) => Status) {
    this.#context = context
    this.#initial = initial
  }

  /** The connection of a server, if it exists already. */
  named(name: string): Connection | undefined {
    return this.#byName.get(name)
  }

  async of(server: Server): Promise<Connection> {
    if (this.#isClosed) throw new HostError('host.closed', { server: server.name }, 'The host is closed.')
    const parts = await (this.#parts ??= loadParts(this.#context))
    const { id, name } = server
    const connection =
      this.#byId.get(id) ??
      parts.connect(server, { id, initial: this.#initial(server), lifecycle: this.#lifecycleOf(server) })
    this.#byId.set(id, connection)
    this.#byName.set(name, connection)
    if (this.#isClosed) await connection.close()
    return connection
  }

  /** Connects to `background` and `eager` servers; waits only for the `eager` ones, and not longer than 10 s. */
  async begin(servers: readonly Server[]): Promise<void> {
    const eager = servers.filter((server) => this.#lifecycleOf(server) === 'eager')
    for (const server of servers) {
      if (this.#lifecycleOf(server) !== 'background') continue
      this.of(server).then(
        (connection) => connection.keepOpen(),
        () => undefined,
      )
    }
    if (eager.length === 0) return
    const connected = Promise.allSettled(eager.map(async (server) => (await this.of(server)).connect()))
    const done = new AbortController()
    const timeout = this.#context.platform.clock.sleep(eagerMs, done.signal).catch(() => undefined)
    await Promise.race([connected, timeout]).finally(() => done.abort())
  }

  /** Closes the connections of other servers, and those that failed, so that they start afresh. Both are removed at once. */
  keepOnly(servers: readonly Server[]): Promise<unknown> {
    return this.#remove(servers, isFailed, (connection) => connection.stop())
  }

  /** Closes the connections of other servers, each when its running calls have ended. */
  retireOthers(servers: readonly Server[]): Promise<unknown> {
    return this.#remove(
      servers,
      () => false,
      async (connection) => {
        this.#leaving.add(connection)
        await connection.drained()
        this.#leaving.delete(connection)
        await connection.stop()
      },
    )
  }

  #remove(
    servers: readonly Server[],
    isUnwanted: (status: Status) => boolean,
    stop: (connection: Connection) => Promise<void>,
  ): Promise<unknown> {
    const wanted = new Set(servers.map(({ id }) => id))
    const removed = [...this.#byId].filter(([id, { status }]) => !wanted.has(id) || isUnwanted(status))
    const idOf = new Map(removed.map(([id, connection]) => [connection, id]))
    const connections = new Set(idOf.keys())
    for (const [id] of removed) this.#byId.delete(id)
    for (const [name, each] of this.#byName) if (connections.has(each)) this.#byName.delete(name)
    return Promise.all(
      [...connections].map(async (connection) => {
        await stop(connection)
        await connection.close()
        const id = idOf.get(connection)
        // The same entry may have been declared again meanwhile.
        if (id !== undefined && !this.#byId.has(id)) await (await this.#parts)?.forget(id)
      }),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const parts = await this.#parts
    await Promise.all([...this.#byId.values(), ...this.#leaving].map((connection) => connection.close()))
    await parts?.close()
  }

  /** Notifies legacy servers that the roots changed; modern servers ask for them when they need them. */
  notifyRoots(): void {
    const { options, preset } = this.#context
    if (options.roots === undefined && !preset.connecting.hasRoots) return
    for (const connection of this.#byId.values()) {
      const { status } = connection
      if (status.state === 'ready' && status.era === 'legacy')
        connection.notify('notifications/roots/list_changed')
    }
  }

  /** Stops waiting for servers that are slow to end. */
  hurry(): void {
    for (const connection of [...this.#byId.values(), ...this.#leaving]) void connection.close()
  }

  #lifecycleOf(server: Server): 'lazy' | 'background' | 'eager' {
    const { options, preset } = this.#context
    if (options.lifecycle === 'on-demand') return 'lazy'
    return server.lifecycle ?? options.lifecycle ?? preset.connecting.lifecycle
  }
}

function isFailed(status: Status): boolean {
  return ['failed', 'needs-auth', 'untrusted'].includes(status.state) || isResting(status)
}

async function loadParts(context: HostContext) {
  const { createParts } = await import('./make-connection.ts')
  return createParts(context)
}
