import { readCache, writeCatalog } from '../catalog/server-cache.ts'
import type { CachedCatalog } from '../catalog/server-cache.ts'
import { Catalog } from '../catalog/catalog.ts'
import type { Snapshot } from '../catalog/catalog.ts'
import type { Connection } from '../connections/connection.ts'
import { capabilitiesOfHost } from './host-capabilities.ts'
import { Freshness } from './list-freshness.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { withoutSecrets } from './without-secrets.ts'
import type { HostContext } from './host-context.ts'
import type { ReadyOptions } from './host-options.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import { reservedNames } from '../calls/view/meta-tools.ts'

const readyMs = 10_000

export interface HostCatalogOptions {
  /** Those that may be used at all. */
  readonly servers: readonly Server[]
  readonly statusOf: (server: string) => Status | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
}

/**
 * What a host's servers offer (D-4): known from disk before anything runs, and live from the moment a server is up.
 * Nothing is looked at before somebody asks.
 */
export class HostCatalog {
  readonly catalog: Catalog
  readonly #context: HostContext
  readonly #options: HostCatalogOptions
  #byName: ReadonlyMap<string, Server>
  readonly #listing = new Map<string, Promise<void>>()
  /** Servers whose lists changed while they were being listed. */
  readonly #stale = new Set<string>()
  /** Servers that have said what they offer since they are up. */
  readonly #listed = new Set<string>()
  readonly #writing = new Set<Promise<void>>()
  readonly #freshness: Freshness
  #loaded: Promise<void> | undefined
  #isUsed = false
  #isReady = false
  #isClosed = false

