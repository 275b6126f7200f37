import { onAbort } from '../model/abort.ts'
import type { Progress } from '../model/event.ts'
import type { Clock } from '../platform/platform.ts'
import { withDeadline } from '../wire/pending.ts'
import type { OnBehalf, RequestOptions as WireOptions, TaskState, TaskWatch } from '../wire/pending.ts'
import { asSent, RpcError, WireError } from '../wire/wire-error.ts'
import type { ConnectionTimeouts } from './connection-options.ts'
import { needsLogin } from './failure.ts'
import type { Link } from './link.ts'
import { isReadOnly, remedyFor } from './retry.ts'

export type { OnBehalf, TaskState, TaskWatch }

/** Options of a request that is sent to a server as it is (`host.request`, `host.list`). */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait without an answer or progress, once it is sent; 0 waits without limit. */
  readonly timeoutMs?: number | undefined
  /** How long to wait in all: until the server is ready, in line and for the answer, however often progress comes. */
  readonly maxTimeoutMs?: number | undefined
  /** Asks the server for progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Sent whatever else is in flight, and not counted: for subscriptions. */
  readonly isUnlimited?: boolean | undefined
  /** Calls a tool that runs only as a task: begins one and follows it, where the server can (2025-11-25). */
  readonly asTask?: boolean | undefined
  /** The request may be sent again after a lost connection: running it twice is the same as running it once. */
  readonly isRepeatable?: boolean | undefined
  /** Requests beyond the limit of concurrent ones take turns by lane: a view or a conversation. */
  readonly lane?: unknown
  /** The request of another client, which is passed on: a modern server is told what that client can do. */
  readonly onBehalf?: OnBehalf | undefined
}

/** The caller's options, completed by the limits of the entry. */
export type TimedOptions = RequestOptions & Pick<WireOptions, 'now' | 'deadline' | 'queueTime' | 'watchTask'>

/** `deadline`: when `maxTimeoutMs` ends, if it began before this request. */
export type LimitedOptions = RequestOptions & Pick<WireOptions, 'deadline' | 'watchTask'>

/**
 * Starts the time limits of a call. The fields are spelled out because spreading the caller's options costs more than
 * the rest of a call.
 */
export function withTimeouts(
  options: LimitedOptions,
  { callMs, maxCallMs }: ConnectionTimeouts,
  now: number,
): TimedOptions {
  const {
    signal,
    timeoutMs = callMs,
    onProgress,
    isUnlimited,
    isRepeatable,
    asTask,
    lane,
    onBehalf,
    watchTask,
  } = options
  // timeoutMs 0 means no limit at all; otherwise a server that only sends progress still comes to an end.
  const longest = timeoutMs > 0 ? Math.max(maxCallMs, timeoutMs) : 0
  const { maxTimeoutMs = longest } = options
  const { deadline = maxTimeoutMs > 0 ? now + maxTimeoutMs : undefined } = options
  // A limit of the caller is absolute; the default one does not include the time in the queue.
  const queueTime = options.maxTimeoutMs === undefined ? { ms: 0 } : undefined
  return {
    signal,
    timeoutMs,
    maxTimeoutMs,
    now,
    deadline,
    queueTime,
    lane,
    onProgress,
    isUnlimited,
    isRepeatable,
    asTask,
    onBehalf,
    watchTask,
  }
}

/** Provides the link, and is told how requests on it end. */
export interface LinkHolder {
  readonly clock: Clock
  /** Aborts when the connection ends for good. */
  readonly ending: AbortSignal
  jitter(): number
  /** The open link, synchronously if there is one. */
  link(signal: AbortSignal | undefined): Link | Promise<Link>
  answered(link: Link): void
  refused(error: WireError, link: Link): void
}

/** An attempt that failed. */
export interface FailedAttempt {
  readonly link: Link
  readonly error: unknown
}

/**
 * Sends a request, and retries where that helps and is safe (D-5). All attempts share one time limit. With `failed`, the
 * first attempt has been made and has failed.
 */
