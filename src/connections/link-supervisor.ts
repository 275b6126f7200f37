import { HostError } from '../model/error.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import { unsent, WireError } from '../wire/wire-error.ts'
import { ClosingLinks } from './closing-links.ts'
import { failedBefore, isRefusal, overdue, until } from './connection-errors.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { ErrorReporter } from './error-reporter.ts'
import { isFinal, wantsLogin } from './failure.ts'
import { beginLife, beginsAnew, isOnTrial, momentOf, nextLife, waitBeforeOpening, waitOf } from './life.ts'
import type { Happening, Life } from './life.ts'
import type { Link, LinkEvents } from './link.ts'
import { NextTry } from './send-with-retries.ts'
import type { LinkHolder } from './send-with-retries.ts'
import type { Urgency } from './slots.ts'

const stepMs = 10_000

/** The requests under way, as far as the link of a server depends on them. */
export interface LinkUse {
  readonly isEmpty: boolean
  /** The tool, if all calls are of the same one: only then it is known whose fault a crash is. */
  only(): string | undefined
}

/** A try to open it. */
interface Opening {
  readonly link: Promise<Link>
  /** Aborts when it was given up, and when its time ran out. */
  readonly over: AbortController
  /** Why nobody wants it any more. */
  givenUp: WireError | undefined
}

/**
 * Keeps at most one link to a server: opens it when it is needed, plans the next try after a failure, lets it go when it
 * is idle. Whatever happens to it becomes an event of its life.
 */
export class LinkSupervisor implements LinkHolder {
  readonly clock: Clock
  readonly #options: ConnectionOptions
  readonly #calls: LinkUse
  readonly #reporter: ErrorReporter
  #life: Life
  #link: Link | undefined
  #opening: Opening | undefined
  readonly #closing = new ClosingLinks()
  readonly #ending = new AbortController()
  readonly #nextTry = new NextTry()
  #retry: Disposable | undefined
  #idle: Disposable | undefined
  #closed: Promise<void> | undefined

  constructor(options: ConnectionOptions, calls: LinkUse, reporter: ErrorReporter) {
    this.clock = options.clock
    this.#options = options
    this.#calls = calls
    this.#reporter = reporter
    this.#life = beginLife(options.initial)
  }

  get life(): Life {
    return this.#life
  }

  get status(): Status {
    return this.#life.status
  }

  get current(): Link | undefined {
    return this.#link
  }

  get ending(): AbortSignal {
    return this.#ending.signal
  }