  constructor(context: HostContext, options: HostCatalogOptions) {
    const { native = [], resources } = context.options
    const { calling } = context.preset
    this.#context = context
    this.#options = options
    this.#byName = byName(options.servers)
    this.#freshness = new Freshness(context.platform.clock)
    this.catalog = new Catalog({
      naming: calling.naming,
      descriptions: calling.descriptions,
      properties: calling.properties,
      native: reservedNames(native, resources),
    })
    context.events.watch((event) => {
      if (event.type === 'server.changed') this.#listed.delete(event.server)
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
    const loaded =
      servers || from
        ? this.#learn(servers, from).then(() => this.#settle())
        : (this.#loaded ??= this.#load()).then(() => this.#relist(this.#freshness.over()))
    // What is on disk is there at once: that needs no clock.
    const isThere = await Promise.race([loaded.then(() => true), turn().then(() => false)])
    if (!isThere) await this.#wait(loaded, timeoutMs, signal)
    signal?.throwIfAborted()
  }

  async #wait(loaded: Promise<unknown>, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
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

  /** Other servers are declared now: what is gone takes its tools along, what is new is learned next (O18). */
  rebind(servers: readonly Server[]): void {
    const before = this.#byName
    // One that is as it was stays the very one that is connected.
    const kept = (server: Server) => {
      const old = before.get(server.name)
      return old?.id === server.id ? old : server
    }
    this.#byName = byName(servers.map(kept))
    for (const [name, server] of before) {
      if (this.#byName.get(name) === server) continue
      this.#listing.delete(name)
      this.#freshness.forget(name)
      this.#listed.delete(name)
      this.#put(server, undefined)
    }
    this.#isReady = false
    this.#loaded = undefined
  }

  /** Servers that are up and whose time has run out are asked again, while what they listed before is still offered. */
  refresh(): void {
    const isUp = (server: string) => this.#options.statusOf(server)?.state === 'ready'
    void this.#relist(this.#freshness.over().filter(isUp))
  }

  /** Whether what is known of a server is what it has said since it is up. */
  hasListed(server: string): boolean {
    return this.#listed.has(server)
  }

  /** What a server offers is known: from disk, or from itself. */
  isKnown(server: string): boolean {
    return this.catalog.snapshotOf(server) !== undefined
  }

  /** Somebody wants to know what servers offer. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /** By its name or its ref. */
  has(tool: string): boolean {
    return (this.catalog.byName(tool) ?? this.catalog.byRef(tool)) !== undefined
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#listing.values(), ...this.#writing])
  }

  async #load(): Promise<void> {
    const servers = this.#byName
    await this.#learn()
    if (this.#byName === servers) this.#isReady = true
  }

  /** What is known of all of them, and still holds, is all that a first look would have learned. */
  #settle(): void {
    const isLearned = (name: string) => this.isKnown(name) && !this.#freshness.isOver(name)
    if ([...this.#byName.keys()].every(isLearned)) this.#isReady = true
  }

  async #learn(names?: readonly string[], from?: ReadyOptions['from']): Promise<void> {
    const all = [...this.#byName.values()]
    const wanted = names ? all.filter(({ name }) => names.includes(name)) : all
    await Promise.all(wanted.map((server) => this.#know(server, from)))
  }

  /** From disk if it was ever seen, else by connecting once. */
  async #know(server: Server, from: ReadyOptions['from']): Promise<void> {
    const { name } = server
    if (from !== 'servers') {
      if (this.catalog.snapshotOf(name)) return
      const known = this.#keepsNothing ? undefined : (await readCache(server, this.#place)).catalog
      // A live list that came meanwhile is the truth.
      if (known && !this.catalog.snapshotOf(name))
        this.#take(server, withoutSecrets(known, this.#context.redactor))
      // Nobody will be told that it is up: it was before anybody asked.
      if (known && this.#options.statusOf(name)?.state === 'ready') this.#refresh(name)
      if ((known && !this.#freshness.isOver(name)) || from === 'disk') return
    }
    await (this.#listing.get(name) ?? this.#list(server))
  }

  async #relist(names: readonly string[]): Promise<void> {
    const servers = names.flatMap((name) => this.#byName.get(name) ?? [])
    await Promise.all(servers.map((server) => this.#listing.get(server.name) ?? this.#list(server)))
  }

  /** C33 */
  get #keepsNothing(): boolean {
    return this.#context.preset.keepsNothing ?? false
  }

  get #place() {
    const { directories, platform, redactor } = this.#context
    return {
      directory: directories.cache,
      platform,
      capabilities: capabilitiesOfHost(this.#context),
      isStorable: (text: string) => !redactor.hasDistinctSecretInJson(text),
    }
  }

  #refresh(name: string): void {
    const server = this.#byName.get(name)
    if (!server) return
    if (this.#listing.has(name)) this.#stale.add(name)
    else void this.#list(server)
  }

  /**
   * One listing at a time; a server that cannot be reached keeps what is known of it. Who waits for a list that changes
   * meanwhile waits for the next one, and not for one that never stops to change.
   */
  #list(server: Server, isAgain = false): Promise<void> {
    const { name } = server
    const listing: Promise<void> = this.#listOnce(server)
      .catch((error: unknown) => {
        this.#freshness.failed(name)
        this.#warn(server, error)
      })
      .then(() => {
        // Another server has the name now.
        if (this.#listing.get(name) !== listing) return undefined
        this.#listing.delete(name)
        if (!this.#stale.delete(name) || this.#isClosed) return undefined
        const next = this.#list(server, true)
        return isAgain ? undefined : next
      })
    this.#listing.set(name, listing)
    return listing
  }

  /** A server that is up and does not say what it has would look like one that has nothing. */
  #warn(server: Server, error: unknown): void {
    const { name, id } = server
    const isUp = this.#options.statusOf(name)?.state === 'ready'
    if (!isUp || this.#isClosed || this.#byName.get(name) !== server) return
    const said = error instanceof Error ? error.message : String(error)
    // Whose it is stands before it already.
    const why = said.replace(`"${name}": `, '')
    const message = `What it offers could not be listed: ${why}`
    this.#context.events.emit({ type: 'server.warned', id, server: name, message })
  }

  async #listOnce(server: Server): Promise<void> {
    const connection = await this.#options.connectionOf(server.name)
    const known = await takeSnapshot(connection, {
      before: this.catalog.snapshotOf(server.name),
      fresh: this.#freshness.isOver(server.name),
      clock: this.#context.platform.clock,
      redactor: this.#context.redactor,
    })
    if (this.#isClosed) return
    this.#take(server, known)
    const isUp = this.#options.statusOf(server.name)?.state === 'ready'
    if (isUp && this.#byName.get(server.name) === server) this.#listed.add(server.name)
    if (!this.#keepsNothing) this.#keep(this.#write(server, known))
  }

  /** Of a server that is no longer declared, nothing comes any more. */
  #take(server: Server, { snapshot, ttlMs }: CachedCatalog): void {
    if (this.#byName.get(server.name) !== server) return
    this.#freshness.listed(server.name, ttlMs, Date.parse(snapshot.at))
    this.#put(server, snapshot)
  }

  #put({ name, tools }: Server, snapshot: Snapshot | undefined): void {
    const parallel = this.#context.options.parallel?.[name]
    const { added, removed, changed } = this.catalog.replace(
      { name, tools, ...(parallel && { parallel }) },
      snapshot,
    )
    if (added.length + removed.length + changed.length === 0) return
    this.#context.events.emit({ type: 'catalog.changed', server: name, added, removed, changed })
  }

  /** Whoever waited for the list has it first: writing a long one takes as long as reading it did. */
  async #write(server: Server, known: CachedCatalog): Promise<void> {
    await turn()
    await writeCatalog(server, known, this.#place)
  }

  #keep(write: Promise<void>): void {
    this.#writing.add(write)
    void write.finally(() => this.#writing.delete(write))
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function byName(servers: readonly Server[]): ReadonlyMap<string, Server> {
  return new Map(servers.map((server) => [server.name, server]))
}
