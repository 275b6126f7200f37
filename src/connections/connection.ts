import type { Json, JsonObject } from '../model/json.ts'
import type { Status } from '../model/status.ts'
import type { Greeting } from '../wire/eras/greeting.ts'
import { allowManyListeners } from './allow-many.ts'
import { quarantined } from './connection-errors.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { ErrorReporter } from './error-reporter.ts'
import { isQuarantined } from './life.ts'
import { LinkSupervisor } from './link-supervisor.ts'
import type { LinkUsage } from './link-supervisor.ts'
import type { Link, ListName } from './link.ts'
import { sendWithRetries, useOf, withTimeouts } from './send-with-retries.ts'
import type { FailedAttempt, LimitedOptions, RequestOptions, TimedOptions } from './send-with-retries.ts'
import type { Urgency } from './slots.ts'
import { markOfList } from './server-lists.ts'
import type { ListOptions, ServerList } from './server-lists.ts'

/** The connection to one server: opened on the first request, reopened after a failure, closed with the host. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #calls = new ActiveCalls()
  readonly #reporter: ErrorReporter
  readonly #links: LinkSupervisor

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#reporter = new ErrorReporter(options)
    this.#links = new LinkSupervisor(options, this.#calls, this.#reporter)
  }

  get status(): Status {
    return this.#links.status
  }

  /** When the attempt to connect that is under way began, on the monotonic clock. */
  get openingSince(): number | undefined {
    return this.#links.openingSince
  }

  /** Opens the connection, or throws the reason why it cannot be opened. */
  async connect({ signal, urgency = 'called' }: ConnectOptions = {}): Promise<Greeting> {
    allowManyListeners(signal)
    try {
      return (await this.#links.open(urgency, signal)).greeting
    } catch (error) {
      throw this.#reporter.hostError(error, 'initialize')
    }
  }

  /** A call waits for the attempt that is under way: it goes before others that only list. */
  raise(): void {
    this.#links.raise()
  }

  /** `now`: the time on the monotonic clock, if the caller has just read it. */
  request(
    method: string,
    params: JsonObject | undefined,
    options: LimitedOptions = {},
    now = this.#options.clock.monotonic(),
  ): Promise<Json> {
    const timed = withTimeouts(options, this.#options.timeouts, now)
    const request = { method, tool: toolOf(method, params), timed, isCallersLimit: hasLimit(options) }
    const send = (link: Link, each: TimedOptions) => link.peer.request(method, params, each)
    const link = this.#links.current
    return link ? this.#sendNow(link, request, send) : this.#send(request, send)
  }

  /** Follows a task that an earlier call created. A lost connection is opened again: reading a task is harmless. */
  resumeTask(task: JsonObject, options: LimitedOptions): Promise<Json> {
    const { timeouts, clock } = this.#options
    const timed = withTimeouts({ ...options, isRepeatable: true }, timeouts, clock.monotonic())
    const request = { method: 'tasks/get', tool: undefined, timed, isCallersLimit: hasLimit(options) }
    return this.#send(request, (link, each) => link.peer.resumeTask(task, each))
  }

  /** Reads all pages of a list. */
  list(
    name: ListName,
    { fresh = false, known, ...options }: RequestOptions & ListOptions = {},
  ): Promise<ServerList> {
    const method = name === 'resourceTemplates' ? 'resources/templates/list' : `${name}/list`
    const { timeouts, clock } = this.#options
    const timed = withTimeouts(options, timeouts, clock.monotonic())
    const request = { method, tool: undefined, timed, isCallersLimit: hasLimit(options) }
    this.#calls.beginList()
    return this.#send(request, (link, each) => link.lists.list(name, { ...each, fresh, known })).finally(() =>
      this.#calls.endList(),
    )
  }

  /** What tells a list from others. Absent if items were left out: each listing has to report that. */
  markOf(list: ServerList): string | undefined {
    return markOfList(list)
  }

  notify(method: string, params?: JsonObject): void {
    this.#links.current?.peer.notify(method, params)
  }

  /** Clears earlier failures and reconnects. */
  async restart(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Greeting> {
    await this.#links.restart()
    return this.connect(options)
  }

  /** Stops the server; the next request opens it again. */
  stop(): Promise<void> {
    return this.#links.stop('stopped')
  }

  /** Waits until no request is in flight, except for lists. */
  drained(): Promise<void> {
    return this.#calls.drained()
  }

  /** Closes the connection for good. A second call stops waiting for a slow server. */
  close(): Promise<void> {
    return this.#links.close()
  }

  /** Reconnects in the background if it failed, as connections with `isKeptOpen` do. */
  keepOpen(): void {
    this.#links.keepOpen()
  }

  async #send<T>(request: Request, send: Send<T>): Promise<T> {
    this.#begin(request)
    return this.#retry(request, send)
  }

  /** Sends over the open link. Nearly every request succeeds: only a failed one goes through the retries (decision 039). */
  async #sendNow<T>(link: Link, request: Request, send: Send<T>): Promise<T> {
    const { tool, timed } = request
    this.#begin(request)
    const use = useOf(link, timed)
    use?.begin()
    let result: T
    try {
      result = await send(link, timed)
    } catch (error) {
      use?.end()
      return this.#retry(request, send, { link, error })
    }
    use?.end()
    this.#links.answered(link)
    this.#end(tool)
    return result
  }

  async #retry<T>({ method, tool, timed, isCallersLimit }: Request, send: Send<T>, failed?: FailedAttempt) {
    try {
      return await sendWithRetries(this.#links, { method, options: timed }, send, failed)
    } catch (error) {
      throw this.#reporter.hostError(error, method, isCallersLimit)
    } finally {
      this.#end(tool)
    }
  }

  #begin({ tool, timed }: Request): void {
    allowManyListeners(timed.signal)
    const { clock, server } = this.#options
    const { life } = this.#links
    const isSuspect = tool !== undefined && Object.hasOwn(life.suspects, tool)
    if (isSuspect && isQuarantined(life, tool, clock.monotonic())) throw quarantined(server.name, tool)
    this.#calls.begin(tool)
    this.#links.restartIdleTimer()
  }

  #end(tool: string | undefined): void {
    this.#calls.end(tool)
    this.#links.restartIdleTimer()
  }
}

