import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { Peer, PeerOptions } from '../wire/eras/peer.ts'
import { readPages } from '../wire/pages.ts'
import type { Pages } from '../wire/pages.ts'
import { withDeadline } from '../wire/pending.ts'
import type { RequestOptions } from '../wire/pending.ts'
import { readToolDefinitions } from '../wire/tool-definitions.ts'
import type { QuarantinedDefinition, ToolDefinitions } from '../wire/tool-definitions.ts'
import { RpcError, unsent, WireError } from '../wire/wire-error.ts'
import { unlessCancelled } from './connection-errors.ts'
import type { ListName } from './link.ts'

/** One list of a server. */
export interface ServerList {
  readonly items: readonly Json[]
  readonly quarantined: readonly QuarantinedDefinition[]
  /** How long the list may be cached, from the request; 0 if the server names no time. */
  readonly ttlMs: number
  /** No text of the list has hidden characters. If absent, each text has to be checked. */
  readonly isPlain?: true
}

const methods: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  prompts: 'prompts/list',
  resourceTemplates: 'resources/templates/list',
}

/** Change notifications count even if the capability was not declared (C21). */
const changes: Readonly<Record<string, readonly ListName[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'resourceTemplates'],
  'notifications/prompts/list_changed': ['prompts'],
}

/** A change of a list is passed on at most once in this time (FI-30, FI-32). */
const quietMs = 1000

interface CachedList {
  readonly listed: Promise<ServerList>
  freshUntil: number
}

export interface ListsOptions {
  readonly clock: Clock
  /** Whether arguments are mirrored into headers on this connection. */
  readonly hasHeaders: boolean
  /** Whether the server cannot run tasks. */
  readonly isTaskless?: boolean
  readonly onChanged: (list: ListName) => void
  readonly onWarning: (message: string) => void
}

/** The lists of one server, cached for as long as the server allows. */
export class ServerLists {
  readonly #peer: Peer
  readonly #options: ListsOptions
  readonly #cache = new Map<ListName, CachedList>()
  readonly #quiet = new Map<ListName, { timer: Disposable; isChanged: boolean }>()
  #refreshing: Promise<ServerList> | undefined
  #paramHeaders: ToolDefinitions['paramHeaders'] | undefined

  constructor(peer: Peer, options: ListsOptions) {
    this.#peer = peer
    this.#options = options
  }

  /** Reads a list, or returns it from the cache while it is fresh. */
  list(name: ListName, options: RequestOptions & { readonly fresh?: boolean } = {}): Promise<ServerList> {
    const { clock } = this.#options
    const cached = this.#cache.get(name)
    if (cached && !options.fresh && clock.monotonic() < cached.freshUntil) return cached.listed
    const timed = withDeadline(options, clock)
    const entry: CachedList = {
      listed: this.#fetch(name, timed, (ttlMs) => (entry.freshUntil = clock.monotonic() + ttlMs)),
      freshUntil: 0,
    }
    this.#cache.set(name, entry)
    entry.listed.catch(() => this.#cache.get(name) === entry && this.#cache.delete(name))
    return entry.listed
  }

  async paramHeadersOf(
    tool: string,
    { refresh, ...options }: RequestOptions & { readonly refresh: boolean },
  ): ReturnType<PeerOptions['paramHeadersOf']> {
    if (!this.#options.hasHeaders) return undefined
    if (refresh || !this.#paramHeaders) await this.#refreshTools(options)
    return this.#paramHeaders?.get(tool)
  }

  /** Reads the tool list. Concurrent calls share one request, and each waits only as long as it wants. */
  async #refreshTools({ signal, ...options }: RequestOptions): Promise<void> {
    this.#refreshing ??= this.list('tools', { ...options, fresh: true }).finally(
      () => (this.#refreshing = undefined),
    )
    try {
      await (signal ? unlessCancelled(this.#refreshing, signal) : this.#refreshing)
    } catch (error) {
      // The list failed, but the call may still work.
      if (error instanceof RpcError) return
      // The call itself was not sent.
      throw error instanceof WireError ? unsent(error) : error
    }
  }

  onNotification(method: string): void {
    if (!Object.hasOwn(changes, method)) return
    for (const list of changes[method] ?? []) this.#changed(list)
  }

  close(): void {
    for (const { timer } of this.#quiet.values()) timer[Symbol.dispose]()
    this.#quiet.clear()
    this.#cache.clear()
  }

  async #fetch(
    name: ListName,
    options: RequestOptions,
    cacheFor: (ttlMs: number) => void,
  ): Promise<ServerList> {
    const pages = await this.#pages(name, options)
    if (pages.cut !== undefined) this.#options.onWarning(`Its list of ${name} was cut ${pages.cut}.`)
    cacheFor(pages.ttlMs)
    const { items, ttlMs, isPlain } = pages
    const listed = name === 'tools' ? this.#tools(items) : { items, quarantined: [] }
    return { ...listed, ttlMs, ...(isPlain && { isPlain }) }
  }

  async #pages(name: ListName, options: RequestOptions): Promise<Pages> {
    const requestPage = (params: JsonObject) => this.#peer.request(methods[name], params, options)
    try {
      return await readPages(requestPage, name)
    } catch (error) {
      // Servers without templates often lack the method as well.
      if (!(error instanceof RpcError) || error.code !== -32601) throw error
      return { items: [], ttlMs: 0, cacheScope: 'private' }
    }
  }

  #tools(items: readonly Json[]): Pick<ServerList, 'items' | 'quarantined'> {
    const read: ToolDefinitions = readToolDefinitions(items, this.#options)
    this.#paramHeaders = read.paramHeaders
    for (const { tool, reason } of read.quarantined) {
      this.#options.onWarning(`Its tool ${JSON.stringify(tool)} is left out: ${reason}.`)
    }
    return { items: read.tools, quarantined: read.quarantined }
  }

  /** The first change is passed on immediately, later ones within the quiet time together. */
  #changed(list: ListName): void {
    this.#cache.delete(list)
    const quiet = this.#quiet.get(list)
    if (quiet) quiet.isChanged = true
    else this.#announce(list)
  }

  #announce(list: ListName): void {
    const onQuietEnd = () => {
      const wasChanged = this.#quiet.get(list)?.isChanged
      this.#quiet.delete(list)
      if (wasChanged) this.#announce(list)
    }
    const timer = this.#options.clock.timer(quietMs, onQuietEnd, { background: true })
    this.#quiet.set(list, { timer, isChanged: false })
    this.#options.onChanged(list)
  }
}
