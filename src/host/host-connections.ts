import type { Connection } from '../connections/connection.ts'
import type { HostContext } from './host-context.ts'
import { HostError } from '../model/error.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'

/** The connections of a host: one for each server that was ever needed. What only they need is loaded with the first. */
export class HostConnections {
  readonly #context: HostContext
  readonly #initial: (server: Server) => Status
  /** By id, so that the same entry is one connection wherever it is used. */
  readonly #byId = new Map<string, Connection>()
  /** The same by name, as they are asked for: an id is computed each time. */
  readonly #byName = new Map<string, Connection>()
  #parts: ReturnType<typeof loadParts> | undefined
  #isClosed = false

  constructor(context: HostContext, initial: (server: Server) => Status) {
    this.#context = context
    this.#initial = initial
  }

  /** Where there is one. */
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

  /** Connects to servers that are wanted from the start; only `eager` ones are waited for. */
  async begin(servers: readonly Server[]): Promise<void> {
    const eager = servers.filter((server) => this.#lifecycleOf(server) === 'eager')
    for (const server of servers) {
      if (this.#lifecycleOf(server) !== 'background') continue
      this.of(server).then(
        (connection) => connection.keepOpen(),
        () => undefined,
      )
    }
    await Promise.allSettled(eager.map(async (server) => (await this.of(server)).connect()))
  }

  /** Lets those go that are none of these servers', and those that deserve a new beginning. They are forgotten at once. */
  keepOnly(servers: readonly Server[]): Promise<unknown> {
    const wanted = new Set(servers.map(({ id }) => id))
    const gone = [...this.#byId].filter(([id, { status }]) => !wanted.has(id) || isHopeless(status))
    const goneToo = new Set(gone.map(([, connection]) => connection))
    for (const [id] of gone) this.#byId.delete(id)
    for (const [name, each] of this.#byName) if (goneToo.has(each)) this.#byName.delete(name)
    return Promise.all(
      [...goneToo].map(async (connection) => {
        await connection.stop()
        await connection.close()
      }),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const parts = await this.#parts
    await Promise.all([...this.#byId.values()].map((connection) => connection.close()))
    await parts?.close()
  }

  /** In the new era servers ask when they want to know. */
  tellRoots(): void {
    const { options, preset } = this.#context
    if (options.roots === undefined && !preset.connecting.hasRoots) return
    for (const connection of this.#byId.values()) {
      const { status } = connection
      if (status.state === 'ready' && status.era === 'legacy')
        connection.notify('notifications/roots/list_changed')
    }
  }

  /** Waits no longer for servers that take their time to end. */
  hurry(): void {
    for (const connection of this.#byId.values()) void connection.close()
  }

  #lifecycleOf(server: Server): 'lazy' | 'background' | 'eager' {
    const { options, preset } = this.#context
    if (options.lifecycle === 'on-demand') return 'lazy'
    return server.lifecycle ?? options.lifecycle ?? preset.connecting.lifecycle
  }
}

function isHopeless({ state }: Status): boolean {
  return state === 'failed' || state === 'needs-auth'
}

async function loadParts(context: HostContext) {
  const { createParts } = await import('./make-connection.ts')
  return createParts(context)
}
