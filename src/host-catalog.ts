import { readCache, writeCatalog } from './catalog/cache.ts'
import { Catalog } from './catalog/catalog.ts'
import type { Snapshot } from './catalog/snapshot.ts'
import type { Connection } from './connections/connection.ts'
import type { ListName } from './connections/link.ts'
import type { HostContext } from './host.ts'
import type { ReadyOptions } from './host-options.ts'
import { isObject } from './model/json.ts'
import type { JsonObject } from './model/json.ts'
import type { Server } from './model/server.ts'
import type { ToolDefinition } from './model/tool.ts'
import type { Greeting } from './wire/greeting.ts'

const readyMs = 10_000
const lists = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const

/** Which capability stands for a list. */
const capabilities: Readonly<Record<ListName, string>> = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'resources',
  prompts: 'prompts',
}

export interface HostCatalogOptions {
  /** Those that may be used at all. */
  readonly servers: readonly Server[]
  readonly connectionOf: (server: Server) => Promise<Connection>
}

/**
 * What a host's servers offer (D-4): known from disk before anything runs, and live from the moment a server is up.
 * Nothing is looked at before somebody asks.
 */
export class HostCatalog {
  readonly catalog: Catalog
  readonly #context: HostContext
  readonly #options: HostCatalogOptions
  readonly #byName: ReadonlyMap<string, Server>
  readonly #listing = new Map<string, Promise<void>>()
  /** Servers whose lists changed while they were being listed. */
  readonly #stale = new Set<string>()
  readonly #writing = new Set<Promise<void>>()
  #loaded: Promise<void> | undefined
  #isUsed = false
  #isReady = false
  #isClosed = false

  constructor(context: HostContext, options: HostCatalogOptions) {
    const { naming, native = [] } = context.options
    this.#context = context
    this.#options = options
    this.#byName = new Map(options.servers.map((server) => [server.name, server]))
    this.catalog = new Catalog({
      ...(naming && { naming }),
      native: native.map(({ name }) => name),
    })
    context.events.watch((event) => {
      if (!this.#isUsed || this.#isClosed) return
      if (event.type === 'list.changed') this.#refresh(event.server)
      // Whoever is being listed has just been connected to for that.
      const isUp = event.type === 'server.changed' && event.status.state === 'ready'
      if (isUp && !this.#listing.has(event.server)) this.#refresh(event.server)
    })
  }

  /** Until every server is known, or failed, or the time is up: then it goes on in the background. */
  async ready({ timeoutMs = readyMs, signal, servers, from }: ReadyOptions = {}): Promise<void> {
    this.#isUsed = true
    const loaded = servers || from ? this.#learn(servers, from) : (this.#loaded ??= this.#load())
    const ended = new AbortController()
    const waited = this.#context.platform.clock.sleep(
      timeoutMs,
      signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
    )
    await Promise.race([loaded, waited.catch(() => undefined)]).finally(() => ended.abort())
  }

  /** Everything that could be learned at first has been. */
  get isReady(): boolean {
    return this.#isReady
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#listing.values(), ...this.#writing])
  }

  async #load(): Promise<void> {
    await this.#learn()
    this.#isReady = true
  }

  async #learn(names?: readonly string[], from?: ReadyOptions['from']): Promise<void> {
    const wanted = this.#options.servers.filter(({ name }) => names?.includes(name) ?? true)
    await Promise.all(wanted.map((server) => this.#know(server, from)))
  }

  /** From disk if it was ever seen, else by connecting once. */
  async #know(server: Server, from: ReadyOptions['from']): Promise<void> {
    if (from !== 'servers') {
      if (this.catalog.snapshotOf(server.name)) return
      const { catalog } = await readCache(server, this.#place)
      if (catalog) return this.#replace(server, catalog.snapshot)
      if (from === 'disk') return
    }
    await (this.#listing.get(server.name) ?? this.#list(server))
  }

  get #place() {
    return { directory: this.#context.directories.cache, platform: this.#context.platform }
  }

  #refresh(name: string): void {
    const server = this.#byName.get(name)
    if (!server) return
    if (this.#listing.has(name)) this.#stale.add(name)
    else void this.#list(server)
  }

  /** One listing at a time; a server that cannot be reached keeps what is known of it. */
  #list(server: Server): Promise<void> {
    const { name } = server
    const listing = this.#listOnce(server)
      .catch(() => undefined)
      .then(() => {
        this.#listing.delete(name)
        if (this.#stale.delete(name) && !this.#isClosed) return this.#list(server)
        return undefined
      })
    this.#listing.set(name, listing)
    return listing
  }

  async #listOnce(server: Server): Promise<void> {
    const connection = await this.#options.connectionOf(server)
    const greeting = await connection.connect()
    const [tools, resources, resourceTemplates, prompts] = await Promise.all(
      lists.map((list) => this.#itemsOf(connection, list, greeting, server)),
    )
    const snapshot: Snapshot = {
      tools: (tools ?? []) as readonly ToolDefinition[], // read and checked by the connection
      resources: resources ?? [],
      resourceTemplates: resourceTemplates ?? [],
      prompts: prompts ?? [],
      ...(greeting.instructions !== undefined && { instructions: greeting.instructions }),
      at: new Date(this.#context.platform.clock.now()).toISOString(),
    }
    if (this.#isClosed) return
    this.#replace(server, snapshot)
    this.#keep(writeCatalog(server, { snapshot, ttlMs: 0 }, this.#place))
  }

  /** A list that fails costs only itself: many servers declare more than they answer for. */
  async #itemsOf(
    connection: Connection,
    list: ListName,
    greeting: Greeting,
    server: Server,
  ): Promise<readonly JsonObject[]> {
    const isOffered = list === 'tools' || greeting.capabilities[capabilities[list]] !== undefined
    if (!isOffered) return []
    try {
      return (await connection.list(list)).items.filter(isObject)
    } catch (error) {
      if (list === 'tools') throw error
      return this.catalog.snapshotOf(server.name)?.[list] ?? []
    }
  }

  #replace(server: Server, snapshot: Snapshot): void {
    const { added, removed, changed } = this.catalog.replace(server, snapshot)
    if (added.length + removed.length + changed.length === 0) return
    this.#context.events.emit({ type: 'catalog.changed', server: server.name, added, removed, changed })
  }

  #keep(write: Promise<void>): void {
    this.#writing.add(write)
    void write.finally(() => this.#writing.delete(write))
  }
}