  jitter(): number {
    return (this.#options.random() - 0.5) * 0.4
  }

  link(signal: AbortSignal | undefined): Link | Promise<Link> {
    return this.#link ?? this.open('called', signal)
  }

  answered(link: Link): void {
    if (this.#life.refusals > 0 && link === this.#link) this.#happened({ type: 'answered' })
  }

  refused(error: WireError, link: Link): void {
    if (this.#link !== link) return
    const failure = this.#reporter.failure(error)
    if (error.code === 'auth') this.#happened({ type: 'login-needed', failure, login: failure.hint })
    // The server forgot us: the agreement is void, and it is not at fault.
    if (error.code === 'session') this.#happened({ type: 'stopped', reason: 'stopped' })
    if (link.kind !== 'stdio' && isRefusal(error)) this.#happened({ type: 'refused', failure })
    if (this.status.state === 'ready' || this.#link !== link) return
    this.#link = undefined
    this.#closing.dropped(link, error)
    this.#plan()
  }

  /** The open link, after opening it if need be. Whoever asks meanwhile waits for the same one. */
  async open(urgency: Urgency, signal?: AbortSignal): Promise<Link> {
    const { clock, server, restart } = this.#options
    if (signal?.aborted)
      throw new WireError('cancelled', 'Cancelled before it was sent.', { cause: signal.reason })
    for (;;) {
      if (this.#link) return this.#link
      if (this.#opening && !this.#opening.givenUp) break
      const ms = waitBeforeOpening(this.#life, { ...momentOf(clock), server: server.name, urgency, restart })
      // What must be over before: a try that was given up, and a program that has yet to end.
      const before = this.#opening?.link.catch(() => undefined) ?? this.#closing.programs()
      if (ms > 0) await until(this.#nextTry.wait(ms, this.#ending.signal, clock), signal)
      else if (before) await until(before, signal)
      else break
    }
    return until((this.#opening ?? this.#begun(urgency)).link, signal)
  }

  /** Forgets what went wrong; the next request opens it again. */
  async restart(): Promise<void> {
    const gone = this.#letGo(cancelled('The server was restarted.'), 'current')
    this.#happened({ type: 'restarted' })
    await gone
  }

  async stop(reason: 'stopped' | 'idle'): Promise<void> {
    const gone = this.#letGo(cancelled('The server was stopped.'))
    this.#happened({ type: 'stopped', reason })
    await gone
  }

  close(): Promise<void> {
    if (this.#closed) {
      this.#closing.hurry(closing)
      return this.#closed
    }
    this.#happened({ type: 'closed' })
    this.#ending.abort()
    return (this.#closed = this.#letGo(closing))
  }

  keepOpen(): void {
    void this.open('background').catch(() => undefined)
  }

  /** A lazy server nobody needs may go back to rest. */
  rest(): void {
    const { clock, isHeld, timeouts } = this.#options
    if (timeouts.idleMs === undefined) return
    this.#idle?.[Symbol.dispose]()
    if (!this.#calls.isEmpty || !this.#link) return
    const onIdle = () => void (isHeld?.() ? this.rest() : this.stop('idle'))
    this.#idle = clock.timer(timeouts.idleMs, onIdle, { background: true })
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
        void (beginsAnew(this.status, as) && this.#reopen().catch(() => undefined))
      signal.throwIfAborted()
      const events = { ...on, step, closed, loggedIn }
      const [isTrial, hurry] = [isOnTrial(this.#life), this.#closing.hurried]
      const link = await open(signal, { urgency, hurry, isTrial, on: events })
      if (opening.givenUp) {
        this.#closing.add(link, closing)
        throw opening.givenUp
      }
      this.#link = link
      this.#happened({ type: 'greeted', greeting: link.greeting })
      // It may have died of its own greeting.
      if (link.ended) this.#gone(link.ended)
      this.rest()
      return link
    } catch (error) {
      if (opening.givenUp) throw unsent(opening.givenUp)
      const cause = signal.aborted ? overdue(timeouts.startupMs, error) : error
      this.#failed(cause)
      if (cause instanceof HostError || (cause instanceof WireError && wantsLogin(cause))) throw cause
      throw failedBefore(server.name, this.#reporter.failure(cause))
    } finally {
      timer?.[Symbol.dispose]()
      this.#opening = undefined
    }
  }

  async #reopen(): Promise<void> {
    await this.restart()
    await this.open('called')
  }

  #failed(error: unknown): void {
    const [failure, isLast] = [this.#reporter.failure(error), isFinal(error, this.#options)]
    if (error instanceof WireError && wantsLogin(error)) {
      return this.#happened({ type: 'login-needed', failure, login: failure.hint })
    }
    this.#happened({ type: 'failed', failure, isFinal: isLast, jitter: this.jitter() })
    this.#plan()
  }

  /** The link broke by itself. */
  #gone(error: WireError): void {
    const link = this.#link
    if (!link) return
    this.#link = undefined
    this.#closing.add(link, error)
    this.#happened({
      type: 'crashed',
      failure: this.#reporter.failure(error),
      isFinal: this.#options.restart === 'never',
      jitter: this.jitter(),
      tool: this.#calls.only(),
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
    if (this.#link) this.#closing.add(this.#link, reason)
    this.#link = undefined
    if (which === 'all') this.#closing.endUsed(reason)
    await opening?.link.catch(() => undefined)
    await this.#closing.unused()
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

const cancelled = (message: string) => new WireError('cancelled', message, { sent: true })
const closing = cancelled('The host was closed.')
