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
import { until } from './connection-errors.ts'
import type { ListName } from './link.ts'

/** What a server offers of one kind. */
export interface ServerList {
  readonly items: readonly Json[]
  readonly quarantined: readonly QuarantinedDefinition[]
  /** How long the server says that this may be used, from when it was asked; 0 when it says nothing. */
  readonly ttlMs: number
  /** Nothing is hidden in any text of it; where that is not known, each must be looked at. */
  readonly isPlain?: true
}

const methods: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  prompts: 'prompts/list',
  resourceTemplates: 'resources/templates/list',
}

/** Declared or not, a change is a change (C21). */
const changes: Readonly<Record<string, readonly ListName[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'resourceTemplates'],
  'notifications/prompts/list_changed': ['prompts'],
}

/** However often a server says so, a change is passed on once in this time (FI-30, FI-32). */
const quietMs = 1000

interface Kept {
  readonly listed: Promise<ServerList>
  freshUntil: number
}

export interface ListsOptions {
  readonly clock: Clock
  /** Whether arguments are mirrored into headers on this connection. */
  readonly hasHeaders: boolean
  /** Whether nothing runs as a task on it, though a tool may want to. */
  readonly isTaskless?: boolean
  readonly onChanged: (list: ListName) => void
  readonly onWarning: (message: string) => void
}

/** The lists of one server, for as long as it says that they hold. */
export class Lists {
  readonly #peer: Peer
  readonly #options: ListsOptions
  readonly #kept = new Map<ListName, Kept>()
  readonly #quiet = new Map<ListName, { timer: Disposable; isChanged: boolean }>()
  #looking: Promise<ServerList> | undefined
  #paramHeaders: ToolDefinitions['paramHeaders'] | undefined

  constructor(peer: Peer, options: ListsOptions) {
    this.#peer = peer
    this.#options = options
  }

  /** All of a list. Within the time the server gave it, it is not asked again. */
  list(name: ListName, options: RequestOptions & { readonly fresh?: boolean } = {}): Promise<ServerList> {
    const { clock } = this.#options
    const kept = this.#kept.get(name)
    if (kept && !options.fresh && clock.monotonic() < kept.freshUntil) return kept.listed
    const within = withDeadline(options, clock)
    const asked: Kept = {
      listed: this.#ask(name, within, (ttlMs) => (asked.freshUntil = clock.monotonic() + ttlMs)),
      freshUntil: 0,
    }
    this.#kept.set(name, asked)
    asked.listed.catch(() => this.#kept.get(name) === asked && this.#kept.delete(name))
    return asked.listed
  }

  async paramHeadersOf(
    tool: string,
    { refresh, ...options }: RequestOptions & { readonly refresh: boolean },
  ): ReturnType<PeerOptions['paramHeadersOf']> {
    if (!this.#options.hasHeaders) return undefined
    if (refresh || !this.#paramHeaders) await this.#look(options)
    return this.#paramHeaders?.get(tool)
  }

  /** All calls that need to know the tools at the same time ask once, and each waits as long as it wants to. */
  async #look({ signal, ...options }: RequestOptions): Promise<void> {
    this.#looking ??= this.list('tools', { ...options, fresh: true }).finally(
      () => (this.#looking = undefined),
    )
    try {
      await (signal ? until(this.#looking, signal) : this.#looking)
    } catch (error) {
      // The server may know its tools better than its list of them.
      if (error instanceof RpcError) return
      // The call itself has not left.
      throw error instanceof WireError ? unsent(error) : error
    }
  }

  notified(method: string): void {
    if (!Object.hasOwn(changes, method)) return
    for (const list of changes[method] ?? []) this.#changed(list)
  }

  close(): void {
    for (const { timer } of this.#quiet.values()) timer[Symbol.dispose]()
    this.#quiet.clear()
    this.#kept.clear()
  }

  async #ask(name: ListName, options: RequestOptions, keepFor: (ttlMs: number) => void): Promise<ServerList> {
    const pages = await this.#pages(name, options)
    if (pages.cut !== undefined) this.#options.onWarning(`Its list of ${name} was cut ${pages.cut}.`)
    keepFor(pages.ttlMs)
    const { items, ttlMs, isPlain } = pages
    const listed = name === 'tools' ? this.#tools(items) : { items, quarantined: [] }
    return { ...listed, ttlMs, ...(isPlain && { isPlain }) }
  }

  async #pages(name: ListName, options: RequestOptions): Promise<Pages> {
    const ask = (params: JsonObject) => this.#peer.request(methods[name], params, options)
    try {
      return await readPages(ask, name)
    } catch (error) {
      // Servers without templates often have no list of them either.
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

  /** The first change is passed on at once, those right after it together. */
  #changed(list: ListName): void {
    this.#kept.delete(list)
    const quiet = this.#quiet.get(list)
    if (quiet) quiet.isChanged = true
    else this.#tell(list)
  }

  #tell(list: ListName): void {
    const onQuietEnd = () => {
      const wasChanged = this.#quiet.get(list)?.isChanged
      this.#quiet.delete(list)
      if (wasChanged) this.#tell(list)
    }
    const timer = this.#options.clock.timer(quietMs, onQuietEnd, { background: true })
    this.#quiet.set(list, { timer, isChanged: false })
    this.#options.onChanged(list)
  }
}