interface ConnectOptions {
  readonly signal?: AbortSignal | undefined
  readonly urgency?: Urgency
}

interface Request {
  readonly method: string
  /** The tool that it calls, if it is a call. */
  readonly tool: string | undefined
  readonly timed: TimedOptions
  /** Whether the caller set a time limit of its own. */
  readonly isCallersLimit: boolean
}

type Send<T> = (link: Link, options: TimedOptions) => Promise<T>

/** Whether the caller set a time limit of its own. */
function hasLimit({ timeoutMs, maxTimeoutMs }: RequestOptions): boolean {
  return timeoutMs !== undefined || maxTimeoutMs !== undefined
}

/** The requests in flight: their number, and the calls by tool. */
class ActiveCalls implements LinkUsage {
  readonly #tools = new Map<string, number>()
  readonly #onDrained = new Set<() => void>()
  #count = 0
  #lists = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  begin(tool: string | undefined): void {
    this.#count++
    if (tool !== undefined) this.#tools.set(tool, (this.#tools.get(tool) ?? 0) + 1)
  }

  end(tool: string | undefined): void {
    this.#count--
    // A list that has just ended is counted down a little later.
    if (this.#onDrained.size > 0) setImmediate(() => this.#checkDrained())
    if (tool === undefined) return
    const count = (this.#tools.get(tool) ?? 1) - 1
    if (count > 0) this.#tools.set(tool, count)
    else this.#tools.delete(tool)
  }

  beginList(): void {
    this.#lists++
  }

  endList(): void {
    this.#lists--
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained.add(resolve)
      this.#checkDrained()
    })
  }

  #checkDrained(): void {
    if (this.#count > this.#lists) return
    for (const resolve of this.#onDrained) resolve()
    this.#onDrained.clear()
  }

  onlyTool(): string | undefined {
    const [tool, ...others] = this.#tools.keys()
    return others.length === 0 ? tool : undefined
  }
}

/** The tool that a request calls, if it is a call. */
function toolOf(method: string, params: JsonObject | undefined): string | undefined {
  const name = method === 'tools/call' ? params?.['name'] : undefined
  return typeof name === 'string' ? name : undefined
}
