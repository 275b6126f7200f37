import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { Peer, PeerOptions } from '../wire/eras/peer.ts'
import { AnswerMarks, readPages } from '../wire/pages.ts'
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
  /** Tools that differ from the first one of their name, which is in `items`. */
  readonly conflicting?: readonly Json[]
  /** How long the list may be cached, from the request; 0 if the server names no time. */
  readonly ttlMs: number
  /** The server says 0: clients may not keep the list. Absent if it names no time. */
  readonly isUnkept?: true | undefined
  /** No text of the list has hidden characters. If absent, each text has to be checked. */
  readonly isPlain?: true
}

/** A list with the mark of the answers it was read from. */
export interface KnownList {
  readonly mark: string
  readonly list: ServerList
}

export interface ListOptions {
  /** Asks the server even if its last list may still be used. */
  readonly fresh?: boolean
  /** A list from before. It is returned if the server sends the same one, whose answer is not even parsed then. */
  readonly known?: KnownList | undefined
}

const marks = new WeakMap<ServerList, string>()

/** Tells a list from others by its answers. Absent if items were left out: each listing has to report that. */
export function markOfList(list: ServerList): string | undefined {
  return marks.get(list)
}

const methods: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  prompts: 'prompts/list',
  resourceTemplates: 'resources/templates/list',
  skills: 'skills/list',
}

/** Change notifications count even if the capability was not declared (C21). */
const changes: Readonly<Record<string, readonly ListName[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'resourceTemplates', 'skills'],
  'notifications/prompts/list_changed': ['prompts'],
}

/** A change of a list is passed on at most once in this time (FI-30, FI-32). */
const quietMs = 1000
/** More say nothing new to a person. */
const maxWarnings = 20

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
  /** A change was announced. */
  readonly onOutdated?: (list: ListName) => void
  /** The same, at most once in a while. */
  readonly onChanged: (list: ListName) => void
  readonly onWarning: (message: string) => void
}

/** The lists of one server, cached for as long as the server allows. */
export class ServerLists {
  readonly #peer: Peer
  readonly #options: ListsOptions
  readonly #cache = new Map<ListName, CachedList>()
  /** The last list that was read, for the case that the next one is the same. */
  readonly #last = new Map<ListName, KnownList>()
  readonly #quiet = new Map<ListName, { timer: Disposable; isChanged: boolean }>()
  #refreshing: Promise<ServerList> | undefined
  #paramHeaders: ToolDefinitions['paramHeaders'] | undefined

  constructor(peer: Peer, options: ListsOptions) {
    this.#peer = peer
    this.#options = options
  }

  /** Reads a list, or returns it from the cache while it is fresh. */
  list(
    name: ListName,
    { fresh = false, known, ...options }: RequestOptions & ListOptions = {},
  ): Promise<ServerList> {
    const { clock } = this.#options
    const cached = this.#cache.get(name)
    if (cached && !fresh && clock.monotonic() < cached.freshUntil) return cached.listed
    const timed = withDeadline(options, clock)
    const entry: CachedList = { listed: this.#fetch(name, timed, known), freshUntil: 0 }
    this.#cache.set(name, entry)
    entry.listed.then(
      (list) => {
        // The caller's own list is not for others: its texts may be masked.
        if (list !== known?.list) entry.freshUntil = clock.monotonic() + list.ttlMs
      },
      () => this.#cache.get(name) === entry && this.#cache.delete(name),
    )
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
    this.#last.clear()
  }

  async #fetch(name: ListName, options: RequestOptions, known: KnownList | undefined): Promise<ServerList> {
    // The headers of calls have to be read from the items themselves, once.
    const isUnread = name === 'tools' && this.#options.hasHeaders && !this.#paramHeaders
    const candidates = isUnread ? [] : [known, this.#last.get(name)]
    const { pages, mark } = await this.#pages(name, options, (found) =>
      candidates.some((each) => each?.mark === found),
    )
    const same = candidates.find((each) => each?.mark === mark)
    if (same) return same.list
    const { items, ttlMs, isPlain, isUnkept, cut } = pages
    if (cut !== undefined) this.#options.onWarning(`Its list of ${name} was cut ${cut}.`)
    const listed =
      name === 'tools'
        ? this.#tools(items)
        : name === 'skills'
          ? await this.#skills(items)
          : { items, quarantined: [] }
    const list = { ...listed, ttlMs, ...(isPlain && { isPlain }), ...(isUnkept && { isUnkept }) }
    if (cut !== undefined || list.quarantined.length > 0) return list
    marks.set(list, mark)
    this.#last.set(name, { mark, list })
    return known?.mark === mark ? known.list : list
  }

  /** Reads all pages, unless the first one is a whole list that is known. */
  async #pages(
    name: ListName,
    options: RequestOptions,
    isKnown: (mark: string) => boolean,
  ): Promise<{ readonly pages: Pages; readonly mark: string }> {
    const answers = new AnswerMarks(this.#options.isTaskless ? 'no tasks' : '')
    const readText = (rest: string) => {
      answers.add(rest)
      return answers.isFirst && isKnown(answers.mark) ? { [name]: [] } : undefined
    }
    const requestPage = (params: JsonObject) => {
      answers.expect(params)
      return this.#peer.request(methods[name], params, { ...options, readText })
    }
    const pages = await readPages(requestPage, name).catch((error: unknown): Pages => {
      // Servers without templates often lack the method as well.
      if (!(error instanceof RpcError) || error.code !== -32601) throw error
      return { items: [], ttlMs: 0, cacheScope: 'private' }
    })
    return { pages, mark: answers.markOf(pages) }
  }

  #tools(items: readonly Json[]): Pick<ServerList, 'items' | 'quarantined' | 'conflicting'> {
    const read: ToolDefinitions = readToolDefinitions(items, this.#options)
    this.#paramHeaders = read.paramHeaders
    for (const { tool, reason } of read.quarantined) {
      this.#options.onWarning(`Its tool ${JSON.stringify(tool)} is left out: ${reason}.`)
    }
    const { tools, quarantined, conflicting } = read
    return { items: tools, quarantined, ...(conflicting && { conflicting }) }
  }

  /** The check of entries is loaded with the first server that has skills. */
  async #skills(items: readonly Json[]): Promise<Pick<ServerList, 'items' | 'quarantined'>> {
    const { readSkillEntries } = await import('../model/skills/read-skill-entries.ts')
    const { skills, problems } = readSkillEntries(items)
    for (const { skill, reason } of problems.slice(0, maxWarnings))
      this.#options.onWarning(`Its skill ${JSON.stringify(skill)} is left out: ${reason}.`)
    if (problems.length > maxWarnings)
      this.#options.onWarning(`${problems.length - maxWarnings} more of its skills are left out.`)
    return { items: skills, quarantined: problems.map(({ skill, reason }) => ({ tool: skill, reason })) }
  }

  /** The first change is passed on immediately, later ones within the quiet time together. */
  #changed(list: ListName): void {
    this.#cache.delete(list)
    this.#options.onOutdated?.(list)
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
