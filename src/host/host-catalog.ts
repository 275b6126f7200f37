import type { CachedCatalog } from '../catalog/server-cache.ts'
import { Catalog } from '../catalog/catalog.ts'
import type { Snapshot } from '../catalog/catalog.ts'
import type { Connection } from '../connections/connection.ts'
import { Freshness } from './list-freshness.ts'
import type { ServerCaches } from './server-caches.ts'
import { waitMsOf } from './start-times.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { withoutSecrets } from './without-secrets.ts'
import type { HostContext } from './host-context.ts'
import type { ReadyOptions } from './host-options.ts'
import { onAbort, raceAbort } from '../model/abort.ts'
import type { Server } from '../model/server.ts'
import { isSameLink } from '../model/status.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import { reservedNames } from '../calls/view/meta-tools.ts'
import type { CatalogWaitOptions } from '../calls/view/view-context.ts'

export interface HostCatalogOptions {
  readonly caches: ServerCaches
  /** The servers that are enabled and trusted. */
  readonly servers: readonly Server[]
  readonly statusOf: (server: string) => Status | undefined
  /** When the attempt to connect that is under way began, on the monotonic clock. */
  readonly openingSince: (server: string) => number | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
}

/** How long other servers are waited for once there is enough: another one may offer the same. */
const moreMs = 1000

interface ServerChoice {
  readonly servers?: readonly string[] | undefined
  readonly from?: ReadyOptions['from'] | undefined
}

/**
 * The catalog of a host (D-4): read from disk before any server runs, and kept up to date while servers are connected.
 * Nothing is read before the first use.
 */
