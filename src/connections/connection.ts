import { allowManyListeners } from '../model/allow-many.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Status } from '../model/status.ts'
import type { Greeting } from '../wire/eras/greeting.ts'
import { quarantined } from './connection-errors.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { ErrorReporter } from './error-reporter.ts'
import { isQuarantined } from './life.ts'
import { LinkSupervisor } from './link-supervisor.ts'
import type { LinkUse } from './link-supervisor.ts'
import type { Link, ListName } from './link.ts'
import { sendWithRetries, timed } from './send-with-retries.ts'
import type { RequestOptions, TimedOptions } from './send-with-retries.ts'
import type { ServerList } from './server-lists.ts'

/** One server as its callers see it: opened when somebody needs it, opened again when it breaks, closed with the host. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #calls = new CallsUnderWay()
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

  /** Opens it, or says why that cannot be. */
  async connect(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Greeting> {
    allowManyListeners(options.signal)
    try {
      return (await this.#links.open('called', options.signal)).greeting
    } catch (error) {
      throw this.#reporter.hostError(error, 'initialize')
    }
  }

  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<Json> {
    const within = timed(options, this.#options.timeouts, this.#options.clock)
    return this.#use(method, params, within, (link, left) => link.peer.request(method, params, left))
  }

  /** All pages of one of its lists. */
  list(
    name: ListName,
    { fresh = false, ...options }: RequestOptions & { readonly fresh?: boolean } = {},
  ): Promise<ServerList> {
    const method = name === 'resourceTemplates' ? 'resources/templates/list' : `${name}/list`
    const within = timed(options, this.#options.timeouts, this.#options.clock)
    return this.#use(method, undefined, within, (link, left) => link.lists.list(name, { ...left, fresh }))
  }

  notify(method: string, params?: JsonObject): void {
    this.#links.current?.peer.notify(method, params)
  }

  /** Forgets what went wrong, and begins anew. */
  async restart(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Greeting> {
    await this.#links.restart()
    return this.connect(options)
  }

  /** Lets the server go; the next request opens it again. */
  stop(): Promise<void> {
    return this.#links.stop('stopped')
  }

  /** Ends it for good. Asked a second time, it does not wait any longer for a server that takes its time. */
  close(): Promise<void> {
    return this.#links.close()
  }

  /** Tries again by itself if it failed, as those do that are kept open. */
  keepOpen(): void {
    this.#links.keepOpen()
  }

  async #use<T>(
    method: string,
    params: JsonObject | undefined,
    options: TimedOptions,
    ask: (link: Link, options: TimedOptions) => Promise<T>,
  ): Promise<T> {
    allowManyListeners(options.signal)
    const tool = toolOf(method, params)
    const { clock, server } = this.#options
    if (tool !== undefined && isQuarantined(this.#links.life, tool, clock.monotonic()))
      throw quarantined(server.name, tool)
    this.#calls.begin(tool)
    this.#links.rest()
    try {
      return await sendWithRetries(this.#links, { method, options }, ask)
    } catch (error) {
      throw this.#reporter.hostError(error, method)
    } finally {
      this.#calls.end(tool)
      this.#links.rest()
    }
  }
}

/** What is being asked right now: how many requests, and how often which tool. */
class CallsUnderWay implements LinkUse {
  readonly #tools = new Map<string, number>()
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  begin(tool: string | undefined): void {
    this.#count++
    if (tool !== undefined) this.#tools.set(tool, (this.#tools.get(tool) ?? 0) + 1)
  }

  end(tool: string | undefined): void {
    this.#count--
    if (tool === undefined) return
    const count = (this.#tools.get(tool) ?? 1) - 1
    if (count > 0) this.#tools.set(tool, count)
    else this.#tools.delete(tool)
  }

  only(): string | undefined {
    const [tool, ...others] = this.#tools.keys()
    return others.length === 0 ? tool : undefined
  }
}

/** The tool that a request calls. */
function toolOf(method: string, params: JsonObject | undefined): string | undefined {
  const name = method === 'tools/call' ? params?.['name'] : undefined
  return typeof name === 'string' ? name : undefined
}