export async function sendWithRetries<T>(
  holder: LinkHolder,
  { method, options }: { readonly method: string; readonly options: TimedOptions },
  send: (link: Link, options: TimedOptions) => Promise<T>,
  failed?: FailedAttempt,
): Promise<T> {
  const isRepeatable = options.isRepeatable ?? isReadOnly(method)
  // What is sent from here on is sent later.
  let timed: TimedOptions = { ...options, now: undefined }
  let earlierError: WireError | undefined
  for (let tries = 0, attempt = failed; ; tries++, attempt = undefined) {
    if (!attempt) {
      const found = holder.link(options.signal)
      const link =
        found instanceof Promise
          ? await inTime(found, timed, holder.clock).catch((error) => throwFinal(error, earlierError))
          : found
      // Starting the server has its own time limit, unless the caller set one for everything.
      if (tries === 0 && found !== link && !isCallersDeadline(timed))
        timed = withNewDeadline(timed, holder.clock)
      const use = useOf(link, options)
      use?.begin()
      try {
        const result = await send(link, timed)
        use?.end()
        holder.answered(link)
        return result
      } catch (error) {
        use?.end()
        attempt = { link, error }
      }
    }
    const { link, error } = attempt
    // An error answer is an answer.
    if (error instanceof RpcError) holder.answered(link)
    if (!(error instanceof WireError)) throw error
    holder.refused(error, link)
    const { timeoutMs } = options
    const remedy = remedyFor(error, { isRepeatable, tries, jitter: holder.jitter(), timeoutMs })
    if (remedy.kind === 'none' || holder.ending.aborted) return throwFinal(error, earlierError)
    if (error.sent && !isReadOnly(method)) earlierError ??= error
    if (remedy.kind === 'reconnect') continue
    if (remedy.ms >= remainingMs(timed, holder.clock)) return throwFinal(error, earlierError)
    const paused = pause(remedy.ms, [options.signal, holder.ending], holder.clock)
    await paused.catch((cause) => throwFinal(cause, earlierError))
  }
}

/** A subscription lasts as long as its link, so it does not count as a use. */
export function useOf({ uses }: Link, { isUnlimited }: RequestOptions): Link['uses'] | undefined {
  return isUnlimited ? undefined : uses
}

/**
 * Throws the final error. If an earlier attempt may have run, the result counts as sent, even if the last attempt did
 * not leave (D-5).
 */
function throwFinal(error: unknown, earlierError: WireError | undefined): never {
  if (!earlierError) throw error
  if (!(error instanceof WireError) || error.code === 'busy' || needsLogin(error)) throw earlierError
  if (error.code !== 'cancelled' || error.sent) throw asSent(error)
  throw new WireError('cancelled', 'Cancelled before it was sent again.', { sent: true, cause: error })
}

function isCallersDeadline({ deadline, queueTime }: TimedOptions): boolean {
  return deadline !== undefined && queueTime === undefined
}

/** Waits for the link until the caller's deadline. The server goes on starting, for later requests. */
async function inTime(link: Promise<Link>, options: TimedOptions, clock: Clock): Promise<Link> {
  const { deadline, maxTimeoutMs } = options
  if (deadline === undefined || !isCallersDeadline(options)) return link
  let timer: Disposable | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const onDue = () => reject(new WireError('timeout', `It was not ready within ${maxTimeoutMs} ms.`))
    timer = clock.timer(Math.max(0, deadline - clock.monotonic()), onDue)
  })
  return Promise.race([link, late]).finally(() => timer?.[Symbol.dispose]())
}

function withNewDeadline(options: TimedOptions, clock: Clock): TimedOptions {
  return withDeadline({ ...options, deadline: undefined }, clock)
}

function remainingMs({ deadline = Infinity, queueTime }: TimedOptions, clock: Clock): number {
  return deadline + (queueTime?.ms ?? 0) - clock.monotonic()
}

/** Sleeps unless one of the signals aborts. The signals may live long, so no listener stays on them. */
export async function pause(
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
  clock: Clock,
): Promise<void> {
  const over = new AbortController()
  const listeners = signals.map((signal) => onAbort(signal, () => over.abort()))
  try {
    await clock.sleep(ms, over.signal)
  } catch (cause) {
    throw new WireError('cancelled', 'Cancelled before it was sent.', { cause })
  } finally {
    for (const listener of listeners) listener[Symbol.dispose]()
  }
}

/** The pause before the next attempt. All callers share one sleep and one abort listener. */
export class RetryPause {
  #running: Promise<void> | undefined
  #over: AbortController | undefined

  wait(ms: number, ending: AbortSignal, clock: Clock): Promise<void> {
    if (this.#running) return this.#running
    const { signal } = (this.#over = new AbortController())
    this.#running = pause(ms, [ending, signal], clock)
      .catch((error: unknown) => {
        if (ending.aborted) throw error
      })
      .finally(() => (this.#running = undefined))
    return this.#running
  }

  /** Ends the pause. */
  wake(): void {
    this.#over?.abort()
  }
}
