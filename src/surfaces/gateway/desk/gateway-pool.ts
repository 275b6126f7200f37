import type { JsonObject } from '../../../index.ts'
import type { DiscoverOptions } from '../../../index.ts'
import { redactText } from '../../../internal.ts'
import { shortenHome } from '../../facts/place-facts.ts'
import { openGateway } from '../gateway.ts'
import type { Gateway } from '../gateway.ts'
import type { RequestWatch } from '../request-trace.ts'
import type { ServedRequest } from '../served-request.ts'
import { DeskPerson } from './desk-person.ts'

/** A client as its pooled gateway sees it. */
export interface PoolClient {
  readonly id: string
  readonly pid: number
  /** How a person knows it. */
  readonly name: string
  readonly capabilities: JsonObject
  /** A way to the client between its requests. */
  between(): ServedRequest | undefined
}

export interface PoolOptions {
  readonly idleMs: (discover: DiscoverOptions) => Promise<number>
  readonly log: (message: string) => void
  /** The configuration of this gateway has changed. */
  readonly onChange: (pooled: PooledGateway) => void
  /** Its servers have other states. */
  readonly onServers: () => void
  /** Learns of the requests of all clients. */
  readonly watch: RequestWatch
  /** The last gateway has been closed. */
  readonly onEmpty: () => void
}

/** What servers may ask in the middle of a call: it goes to the client of the call, which may refuse it. */
const askable: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {} }

/** The servers of one folder with one set of values, for the clients that are there with the same. */
export class PooledGateway {
  readonly discover: DiscoverOptions
  readonly clients = new Set<PoolClient>()
  readonly #options: PoolOptions
  #opened: Promise<Gateway> | undefined
  #gateway: Gateway | undefined
  readonly #person: DeskPerson

  constructor(discover: DiscoverOptions, options: PoolOptions) {
    this.discover = discover
    this.#options = options
    this.#person = new DeskPerson({
      discover,
      nameOf: (id) => this.#nameOf(id),
      placeOf: (server) => this.#placeOf(server),
      redact: (text) => this.#gateway?.host.redact(text) ?? redactText(text),
    })
  }

  /** The gateway, if it has been opened. */
  get current(): Gateway | undefined {
    return this.#gateway
  }

  open(): Promise<Gateway> {
    const { log, watch, onChange } = this.#options
    this.#opened ??= openGateway({
      discover: this.discover,
      capabilities: () => this.#capabilities(),
      only: () => (this.clients.size === 1 ? [...this.clients][0]?.between() : undefined),
      warn: log,
      watch,
      person: this.#person,
      onChange: () => onChange(this),
    }).then((gateway) => this.#use(gateway))
    // The next request tries again.
    this.#opened.catch(() => (this.#opened = undefined))
    return this.#opened
  }

  endSubscriptions(): void {
    this.#gateway?.endSubscriptions()
  }

  async close(): Promise<void> {
    await this.#person.close()
    await (await this.#opened?.catch(() => undefined))?.close()
  }

  #use(gateway: Gateway): Gateway {
    this.#gateway = gateway
    gateway.host.on(({ type }) => {
      if (type === 'server.changed') this.#options.onServers()
    })
    return gateway
  }

  #nameOf(id: string): string | undefined {
    return [...this.clients].find((client) => client.id === id)?.name
  }

  #placeOf(server: string): string | undefined {
    const found = this.#gateway?.host.discovery.servers.find(({ name }) => name === server)
    return found && shortenHome(this.discover.platform?.env?.['HOME'] ?? '')(found.origin.file)
  }

  /** Roots only if a client has them: servers ask for them at once, and an error would be all they get. */
  #capabilities(): JsonObject {
    const hasRoots = [...this.clients].some(({ capabilities }) => capabilities['roots'] !== undefined)
    return { ...askable, ...(hasRoots && { roots: { listChanged: true } }) }
  }
}

/** The gateways of all clients by what they may share. One that has no client any more is closed after a while. */
export class GatewayPool {
  readonly #byKey = new Map<string, PooledGateway>()
  readonly #idle = new Map<PooledGateway, NodeJS.Timeout>()
  readonly #closing = new Set<Promise<void>>()
  readonly #options: PoolOptions

  constructor(options: PoolOptions) {
    this.#options = options
  }

  get all(): readonly PooledGateway[] {
    return [...this.#byKey.values()]
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0 && this.#closing.size === 0
  }

  enter(key: string, discover: DiscoverOptions, client: PoolClient): PooledGateway {
    const pooled = this.#byKey.get(key) ?? new PooledGateway(discover, this.#options)
    this.#byKey.set(key, pooled)
    clearTimeout(this.#idle.get(pooled))
    this.#idle.delete(pooled)
    pooled.clients.add(client)
    return pooled
  }

  async leave(key: string, client: PoolClient): Promise<void> {
    const pooled = this.#byKey.get(key)
    if (!pooled?.clients.delete(client) || pooled.clients.size > 0) return
    const idleMs = pooled.current ? await this.#options.idleMs(pooled.discover).catch(() => 0) : 0
    if (pooled.clients.size > 0 || this.#byKey.get(key) !== pooled || this.#idle.has(pooled)) return
    this.#idle.set(
      pooled,
      setTimeout(() => void this.#close(key, pooled), idleMs),
    )
  }

  /** Closes what only waits for the next client. */
  closeUnused(): void {
    for (const [key, pooled] of this.#byKey) if (pooled.clients.size === 0) void this.#close(key, pooled)
  }

  /** Closes everything at once. */
  async close(): Promise<void> {
    for (const [key, pooled] of this.#byKey) void this.#close(key, pooled)
    await Promise.all(this.#closing)
  }

  #close(key: string, pooled: PooledGateway): Promise<void> {
    clearTimeout(this.#idle.get(pooled))
    this.#idle.delete(pooled)
    this.#byKey.delete(key)
    const closed = pooled
      .close()
      .catch((error: unknown) => this.#options.log(`Closing failed: ${String(error)}`))
      .then(() => {
        this.#closing.delete(closed)
        if (this.isEmpty) this.#options.onEmpty()
      })
    this.#closing.add(closed)
    return closed
  }
}
