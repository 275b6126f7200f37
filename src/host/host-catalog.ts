import type { CachedCatalog, UnfinishedStart } from '../catalog/server-cache.ts'
import { Catalog } from '../catalog/catalog.ts'
import type { Snapshot } from '../catalog/catalog.ts'
import type { Connection } from '../connections/connection.ts'
import { Freshness } from './list-freshness.ts'
import { Listings } from './listings.ts'
import { OutdatedLists } from './offers/outdated-lists.ts'
import type { ServerCaches } from './server-caches.ts'
import { againTimes, rememberStart, toUnfinishedStart, waitTimesOf } from './start-times.ts'
import { hasSameOthers, takeSnapshot } from './take-snapshot.ts'
import { mayConnect } from './unusable-servers.ts'
import { withoutSecrets } from './secrets/without-secrets.ts'
import { startupMsOf } from './host-context.ts'
import type { HostContext } from './host-context.ts'
import type { ReadyOptions } from './host-options.ts'
import type { Server } from '../model/server.ts'
import { isSameLink } from '../model/status.ts'
import type { Status } from '../model/status.ts'
import type { Tool } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'
import { reservedNames } from '../calls/view/meta-tools.ts'
import type { CatalogWaitOptions } from '../calls/view/view-context.ts'
import type { OfferGate } from './offers/offer-gate.ts'
import { HeldToolNames } from './offers/held-tools.ts'

