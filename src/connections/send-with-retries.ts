import { onAbort } from '../model/abort.ts'
import type { Progress } from '../model/event.ts'
import type { Clock } from '../platform/platform.ts'
import { withDeadline } from '../wire/pending.ts'
import type { RequestOptions as WireOptions } from '../wire/pending.ts'
import { asSent, RpcError, WireError } from '../wire/wire-error.ts'
import type { ConnectionTimeouts } from './connection-options.ts'
import { wantsLogin } from './failure.ts'
import type { Link } from './link.ts'
import { isLooking, remedyFor } from './retry.ts'

/** Options of a request that is sent to a server as it is (`host.request`, `host.list`). */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait without an answer or progress; 0 waits without limit. */
  readonly timeoutMs?: number | undefined
  /** How long to wait in all, however often progress comes. */
  readonly maxTimeoutMs?: number | undefined
  /** Asks the server for progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Sent whatever else is in flight, and not counted: for subscriptions. */
  readonly isUnlimited?: boolean | undefined
  /** Calls a tool that runs only as a task: begins one and follows it, where the server can (2025-11-25). */
  readonly asTask?: boolean | undefined
  /** The request may be sent again after a lost connection: running it twice is the same as running it once. */
  readonly isRepeatable?: boolean | undefined
}

/** What the caller says, with what it does not say as the entry has it. */
export type TimedOptions = RequestOptions & Pick<WireOptions, 'deadline'>

/** The time of a call begins now. Spelled out, because a spread of what a caller gave costs more than the rest of a call. */
export function timed(
  options: RequestOptions,
  { callMs, maxCallMs }: ConnectionTimeouts,
  clock: Clock,
): TimedOptions {
  const { signal, timeoutMs = callMs, onProgress, isUnlimited, isRepeatable, asTask } = options
  // Who wants to wait for ever may; else a server that only ever reports progress comes to an end.
  const longest = timeoutMs > 0 ? Math.max(maxCallMs, timeoutMs) : 0
  const { maxTimeoutMs = longest } = options
  const deadline = maxTimeoutMs > 0 ? clock.monotonic() + maxTimeoutMs : undefined
  return { signal, timeoutMs, maxTimeoutMs, deadline, onProgress, isUnlimited, isRepeatable, asTask }
}

/** Who holds the link, and wants to know how it does. */
export interface LinkHolder {
  readonly clock: Clock
  /** Aborts when the connection ends for good. */
  readonly ending: AbortSignal
  jitter(): number
  /** The open link, at once where there is one. */
  link(signal: AbortSignal | undefined): Link | Promise<Link>
  answered(link: Link): void
  refused(error: WireError, link: Link): void
}

/** Asks, and asks again where that mends it and does no harm (D-5). All tries together have the time of one. */
export async function sendWithRetries<T>(
  holder: LinkHolder,
  { method, options }: { readonly method: string; readonly options: TimedOptions },
  ask: (link: Link, options: TimedOptions) => Promise<T>,
): Promise<T> {
  const isRepeatable = options.isRepeatable ?? isLooking(method)
  let within = options
  let lost: WireError | undefined
  for (let tries = 0; ; tries++) {
    const found = holder.link(options.signal)
    const link = found instanceof Promise ? await found.catch((error) => giveUp(error, lost)) : found
    // A server that has yet to be started has a time of its own for that.
    if (tries === 0 && found !== link) within = fromNow(options, holder.clock)
    // A subscription lasts as long as its link; everything else comes to an end by itself.
    const use = options.isUnlimited ? undefined : link.inUse
    use?.begin()
    try {
      const result = await ask(link, within)
      use?.end()
      holder.answered(link)
      return result
    } catch (error) {
      use?.end()
      // An error it answered with is an answer.
      if (error instanceof RpcError) holder.answered(link)
      if (!(error instanceof WireError)) throw error
      holder.refused(error, link)
      const { timeoutMs } = options
      const remedy = remedyFor(error, { isRepeatable, tries, jitter: holder.jitter(), timeoutMs })
      if (remedy.kind === 'none' || holder.ending.aborted) return giveUp(error, lost)
      if (error.sent && !isLooking(method)) lost ??= error
      if (remedy.kind === 'reconnect') continue
      if (remedy.ms >= leftOf(within, holder.clock)) return giveUp(error, lost)
      const paused = pause(remedy.ms, [options.signal, holder.ending], holder.clock)
      await paused.catch((cause) => giveUp(cause, lost))
    }
  }
}

/** An earlier try may have run; that a later one did not leave says nothing about it (D-5). */
function giveUp(error: unknown, lost: WireError | undefined): never {
  if (!lost) throw error
  if (!(error instanceof WireError) || error.code === 'busy' || wantsLogin(error)) throw lost
  if (error.code !== 'cancelled' || error.sent) throw asSent(error)
  throw new WireError('cancelled', 'Cancelled before it was sent again.', { sent: true, cause: error })
}

function fromNow(options: TimedOptions, clock: Clock): TimedOptions {
  return withDeadline({ ...options, deadline: undefined }, clock)
}

function leftOf({ deadline = Infinity }: Pick<WireOptions, 'deadline'>, clock: Clock): number {
  return deadline - clock.monotonic()
}

/** Waits, unless one of these aborts. They may live long, so nothing of it stays with them. */
export async function pause(
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
  clock: Clock,
): Promise<void> {
  const over = new AbortController()
  const listening = signals.map((signal) => onAbort(signal, () => over.abort()))
  try {
    await clock.sleep(ms, over.signal)
  } catch (cause) {
    throw new WireError('cancelled', 'Cancelled before it was sent.', { cause })
  } finally {
    for (const each of listening) each[Symbol.dispose]()
  }
}

/** The moment of the next try. However many wait for it, it is one sleep, and one listener for the end of the host. */
export class NextTry {
  #coming: Promise<void> | undefined
  #over: AbortController | undefined

  wait(ms: number, ending: AbortSignal, clock: Clock): Promise<void> {
    if (this.#coming) return this.#coming
    const { signal } = (this.#over = new AbortController())
    this.#coming = pause(ms, [ending, signal], clock)
      .catch((error: unknown) => {
        if (ending.aborted) throw error
      })
      .finally(() => (this.#coming = undefined))
    return this.#coming
  }

  /** It is now: what was waited for no longer counts. */
  wake(): void {
    this.#over?.abort()
  }
}
