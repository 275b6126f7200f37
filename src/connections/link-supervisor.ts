import { HostError } from '../model/error.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import { unsent, WireError } from '../wire/wire-error.ts'
import { ClosingLinks } from './closing-links.ts'
import { connectionFailed, isServerFault, startupTimeout, unlessCancelled } from './connection-errors.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { ErrorReporter } from './error-reporter.ts'
import { isFinal, needsLogin } from './failure.ts'
import {
  beginLife,
  mustReopenAfterLogin,
  isOnTrial,
  momentOf,
  nextLife,
  waitBeforeOpening,
  remainingWaitMs,
} from './life.ts'
import type { UntimedLifeEvent, Life } from './life.ts'
import type { Link, LinkEvents } from './link.ts'
import { RetryPause } from './send-with-retries.ts'
import type { LinkHolder } from './send-with-retries.ts'
import type { Urgency } from './slots.ts'

const stepMs = 10_000

/** The requests in flight, as far as the link depends on them. */
export interface LinkUsage {
  readonly isEmpty: boolean
  /** The tool, if all calls are of the same one: only then a crash can be attributed to it. */
  onlyTool(): string | undefined
}

/** An attempt to open a link. */
interface OpenAttempt {
  readonly link: Promise<Link>
  /** Raised when a call comes to wait for it. */
  urgency: Urgency
  /** On the monotonic clock. */
  readonly since: number
  /** Aborts when the attempt was cancelled, and when its time is up. */
  readonly over: AbortController
  /** Why the attempt was cancelled. */
  cancelReason: WireError | undefined
}

/**
 * Keeps at most one link to a server: opens it when it is needed, schedules retries after a failure, closes it when
 * idle. Everything that happens to it becomes an event of its `Life`.
 */
export class LinkSupervisor implements LinkHolder {
  readonly clock: Clock
  readonly #options: ConnectionOptions
  readonly #calls: LinkUsage
  readonly #reporter: ErrorReporter
  #life: Life
  #link: Link | undefined
  #attempt: OpenAttempt | undefined
  readonly #closing = new ClosingLinks()
  readonly #ending = new AbortController()
  readonly #retryPause = new RetryPause()
  #retry: Disposable | undefined
  #idle: Disposable | undefined
  /** When the last request ended, on the monotonic clock. */
  #idleSince = 0
  #closed: Promise<void> | undefined