export interface HostCatalogOptions {
  readonly caches: ServerCaches
  /** Holds what a person has not accepted; absent where everything is offered. */
  readonly gate?: OfferGate | undefined
  /** The servers that are enabled and trusted. */
  readonly servers: readonly Server[]
  readonly statusOf: (server: string) => Status | undefined
  /** When the attempt to connect that is under way began, on the monotonic clock. */
  readonly openingSince: (server: string) => number | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
  /** A call waits for the attempt to connect that is under way. */
  readonly raise: (server: string) => void
}

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
  readonly #listings: Listings
  /** Servers that have listed their tools since they connected. */
  readonly #listed = new Set<string>()
  readonly #unfinished = new Map<string, UnfinishedStart>()
  /** Servers that got ready in this host. */
  readonly #greeted = new Set<string>()
  readonly #freshness: Freshness
  /** Servers that a caller has named. They are started before others. */
  readonly #called = new Set<string>()
  /** Servers that were asked for what they offer, or read from disk. */
  readonly #asked = new WeakSet<Server>()
  /** How many secrets were known when a snapshot was masked. */
  readonly #maskedFor = new WeakMap<Snapshot, number>()
  /** What servers offer, where the catalog has only the accepted part. */
  readonly #offered = new Map<string, Snapshot>()
  readonly outdated = new OutdatedLists()
  readonly heldNames: HeldToolNames | undefined
  /** Judgements of what is on disk that are under way. */
  readonly #admissions = new Set<Promise<void>>()
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
    this.#listings = new Listings({
      clock: this.#clock,
      listOnce: (server) => this.#list(server),
      openingSince: options.openingSince,
      startupMsOf: (server) => startupMsOf(server, context),
      isConnecting: (name) => options.statusOf(name)?.state === 'connecting',
    })
    this.catalog = new Catalog({
      naming: calling.naming,
      descriptions: calling.descriptions,
      properties: calling.properties,
      native: reservedNames(native, resources),
    })
    this.heldNames = options.gate && new HeldToolNames(options.gate, { ...calling, catalog: this.catalog })
    context.events.watch((event) => {
      const isNewLink = event.type === 'server.changed' && !isSameLink(event.status)
      if (isNewLink) this.#listed.delete(event.server)
      if (isNewLink && event.status.state === 'ready') this.#greeted.add(event.server)
      if (!this.#isUsed || this.#isClosed) return
      if (event.type === 'list.outdated' && event.list === 'tools') this.outdated.announced(event.server)
      if (event.type === 'list.changed') this.#refresh(event.server)
      // A server that is being listed has just connected for that.
      const isUp = isNewLink && event.status.state === 'ready'
      if (isUp && !this.#listings.has(event.server)) this.#refreshSoon(event.server)
    })
  }

  /** Loads what servers offer. Servers that are named are tried again if they failed before, others as by `wait`. */
  async ready({ servers, from, ...options }: ServerChoice & CatalogWaitOptions): Promise<void> {
    if (!servers && !from) return this.wait('all', options)
    this.#isUsed = true
    await this.#until(
      this.#learn(servers, from).then(() => this.#settle()),
      { servers, ...options },
    )
  }

  /**
   * Waits until these servers are known or failed. One that failed is tried again when its connection may be opened again.
   * Without a timeout, each is waited for as long as its earlier starts suggest, counted from when its listing began.
   * Listing continues in the background.
   */
  async wait(servers: readonly string[] | 'all', options: CatalogWaitOptions): Promise<void> {
    this.#isUsed = true
    if (servers === 'all') return this.#until(this.#learnAll(), options)
    if (options.timeoutMs === 'settled') this.#raise(servers)
    await this.#until(
      this.#learnDue(servers).then(() => this.#settle()),
      { servers, ...options },
    )
  }

  #raise(servers: readonly string[]): void {
    for (const server of servers) {
      this.#called.add(server)
      this.#options.raise(server)
    }
  }

  #until(learned: Promise<void>, options: CatalogWaitOptions & ServerChoice): Promise<void> {
    const { servers } = options
    // A listing begins when the cache file has been read, which may take longer in a file system of the embedder.
    const begun = async () => {
      const wanted = servers?.flatMap((name) => this.#byName.get(name) ?? []) ?? [...this.#byName.values()]
      await Promise.all(wanted.map((server) => this.#options.caches.read(server)))
      // What is on disk counts only once it is judged.
      await Promise.allSettled(this.#admissions)
    }
    return this.#listings.until(learned, { ...options, begun })
  }

  /** What a server is known to offer, also what is held. */
  offeredBy(name: string): Snapshot | undefined {
    return this.#offered.get(name) ?? this.catalog.snapshotOf(name)
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
      this.#listings.forget(name)
      this.#freshness.forget(name)
      this.#listed.delete(name)
      this.#called.delete(name)
      this.#unfinished.delete(name)
      this.#offered.delete(name)
      this.outdated.forget(name)
      this.#options.gate?.forget(server)
      this.#put(server, undefined)
      this.#options.caches.forget(server)
    }
    this.#isReady = false
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

  /** Applies a decision of a person to what a server has offered last. */
  async judgeAgain(name: string): Promise<void> {
    const { gate } = this.#options
    const [server, offered] = [this.#byName.get(name), this.#offered.get(name)]
    if (!gate || !server || !offered) return
    const admitted = await gate.admit(server, offered)
    if (this.#offered.get(name) === offered && this.#byName.get(name) === server) this.#put(server, admitted)
  }

  /** Whether a tool is as its server has listed it since it connected, and no change was announced since. */
  isCurrent(tool: Tool): boolean {
    return !this.outdated.has(tool.server) && this.catalog.isListed(tool)
  }

  /** For how long its lists are valid, if it says so; and the start before this host, if that did not make it usable. */
  factsOf(server: string): { readonly ttlMs?: number; readonly unfinished?: UnfinishedStart } {
    const unfinished = this.isKnown(server) ? undefined : this.#unfinished.get(server)
    const ttlMs = this.#freshness.ttlOf(server)
    return { ...(ttlMs !== undefined && { ttlMs }), ...(unfinished && { unfinished }) }
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
    await this.#listings.close()
    await this.#options.caches.close()
  }

  async #learnAll(): Promise<void> {
    const servers = this.#byName
    await this.#learnDue([...servers.keys()])
    if (this.#byName === servers) this.#isReady = true
  }

  async #learnDue(names: readonly string[]): Promise<void> {
    const servers = names.flatMap((name) => this.#byName.get(name) ?? [])
    const due = servers.filter((server) => this.#isDue(server))
    await Promise.all(due.map((server) => this.#know(server, undefined)))
    await this.#relist(names.filter((name) => this.#freshness.isExpired(name)))
  }

  /** Whether to ask a server now: for the first time, or because the pause after its last failure is over. */
  #isDue(server: Server): boolean {
    if (!this.#asked.has(server) || this.#listings.has(server.name)) return true
    const status = this.#options.statusOf(server.name)
    return status === undefined || mayConnect(status, this.#clock.now())
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
    const isFirst = !this.#asked.has(server)
    if (from !== 'disk') this.#asked.add(server)
    const cache = await this.#options.caches.read(server)
    if (isFirst && cache.start) this.#unfinished.set(name, cache.start)
    if (from !== 'servers') {
      const known = cache.catalog
      // A live list that arrived meanwhile takes precedence over the cache.
      if (known && !this.catalog.snapshotOf(name)) {
        const judged = this.#takeFromDisk(server, this.#masked(known))
        this.#admissions.add(judged)
        await judged.finally(() => this.#admissions.delete(judged))
      }
      // A server that connected before the catalog was used will not emit another event: list it now.
      if (known && this.#options.statusOf(name)?.state === 'ready') this.#refresh(name)
      if ((known && !this.#freshness.isExpired(name)) || from === 'disk') return
    }
    await this.#listings.start(server, isFirst ? waitTimesOf(cache, this.#clock.now()) : againTimes)
  }

  async #takeFromDisk(server: Server, known: CachedCatalog): Promise<void> {
    const admitted = await this.#admit(server, known)
    if (!this.catalog.snapshotOf(server.name)) this.#take(server, known, admitted)
  }

  async #relist(names: readonly string[]): Promise<void> {
    const servers = names.flatMap((name) => this.#byName.get(name) ?? [])
    await Promise.all(servers.map((server) => this.#listings.start(server, againTimes)))
  }

  get #clock(): Clock {
    return this.#context.platform.clock
  }

  /** In the next turn: the call that the server was connected for is sent first, and a long list does not delay it. */
  #refreshSoon(name: string): void {
    setImmediate(() => {
      const isUp = this.#options.statusOf(name)?.state === 'ready'
      if (isUp && !this.#isClosed && !this.#listings.has(name) && !this.#listed.has(name)) this.#refresh(name)
    })
  }

  #refresh(name: string): void {
    const server = this.#byName.get(name)
    if (server) this.#listings.restart(server, againTimes)
  }

  /** If listing fails, the known tools stay. */
  async #list(server: Server): Promise<void> {
    const since = this.#clock.monotonic()
    try {
      await this.#listOnce(server)
    } catch (error) {
      this.#freshness.failed(server.name)
      this.#warn(server, error)
      if (this.#greeted.has(server.name))
        await this.#rememberUnlisted(server, this.#clock.monotonic() - since)
    }
  }

  /** A server that greets and does not list its tools is no better than one that does not get ready. */
  async #rememberUnlisted(server: Server, waitedMs: number): Promise<void> {
    if (this.isKnown(server.name)) return
    const entryMs = startupMsOf(server, { ...this.#context, options: {} })
    const now = this.#clock.now()
    const start = { ...toUnfinishedStart({ waitedMs, entryMs, now }), isUnlisted: true }
    await rememberStart(server, start, { caches: this.#options.caches, now })
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
    this.#context.events.emit({ type: 'server.warned', id, server: name, message, about: 'tools' })
  }

  async #listOnce(server: Server): Promise<void> {
    const connection = await this.#options.connectionOf(server.name)
    const before = this.#offered.get(server.name) ?? this.catalog.snapshotOf(server.name)
    const changes = this.outdated.mark(server.name)
    const fresh = this.#freshness.isExpired(server.name)
    const urgency = this.#called.has(server.name) ? 'called' : 'listed'
    const stored = before ? undefined : (await this.#options.caches.read(server)).catalog?.snapshot
    const known = this.#masked(
      await takeSnapshot(connection, {
        before,
        stored,
        fresh,
        toolsOnly: this.#context.options.offers === 'tools',
        urgency,
        clock: this.#clock,
      }),
    )
    const isSame = known.snapshot === before
    const isJudged = this.#options.gate?.judgesAgain(server.name) ?? false
    const admitted = isSame && !isJudged ? undefined : await this.#admit(server, known)
    if (this.#isClosed) return
    if (admitted) this.#take(server, known, admitted)
    else {
      this.#freshness.listed(server.name, known.ttlMs)
      this.#freshness.kept(server.name, known.isUnkept)
    }
    this.outdated.listed(server.name, changes)
    const isUp = this.#options.statusOf(server.name)?.state === 'ready'
    if (isUp && this.#byName.get(server.name) === server) this.#listed.add(server.name)
    if (!isSame) this.#options.caches.change(server, { catalog: known, start: undefined }, 'now')
    else if (known.ttlMs > 0) this.#options.caches.change(server, { catalog: this.#renewed(known) }, 'now')
  }

  /** The same lists, valid from now on: without that, every new process would list them again once they have expired. */
  #renewed({ snapshot, ...lifetime }: CachedCatalog): CachedCatalog {
    return { snapshot: { ...snapshot, at: new Date(this.#clock.now()).toISOString() }, ...lifetime }
  }

  /** Masks what has become known as secret since the snapshot was last looked through. */
  #masked(known: CachedCatalog): CachedCatalog {
    const { redactor } = this.#context
    if ((this.#maskedFor.get(known.snapshot) ?? 0) === redactor.size) return known
    const masked = withoutSecrets(known, redactor)
    this.#maskedFor.set(masked.snapshot, redactor.size)
    return masked
  }

  /** The part of a snapshot that a person has accepted, where that is asked for. */
  async #admit(server: Server, { snapshot }: CachedCatalog): Promise<Snapshot> {
    const { gate } = this.#options
    if (!gate) return snapshot
    const admitted = await gate.admit(server, snapshot)
    this.heldNames?.remember(server.name)
    return admitted
  }

  /** Ignores the list of a server that is no longer declared. */
  #take(server: Server, { snapshot, ttlMs, isUnkept }: CachedCatalog, admitted: Snapshot): void {
    if (this.#byName.get(server.name) !== server) return
    this.#freshness.listed(server.name, ttlMs, Date.parse(snapshot.at))
    this.#freshness.kept(server.name, isUnkept)
    if (this.#options.gate) this.#offered.set(server.name, snapshot)
    this.#put(server, admitted)
  }

  #put({ name, tools }: Server, snapshot: Snapshot | undefined): void {
    const { options, preset } = this.#context
    const parallel = preset.calling.serial === 'server' ? options.parallel?.[name] : undefined
    const before = this.catalog.snapshotOf(name)
    const { added, removed, changed } = this.catalog.replace(
      { name, tools, ...(parallel && { parallel }) },
      snapshot,
    )
    this.#listings.changed()
    const isSame = added.length + removed.length + changed.length === 0
    if (isSame && hasSameOthers(before, snapshot)) return
    this.#context.events.emit({ type: 'catalog.changed', server: name, added, removed, changed })
  }
}

function byName(servers: readonly Server[]): ReadonlyMap<string, Server> {
  return new Map(servers.map((server) => [server.name, server]))
}
