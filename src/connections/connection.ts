import { allowMany } from '../model/allow-many.ts'
import { HostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Status } from '../model/status.ts'
import type { Greeting } from '../wire/eras/greeting.ts'
import { unsent, WireError } from '../wire/wire-error.ts'
import { waitBeforeOpening } from './admit.ts'
import { askThrough, NextTry, timed } from './send-with-retries.ts'
import type { RequestOptions, TimedOptions, Holder } from './send-with-retries.ts'
import { Calling, toolOf } from './calling.ts'
import type { ConnectionOptions, Opening } from './connection-options.ts'
import { failedBefore, isRefusal, overdue, quarantined, until } from './connection-errors.ts'
import { isFinal, wantsLogin } from './failure.ts'
import { beginLife, beginsAnew, isOnTrial, isQuarantined, momentOf, nextLife, waitOf } from './life.ts'
import { Leaving } from './leaving.ts'
import type { Happening, Life } from './life.ts'
import type { Link, LinkEvents, ListName } from './link.ts'
import type { Listed } from './server-lists.ts'
import type { Urgency } from './slots.ts'
import { Telling } from './telling.ts'

const stepMs = 10_000

/** The life of one server: opened when somebody needs it, opened again when it breaks, closed with the host. */
export class Connection {
  readonly #options: ConnectionOptions
  #life: Life
  #link: Link | undefined
  #opening: Opening | undefined
  readonly #leaving = new Leaving()
  readonly #ending = new AbortController()
  readonly #calling = new Calling()
  readonly #nextTry = new NextTry()
  #retry: Disposable | undefined
  #idle: Disposable | undefined
  #closed: Promise<void> | undefined
  readonly #holder: Holder
  readonly #telling: Telling
  readonly #jitter = () => (this.#options.random() - 0.5) * 0.4

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#life = beginLife(options.initial)
    this.#telling = new Telling(options)
    this.#holder = {
      clock: options.clock,
      ending: this.#ending.signal,
      jitter: this.#jitter,
      link: (signal) => this.#link ?? this.#opened('called', signal),
      answered: (link) => this.#life.refusals > 0 && link === this.#link && this.#happened(answered),
      refused: (error, link) => this.#refused(error, link),
    }
  }

  get status(): Status {
    return this.#life.status
  }

  /** Opens it, or says why that cannot be. */
  async connect(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Greeting> {
    allowMany(options.signal)
    try {
      return (await this.#opened('called', options.signal)).greeting
    } catch (error) {
      throw this.#telling.error(error, 'initialize')
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
  ): Promise<Listed> {
    const method = name === 'resourceTemplates' ? 'resources/templates/list' : `${name}/list`
    const within = timed(options, this.#options.timeouts, this.#options.clock)
    return this.#use(method, undefined, within, (link, left) => link.lists.list(name, { ...left, fresh }))
  }

  notify(method: string, params?: JsonObject): void {
    this.#link?.peer.notify(method, params)
  }

  /** Forgets what went wrong, and begins anew. */
  async restart(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Greeting> {
    const gone = this.#letGo(cancelled('The server was restarted.'), 'current')
    this.#happened({ type: 'restarted' })
    await gone
    return this.connect(options)
  }

  /** Lets the server go; the next request opens it again. */
  async stop(reason: 'stopped' | 'idle' = 'stopped'): Promise<void> {
    const gone = this.#letGo(cancelled('The server was stopped.'))
    this.#happened({ type: 'stopped', reason })
    await gone
  }

  /** Ends it for good. Asked a second time, it does not wait any longer for a server that takes its time. */
  close(): Promise<void> {
    if (this.#closed) {
      this.#leaving.hurry(closing)
      return this.#closed
    }
    this.#happened({ type: 'closed' })
    this.#ending.abort()
    return (this.#closed = this.#letGo(closing))
  }

  /** Tries again by itself if it failed, as those do that are kept open. */
  keepOpen(): void {
    void this.#opened('background').catch(() => undefined)
  }

  async #use<T>(
    method: string,
    params: JsonObject | undefined,
    options: TimedOptions,
    ask: (link: Link, options: TimedOptions) => Promise<T>,
  ): Promise<T> {
    allowMany(options.signal)
    const tool = toolOf(method, params)
    const { clock, server } = this.#options
    if (tool !== undefined && isQuarantined(this.#life, tool, clock.monotonic()))
      throw quarantined(server.name, tool)
    this.#calling.begin(tool)
    this.#rest()
    try {
      return await askThrough(this.#holder, { method, options }, ask)
    } catch (error) {
      throw this.#telling.error(error, method)
    } finally {
      this.#calling.end(tool)
      this.#rest()
    }
  }

  #refused(error: WireError, link: Link): void {
    if (this.#link !== link) return
    const failure = this.#telling.failure(error)
    if (error.code === 'auth') this.#happened({ type: 'login-needed', failure, login: failure.hint })
    // The server forgot us: the agreement is void, and it is not at fault.
    if (error.code === 'session') this.#happened({ type: 'stopped', reason: 'stopped' })
    if (link.kind !== 'stdio' && isRefusal(error)) this.#happened({ type: 'refused', failure })
    if (this.status.state === 'ready' || this.#link !== link) return
    this.#link = undefined
    this.#leaving.dropped(link, error)
    this.#plan()
  }

  /** The open link, after opening it if need be. Whoever asks meanwhile waits for the same one. */
  async #opened(urgency: Urgency, signal?: AbortSignal): Promise<Link> {
    const { clock, server, restart } = this.#options
    if (signal?.aborted)
      throw new WireError('cancelled', 'Cancelled before it was sent.', { cause: signal.reason })
    for (;;) {
      if (this.#link) return this.#link
      if (this.#opening && !this.#opening.givenUp) break
      const ms = waitBeforeOpening(this.#life, { ...momentOf(clock), server: server.name, urgency, restart })
      // What must be over before: a try that was given up, and a program that has yet to end.
      const before = this.#opening?.link.catch(() => undefined) ?? this.#leaving.programs()
      if (ms > 0) await until(this.#nextTry.wait(ms, this.#ending.signal, clock), signal)
      else if (before) await until(before, signal)
      else break
    }
    return until((this.#opening ?? this.#begun(urgency)).link, signal)
  }

  #begun(urgency: Urgency): Opening {
    this.#retry?.[Symbol.dispose]()
    const opening: Opening = {
      // Whoever hears of it may end it at once: it is known before it is told, and told before it begins.
      link: Promise.resolve().then(() => this.#attempt(opening, urgency)),
      over: new AbortController(),
      givenUp: undefined,
    }
    opening.link.catch(() => undefined)
    this.#opening = opening
    this.#happened({ type: 'connect', reason: urgency === 'called' ? 'asked-for' : 'retry' })
    return opening
  }

  async #attempt(opening: Opening, urgency: Urgency): Promise<Link> {
    const { clock, timeouts, open, prepare, server, on } = this.#options
    const { signal } = opening.over
    let timer: Disposable | undefined
    try {
      // A person may take their time; the server may not.
      await prepare?.(signal)
      timer = clock.timer(timeouts.startupMs, () => opening.over.abort())
      const step: LinkEvents['step'] = (each) =>
        void (signal.aborted || this.#happened({ type: 'step', step: each }))
      const closed: LinkEvents['closed'] = (error) => this.#gone(error)
      const loggedIn = (as: 'same' | 'other') =>
        void (beginsAnew(this.status, as) && this.restart().catch(() => undefined))
      signal.throwIfAborted()
      const events = { ...on, step, closed, loggedIn }
      const [isTrial, hurry] = [isOnTrial(this.#life), this.#leaving.hurried]
      const link = await open(signal, { urgency, hurry, isTrial, on: events })
      if (opening.givenUp) {
        this.#leaving.add(link, closing)
        throw opening.givenUp
      }
      this.#link = link
      this.#happened({ type: 'greeted', greeting: link.greeting })
      // It may have died of its own greeting.
      if (link.ended) this.#gone(link.ended)
      this.#rest()
      return link
    } catch (error) {
      if (opening.givenUp) throw unsent(opening.givenUp)
      const cause = signal.aborted ? overdue(timeouts.startupMs, error) : error
      this.#failed(cause)
      if (cause instanceof HostError || (cause instanceof WireError && wantsLogin(cause))) throw cause
      throw failedBefore(server.name, this.#telling.failure(cause))
    } finally {
      timer?.[Symbol.dispose]()
      this.#opening = undefined
    }
  }

  #failed(error: unknown): void {
    const [failure, isLast] = [this.#telling.failure(error), isFinal(error, this.#options)]
    if (error instanceof WireError && wantsLogin(error)) {
      return this.#happened({ type: 'login-needed', failure, login: failure.hint })
    }
    this.#happened({ type: 'failed', failure, isFinal: isLast, jitter: this.#jitter() })
    this.#plan()
  }

  /** The link broke by itself. */
  #gone(error: WireError): void {
    const link = this.#link
    if (!link) return
    this.#link = undefined
    this.#leaving.add(link, error)
    this.#happened({
      type: 'crashed',
      failure: this.#telling.failure(error),
      isFinal: this.#options.restart === 'never',
      jitter: this.#jitter(),
      tool: this.#calling.only(),
    })
    this.#plan()
  }

  /** Those that are kept open try again by themselves. */
  #plan(): void {
    const { clock, isKeptOpen } = this.#options
    if (!isKeptOpen || this.status.state !== 'waiting') return
    const ms = waitOf(this.#life, momentOf(clock))
    // In steps, so that a sleep of the machine is noticed soon.
    const onDue = () => (ms > stepMs ? this.#plan() : this.keepOpen())
    this.#retry?.[Symbol.dispose]()
    this.#retry = clock.timer(Math.min(ms, stepMs), onDue, { background: true })
  }

  async #letGo(reason: WireError, which: 'current' | 'all' = 'all'): Promise<void> {
    this.#retry?.[Symbol.dispose]()
    this.#nextTry.wake()
    this.#idle?.[Symbol.dispose]()
    const opening = this.#opening
    if (opening) opening.givenUp ??= reason
    opening?.over.abort(reason)
    if (this.#link) this.#leaving.add(this.#link, reason)
    this.#link = undefined
    if (which === 'all') this.#leaving.endUsed(reason)
    await opening?.link.catch(() => undefined)
    await this.#leaving.unused()
  }

  /** A lazy server nobody needs may go back to rest. */
  #rest(): void {
    const { clock, isHeld, timeouts } = this.#options
    if (timeouts.idleMs === undefined) return
    this.#idle?.[Symbol.dispose]()
    if (!this.#calling.isEmpty || !this.#link) return
    const onIdle = () => void (isHeld?.() ? this.#rest() : this.stop('idle'))
    this.#idle = clock.timer(timeouts.idleMs, onIdle, { background: true })
  }

  #happened(event: Happening): void {
    const { clock, on } = this.#options
    const next = nextLife(this.#life, { ...event, ...momentOf(clock) })
    if (next === this.#life) return
    const isNews = next.status !== this.#life.status
    this.#life = next
    if (isNews) on.changed(next.status)
  }
}

const answered = { type: 'answered' } as const
const cancelled = (message: string) => new WireError('cancelled', message, { sent: true })
const closing = cancelled('The host was closed.')