  constructor(options: ConnectionOptions, calls: LinkUsage, reporter: ErrorReporter) {
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

  get openingSince(): number | undefined {
    return this.#attempt?.since
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
    if (this.#life.refusals > 0 && link === this.#link) this.#apply({ type: 'answered' })
  }

  refused(error: WireError, link: Link): void {
    if (this.#link !== link) return
    const failure = this.#reporter.failure(error)
    if (error.code === 'auth') this.#apply({ type: 'login-needed', failure, login: failure.hint })
    // The server has lost the session. The link is void, but the server is not at fault.
    if (error.code === 'session') this.#apply({ type: 'stopped', reason: 'stopped' })
    if (link.kind !== 'stdio' && isServerFault(error)) this.#apply({ type: 'refused', failure })
    if (this.status.state === 'ready' || this.#link !== link) return
    this.#link = undefined
    this.#closing.retire(link, error)
    this.#scheduleRetry()
  }

  /** Returns the open link, opening it if necessary. Concurrent callers share one attempt. */
  async open(urgency: Urgency, signal?: AbortSignal): Promise<Link> {
    const { clock, server, restart } = this.#options
    if (signal?.aborted)
      throw new WireError('cancelled', 'Cancelled before it was sent.', { cause: signal.reason })
    for (;;) {
      if (this.#link) return this.#link
      if (this.#attempt && !this.#attempt.cancelReason) break
      const ms = waitBeforeOpening(this.#life, { ...momentOf(clock), server: server.name, urgency, restart })
      // A cancelled attempt and a program that is still ending have to finish first.
      const before = this.#attempt?.link.catch(() => undefined) ?? this.#closing.programsClosed()
      if (ms > 0) await unlessCancelled(this.#retryPause.wait(ms, this.#ending.signal, clock), signal)
      else if (before) await unlessCancelled(before, signal)
      else break
    }
    const attempt = this.#attempt ?? this.#startAttempt(urgency)
    if (urgency === 'called') attempt.urgency = urgency
    return unlessCancelled(attempt.link, signal)
  }

  /** A call waits for the attempt that is under way. */
  raise(): void {
    if (this.#attempt) this.#attempt.urgency = 'called'
  }

  /** Clears earlier failures; the next request opens the connection again. */
  async restart(): Promise<void> {
    const gone = this.#release(cancelled('The server was restarted.'), 'current')
    this.#apply({ type: 'restarted' })
    await gone
  }

  async stop(reason: 'stopped' | 'idle'): Promise<void> {
    const gone = this.#release(cancelled('The server was stopped.'))
    this.#apply({ type: 'stopped', reason })
    await gone
  }

  close(): Promise<void> {
    if (this.#closed) {
      this.#closing.hurry(closing)
      return this.#closed
    }
    this.#apply({ type: 'closed' })
    this.#ending.abort()
    return (this.#closed = this.#release(closing))
  }

  keepOpen(): void {
    void this.open('background').catch(() => undefined)
  }

  /** The idle time begins again, if no request is in flight. One timer lasts for many requests: it looks at what is left when it is due. */
  restartIdleTimer(): void {
    const { clock, timeouts } = this.#options
    if (timeouts.idleMs === undefined || !this.#calls.isEmpty || !this.#link) return
    this.#idleSince = clock.monotonic()
    if (!this.#idle) this.#waitIdle(timeouts.idleMs)
  }

  #waitIdle(ms: number): void {
    const onDue = () => {
      this.#idle = undefined
      this.#idleDue()
    }
    this.#idle = this.#options.clock.timer(ms, onDue, { background: true })
  }

  #idleDue(): void {
    const { clock, isHeld, timeouts } = this.#options
    // The end of the last request starts the timer again.
    if (!this.#calls.isEmpty || !this.#link) return
    const leftMs = this.#idleSince + (timeouts.idleMs ?? 0) - clock.monotonic()
    // Timers may fire a fraction of a millisecond early.
    if (leftMs > 1) this.#waitIdle(leftMs)
    else if (isHeld?.()) this.restartIdleTimer()
    else void this.stop('idle')
  }

  #startAttempt(urgency: Urgency): OpenAttempt {
    this.#retry?.[Symbol.dispose]()
    const attempt: OpenAttempt = {
      // Deferred: a listener may cancel the attempt at once, so it is stored and announced before it starts.
      link: Promise.resolve().then(() => this.#runAttempt(attempt)),
      urgency,
      since: this.clock.monotonic(),
      over: new AbortController(),
      cancelReason: undefined,
    }
    attempt.link.catch(() => undefined)
    this.#attempt = attempt
    this.#apply({ type: 'connect', reason: urgency === 'background' ? 'retry' : 'asked-for' })
    return attempt
  }

  async #runAttempt(attempt: OpenAttempt): Promise<Link> {
    const { clock, timeouts, open, prepare, server, on } = this.#options
    const { signal } = attempt.over
    let timer: Disposable | undefined
    try {
      // The startup timeout starts after this: a person may take longer.
      await prepare?.(signal)
      timer = clock.timer(timeouts.startupMs, () => attempt.over.abort())
      const step: LinkEvents['step'] = (each) =>
        void (signal.aborted || this.#apply({ type: 'step', step: each }))
      const closed: LinkEvents['closed'] = (error) => this.#onLinkLost(error)
      const loggedIn = (as: 'same' | 'other') =>
        void (mustReopenAfterLogin(this.status, as) && this.#reopen().catch(() => undefined))
      signal.throwIfAborted()
      const events = { ...on, step, closed, loggedIn }
      const [isTrial, hurry] = [isOnTrial(this.#life), this.#closing.hurrySignal]
      const urgency = () => attempt.urgency
      const link = await open(signal, { urgency, hurry, isTrial, on: events })
      if (attempt.cancelReason) {
        this.#closing.add(link, closing)
        throw attempt.cancelReason
      }
      this.#link = link
      this.#apply({ type: 'greeted', greeting: link.greeting })
      // The server may have crashed during the greeting.
      if (link.ended) this.#onLinkLost(link.ended)
      this.restartIdleTimer()
      return link
    } catch (error) {
      if (attempt.cancelReason) throw unsent(attempt.cancelReason)
      const cause = signal.aborted ? startupTimeout(timeouts.startupMs, error) : error
      this.#onOpenFailed(cause)
      if (cause instanceof HostError || (cause instanceof WireError && needsLogin(cause))) throw cause
      throw connectionFailed(server.name, this.#reporter.failure(cause))
    } finally {
      timer?.[Symbol.dispose]()
      this.#attempt = undefined
    }
  }

  async #reopen(): Promise<void> {
    await this.restart()
    await this.open('called')
  }

  #onOpenFailed(error: unknown): void {
    const [failure, isLast] = [this.#reporter.failure(error), isFinal(error, this.#options)]
    if (error instanceof WireError && needsLogin(error)) {
      return this.#apply({ type: 'login-needed', failure, login: failure.hint })
    }
    if (error instanceof HostError && error.code === 'trust.refused')
      return this.#apply({ type: 'trust-refused' })
    this.#apply({ type: 'failed', failure, isFinal: isLast, jitter: this.jitter() })
    this.#scheduleRetry()
  }

  /** The link broke on its own. */
  #onLinkLost(error: WireError): void {
    const link = this.#link
    if (!link) return
    this.#link = undefined
    this.#closing.add(link, error)
    this.#apply({
      type: 'crashed',
      failure: this.#reporter.failure(error),
      isFinal: this.#options.restart === 'never',
      jitter: this.jitter(),
      tool: this.#calls.onlyTool(),
    })
    this.#scheduleRetry()
  }

  /** Schedules a reconnect for connections that are kept open. */
  #scheduleRetry(): void {
    const { clock, isKeptOpen } = this.#options
    if (!isKeptOpen || this.status.state !== 'waiting') return
    const ms = remainingWaitMs(this.#life, momentOf(clock))
    // In steps, so that a sleep of the machine is noticed soon.
    const onDue = () => (ms > stepMs ? this.#scheduleRetry() : this.keepOpen())
    this.#retry?.[Symbol.dispose]()
    this.#retry = clock.timer(Math.min(ms, stepMs), onDue, { background: true })
  }

  async #release(reason: WireError, which: 'current' | 'all' = 'all'): Promise<void> {
    this.#retry?.[Symbol.dispose]()
    this.#retryPause.wake()
    this.#idle?.[Symbol.dispose]()
    this.#idle = undefined
    const attempt = this.#attempt
    if (attempt) attempt.cancelReason ??= reason
    attempt?.over.abort(reason)
    if (this.#link) this.#closing.add(this.#link, reason)
    this.#link = undefined
    if (which === 'all') this.#closing.closeRetiring(reason)
    await attempt?.link.catch(() => undefined)
    await this.#closing.unusedClosed()
  }

  #apply(event: UntimedLifeEvent): void {
    const { clock, on } = this.#options
    const next = nextLife(this.#life, { ...event, ...momentOf(clock) })
    if (next === this.#life) return
    const isStatusChange = next.status !== this.#life.status
    this.#life = next
    if (isStatusChange) on.changed(next.status)
  }
}

const cancelled = (message: string) => new WireError('cancelled', message, { sent: true })
const closing = cancelled('The host was closed.')
