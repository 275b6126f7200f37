import type { Connection } from '../connections/connection.ts'
import { OwnConnections } from '../connections/own-connections.ts'
import type { LeasedConnection, OwnConnection } from '../connections/own-connections.ts'
import type { HostContext } from './host-context.ts'
import { HostError } from '../model/error.ts'
import { isResting } from '../model/status.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'

/** How long a host waits for `eager` servers when it starts. Slower ones go on in the background. */
const eagerMs = 10_000
/** How long running calls of a server may take that is removed or changed. */
const drainMs = 10_000

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
  /** Connections that are not shared. */
  readonly #own = new OwnConnections(async (server, own) =>
    (await this.#loaded(server)).connect(server, {
      id: server.id,
      initial: this.#initial(server),
      lifecycle: 'lazy',
      own,
    }),
  )
  #parts: ReturnType<typeof loadParts> | undefined
  #isClosed = false

  constructor(context: HostContext, initial: (server: Server) => Status) {
    this.#context = context
    this.#initial = initial
  }

  /** Whether its last start did not make it usable. */
  hasFailed(name: string): boolean {
    const status = this.named(name)?.status
    return status !== undefined && (status.state === 'waiting' || isFailed(status))
  }

  /** The connection of a server, if it exists already. */
  named(name: string): Connection | undefined {
    return this.#byName.get(name)
  }

  /** A connection for one request that is not the shared one. */
  lease(server: Server, own: OwnConnection): Promise<LeasedConnection> {
    return this.#own.lease(server, own)
  }

  async of(server: Server): Promise<Connection> {
    const parts = await this.#loaded(server)
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

  /** Closes the connections of other servers, and those that failed unless they are kept, so that they start afresh. Both are removed at once. */
  keepOnly(servers: readonly Server[], { keepFailed }: { readonly keepFailed: boolean }): Promise<unknown> {
    return this.#remove(servers, keepFailed ? isUntrusted : isFailed)
  }

  /** Closes the connections of other servers, each when its running calls have ended. */
  retireOthers(servers: readonly Server[]): Promise<unknown> {
    return this.#remove(servers, () => false)
  }

  /** FI-76: running calls get time to end, then they are cancelled. */
  async #retire(connection: Connection): Promise<void> {
    this.#leaving.add(connection)
    const over = new AbortController()
    const timeout = this.#context.platform.clock.sleep(drainMs, over.signal).catch(() => undefined)
    await Promise.race([connection.drained(), timeout]).finally(() => over.abort())
    this.#leaving.delete(connection)
    await connection.stop()
  }

  #remove(servers: readonly Server[], isUnwanted: (status: Status) => boolean): Promise<unknown> {
    const wanted = new Set(servers.map(({ id }) => id))
    this.#own.keepOnly(servers)
    const removed = [...this.#byId].filter(([id, { status }]) => !wanted.has(id) || isUnwanted(status))
    const idOf = new Map(removed.map(([id, connection]) => [connection, id]))
    const connections = new Set(idOf.keys())
    for (const [id] of removed) this.#byId.delete(id)
    for (const [name, each] of this.#byName) if (connections.has(each)) this.#byName.delete(name)
    return Promise.all(
      [...connections].map(async (connection) => {
        await this.#retire(connection)
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
    const shared = [...this.#byId.values(), ...this.#leaving].map((connection) => connection.close())
    await Promise.all([...shared, this.#own.close()])
    await parts?.close()
  }

  #loaded({ name }: Server): ReturnType<typeof loadParts> {
    if (this.#isClosed) throw new HostError('host.closed', { server: name }, 'The host is closed.')
    return (this.#parts ??= loadParts(this.#context))
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
  return (
    status.state === 'failed' || status.state === 'needs-auth' || isUntrusted(status) || isResting(status)
  )
}

/** It may be trusted by now. */
function isUntrusted({ state }: Status): boolean {
  return state === 'untrusted'
}

async function loadParts(context: HostContext) {
  const { createParts } = await import('./make-connection.ts')
  return createParts(context)
}