export class HostCatalog {
  readonly catalog: Catalog
  readonly #context: HostContext
  readonly #options: HostCatalogOptions
  #byName: ReadonlyMap<string, Server>
  readonly #listing = new Map<string, Promise<void>>()
  /** Until when `ready` waits for a server that is being listed, on the monotonic clock. */
  readonly #waitUntil = new Map<string, number>()
  /** Servers whose lists changed while they were being listed. */
  readonly #stale = new Set<string>()
  /** Servers that have listed their tools since they connected. */
  readonly #listed = new Set<string>()
  readonly #freshness: Freshness
  /** The first listing of each server. */
  readonly #learned = new Map<Server, Promise<void>>()
  readonly #onChange = new Set<() => void>()
  /** How many secrets were known when a snapshot was masked. */
  readonly #maskedFor = new WeakMap<Snapshot, number>()
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
      const isNewLink = event.type === 'server.changed' && !isSameLink(event.status)
      if (isNewLink) this.#listed.delete(event.server)
      if (!this.#isUsed || this.#isClosed) return
      if (event.type === 'list.changed') this.#refresh(event.server)
      // A server that is being listed has just connected for that.
      const isUp = isNewLink && event.status.state === 'ready'
      if (isUp && !this.#listing.has(event.server)) this.#refreshSoon(event.server)
    })
  }

  /** Loads what servers offer. Servers that are named are tried again if they failed before, others once (`wait`). */
  async ready({ servers, from, ...options }: ServerChoice & CatalogWaitOptions): Promise<void> {
    if (!servers && !from) return this.wait('all', options)
    this.#isUsed = true
    await this.#until(
      this.#learn(servers, from).then(() => this.#settle()),
      { servers, ...options },
    )
  }

  /**
   * Waits until these servers are known or failed, each tried once. Without a timeout, each is waited for as long as its
   * earlier starts suggest, counted from when its listing began. Listing continues in the background.
   */
  async wait(servers: readonly string[] | 'all', options: CatalogWaitOptions): Promise<void> {
    this.#isUsed = true
    if (servers === 'all') return this.#until(this.#learnAll(), options)
    await this.#until(
      this.#learnOnce(servers).then(() => this.#settle()),
      { servers, ...options },
    )
  }

  async #until(
    learned: Promise<void>,
    { timeoutMs, signal, isEnough, servers }: CatalogWaitOptions & ServerChoice,
  ): Promise<void> {
    // The cache is read within one turn of the event loop; a timer is needed only for servers.
    const isLearned = await Promise.race([learned.then(() => true), nextTurn().then(() => false)])
    if (!isLearned) {
      const ended = new AbortController()
      const sleep = (ms: number) => this.#clock.sleep(ms, ended.signal).catch(() => undefined)
      const ends = [learned]
      if (timeoutMs === undefined) ends.push(this.#waitForEach(servers, sleep))
      else if (timeoutMs !== 'settled') ends.push(sleep(timeoutMs))
      if (isEnough) ends.push(this.#whenChanged(isEnough, ended.signal).then(() => sleep(moreMs)))
      await raceAbort(Promise.race(ends), signal).finally(() => ended.abort())
    }
    signal?.throwIfAborted()
  }

  /** The server with the latest deadline first: when that has passed, all others have. */
  async #waitForEach(
    servers: readonly string[] | undefined,
    sleep: (ms: number) => Promise<void>,
  ): Promise<void> {
    // A listing begins when the cache file has been read, which may take longer in a file system of the embedder.
    const wanted = servers?.flatMap((name) => this.#byName.get(name) ?? []) ?? [...this.#byName.values()]
    await Promise.all(wanted.map((server) => this.#options.caches.read(server)))
    const deadlineOf = (name: string) => this.#waitUntil.get(name) ?? 0
    const awaited = [...this.#listing.keys()].filter((name) => servers?.includes(name) ?? true)
    for (const name of awaited.sort((a, b) => deadlineOf(b) - deadlineOf(a))) {
      const ms = deadlineOf(name) - this.#clock.monotonic()
      if (ms > 0) await Promise.race([this.#listing.get(name), sleep(ms)])
    }
  }

  #whenChanged(isEnough: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (isEnough()) resolve()
      }
      this.#onChange.add(check)
      check()
      onAbort(signal, () => this.#onChange.delete(check))
    })
  }

  /** The names of the servers that are enabled and trusted. */
  names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  /** Every server has been listed once, or failed. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Applies a new set of servers: tools of removed ones disappear, new ones are listed by the next `ready` (O18). */
  rebind(servers: readonly Server[]): void {
    const before = this.#byName
    // An unchanged server keeps its object, which its connection refers to.
    const keepUnchanged = (server: Server) => {
      const old = before.get(server.name)
      return old?.id === server.id ? old : server
    }
    this.#byName = byName(servers.map(keepUnchanged))
    for (const [name, server] of before) {
      if (this.#byName.get(name) === server) continue
      this.#listing.delete(name)
      this.#freshness.forget(name)
      this.#listed.delete(name)
      this.#put(server, undefined)
    }
    this.#isReady = false
    this.#learned.clear()
  }

  /** Lists connected servers again whose lists have expired; the old tools stay available meanwhile. */
  refresh(): void {
    const isUp = (server: string) => this.#options.statusOf(server)?.state === 'ready'
    void this.#relist(this.#freshness.expired().filter(isUp))
  }

  /** Whether the server has listed its tools since it connected. */
  hasListed(server: string): boolean {
    return this.#listed.has(server)
  }

  /** Whether the tools of a server are known, from disk or from the server. */
  isKnown(server: string): boolean {
    return this.catalog.snapshotOf(server) !== undefined
  }

  /** Whether the catalog has been used; before that nothing is listed. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /** Whether a tool is known, by its name or ref. */
  has(tool: string): boolean {
    return (this.catalog.byName(tool) ?? this.catalog.byRef(tool)) !== undefined
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#listing.values())
    await this.#options.caches.close()
  }

  async #learnAll(): Promise<void> {
    const servers = this.#byName
    await this.#learnOnce([...servers.keys()])
    if (this.#byName === servers) this.#isReady = true
  }

  /** A server that failed is not tried again, however often tools are asked for; lists that have expired are. */
  async #learnOnce(names: readonly string[]): Promise<void> {
    const servers = names.flatMap((name) => this.#byName.get(name) ?? [])
    await Promise.all(
      servers.map((server) => {
        const first = this.#learned.get(server) ?? this.#know(server, undefined)
        this.#learned.set(server, first)
        return first
      }),
    )
    await this.#relist(names.filter((name) => this.#freshness.isExpired(name)))
  }

  /** Marks the catalog as ready if every server is known and no list has expired. */
  #settle(): void {
    const isLearned = (name: string) => this.isKnown(name) && !this.#freshness.isExpired(name)
    if ([...this.#byName.keys()].every(isLearned)) this.#isReady = true
  }

  async #learn(names?: readonly string[], from?: ReadyOptions['from']): Promise<void> {
    const all = [...this.#byName.values()]
    const wanted = names ? all.filter(({ name }) => names.includes(name)) : all
    await Promise.all(wanted.map((server) => this.#know(server, from)))
  }

  /** Loads a server from disk if it is cached, else by connecting once. */
  async #know(server: Server, from: ReadyOptions['from']): Promise<void> {
    const { name } = server
    if (from !== 'servers' && this.catalog.snapshotOf(name)) return
    const cache = await this.#options.caches.read(server)
    if (from !== 'servers') {
      const known = cache.catalog
      // A live list that arrived meanwhile takes precedence over the cache.
      if (known && !this.catalog.snapshotOf(name)) this.#take(server, this.#masked(known))
      // A server that connected before the catalog was used will not emit another event: list it now.
      if (known && this.#options.statusOf(name)?.state === 'ready') this.#refresh(name)
      if ((known && !this.#freshness.isExpired(name)) || from === 'disk') return
    }
    await (this.#listing.get(name) ?? this.#list(server, waitMsOf(cache, this.#clock.now())))
  }

  async #relist(names: readonly string[]): Promise<void> {
    const servers = names.flatMap((name) => this.#byName.get(name) ?? [])
    await Promise.all(servers.map((server) => this.#listing.get(server.name) ?? this.#list(server)))
  }

  get #clock(): Clock {
    return this.#context.platform.clock
  }

  /** In the next turn: the call that the server was connected for is sent first, and a long list does not delay it. */
  #refreshSoon(name: string): void {
    setImmediate(() => {
      const isUp = this.#options.statusOf(name)?.state === 'ready'
      if (isUp && !this.#isClosed && !this.#listing.has(name) && !this.#listed.has(name)) this.#refresh(name)
    })
  }

  #refresh(name: string): void {
    const server = this.#byName.get(name)
    if (!server) return
    if (this.#listing.has(name)) this.#stale.add(name)
    else void this.#list(server)
  }

  /**
   * Lists a server, one listing at a time; if it fails, the known tools stay. If the list changes meanwhile, the caller
   * waits for one more listing, but not longer: some lists never stop changing.
   */
  #list(server: Server, waitMs = waitMsOf({}, 0), isAgain = false): Promise<void> {
    const { name } = server
    // A server that was started earlier has had that time already.
    const since = this.#options.openingSince(name) ?? this.#clock.monotonic()
    this.#waitUntil.set(name, since + waitMs)
    const listing: Promise<void> = this.#listOnce(server)
      .catch((error: unknown) => {
        this.#freshness.failed(name)
        this.#warn(server, error)
      })
      .then(() => {
        // The name belongs to another server now.
        if (this.#listing.get(name) !== listing) return undefined
        this.#listing.delete(name)
        if (!this.#stale.delete(name) || this.#isClosed) return undefined
        const next = this.#list(server, waitMs, true)
        return isAgain ? undefined : next
      })
    this.#listing.set(name, listing)
    return listing
  }

  /** Without a warning, a connected server that fails to list would look like one without tools. */
  #warn(server: Server, error: unknown): void {
    const { name, id } = server
    const isUp = this.#options.statusOf(name)?.state === 'ready'
    if (!isUp || this.#isClosed || this.#byName.get(name) !== server) return
    const text = error instanceof Error ? error.message : String(error)
    // The event names the server already.
    const why = text.replace(`"${name}": `, '')
    const message = `Its tools could not be listed: ${why}`
    this.#context.events.emit({ type: 'server.warned', id, server: name, message })
  }

  async #listOnce(server: Server): Promise<void> {
    const connection = await this.#options.connectionOf(server.name)
    const before = this.catalog.snapshotOf(server.name)
    const fresh = this.#freshness.isExpired(server.name)
    const known = this.#masked(await takeSnapshot(connection, { before, fresh, clock: this.#clock }))
    if (this.#isClosed) return
    const isSame = known.snapshot === before
    if (isSame) this.#freshness.listed(server.name, known.ttlMs)
    else this.#take(server, known)
    const isUp = this.#options.statusOf(server.name)?.state === 'ready'
    if (isUp && this.#byName.get(server.name) === server) this.#listed.add(server.name)
    if (!isSame) this.#options.caches.change(server, { catalog: known }, 'now')
    else if (known.ttlMs > 0) this.#options.caches.change(server, { catalog: this.#renewed(known) }, 'now')
  }

  /** The same lists, valid from now on: without that, every new process would list them again once they have expired. */
  #renewed({ snapshot, ttlMs }: CachedCatalog): CachedCatalog {
    return { snapshot: { ...snapshot, at: new Date(this.#clock.now()).toISOString() }, ttlMs }
  }

  /** Masks what has become known as secret since the snapshot was last looked through. */
  #masked(known: CachedCatalog): CachedCatalog {
    const { redactor } = this.#context
    if ((this.#maskedFor.get(known.snapshot) ?? 0) === redactor.size) return known
    const masked = withoutSecrets(known, redactor)
    this.#maskedFor.set(masked.snapshot, redactor.size)
    return masked
  }

  /** Ignores the list of a server that is no longer declared. */
  #take(server: Server, { snapshot, ttlMs }: CachedCatalog): void {
    if (this.#byName.get(server.name) !== server) return
    this.#freshness.listed(server.name, ttlMs, Date.parse(snapshot.at))
    this.#put(server, snapshot)
  }

  #put({ name, tools }: Server, snapshot: Snapshot | undefined): void {
    const { options, preset } = this.#context
    const parallel = preset.calling.serial === 'server' ? options.parallel?.[name] : undefined
    const { added, removed, changed } = this.catalog.replace(
      { name, tools, ...(parallel && { parallel }) },
      snapshot,
    )
    for (const check of this.#onChange) check()
    if (added.length + removed.length + changed.length === 0) return
    this.#context.events.emit({ type: 'catalog.changed', server: name, added, removed, changed })
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function byName(servers: readonly Server[]): ReadonlyMap<string, Server> {
  return new Map(servers.map((server) => [server.name, server]))
}
