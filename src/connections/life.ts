import { HostError } from '../model/error.ts'
import type { Failure, Reason, Status, Step } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import type { Greeting } from '../wire/eras/greeting.ts'
import { failedBefore, leftAlone, switchedOff, untrusted } from './connection-errors.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { Urgency } from './slots.ts'

/** Everything that is known about the life of one server's connection. Nothing about it is kept elsewhere (D-5). */
export interface Life {
  readonly status: Status
  /** Failures in a row: each makes the next wait longer. */
  readonly failures: number
  /** When it crashed lately. All times but those in the status are of the monotonic clock. */
  readonly crashes: readonly number[]
  /** Requests in a row that failed because of the server. */
  readonly refusals: number
  readonly readyAt?: number
  /** Before this no new try is made. */
  readonly resumeAt?: number
  /** Tools whose calls the server did not survive. */
  readonly suspects: Readonly<Record<string, Suspect>>
}

export interface Suspect {
  readonly crashes: number
  /** Not called again before this. */
  readonly until?: number
}

export interface Moment {
  /** The time of day, for people. */
  readonly now: number
  readonly monotonic: number
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), monotonic: clock.monotonic() }
}

export type LifeEvent = Moment &
  (
    | { readonly type: 'connect'; readonly reason: 'asked-for' | 'retry' }
    | { readonly type: 'step'; readonly step: Step }
    | { readonly type: 'greeted'; readonly greeting: Greeting }
    /** A try that did not come to a greeting, or a connection that is worth no other try. */
    | {
        readonly type: 'failed'
        readonly failure: Failure
        readonly isFinal: boolean
        readonly jitter: number
      }
    /** The connection was up and is gone. */
    | {
        readonly type: 'crashed'
        readonly failure: Failure
        readonly isFinal: boolean
        readonly jitter: number
        /** The only tool that was being called. */
        readonly tool?: string | undefined
      }
    /** A request failed because of the server, not of what was asked. */
    | { readonly type: 'refused'; readonly failure: Failure }
    | { readonly type: 'answered' }
    | { readonly type: 'login-needed'; readonly failure: Failure; readonly login: string }
    | { readonly type: 'stopped'; readonly reason: 'stopped' | 'idle' }
    | { readonly type: 'restarted' }
    | { readonly type: 'closed' }
  )

/** An event without its moment, which is added where it happens. */
export type Happening = LifeEvent extends infer Event
  ? Event extends LifeEvent
    ? Omit<Event, 'now' | 'monotonic'>
    : never
  : never

const backoff = { firstMs: 500, factor: 2, mostMs: 30_000 } as const
const crashLoop = { crashes: 5, withinMs: 180_000 } as const
const healthyMs = 60_000
const breaker = { refusals: 5, firstMs: 30_000, mostMs: 300_000 } as const
/** The time of day being this much ahead of our own clock means that the machine slept. */
const sleepMs = 10_000
const quarantine = { crashes: 3, forMs: 300_000 } as const

export function beginLife(status: Status): Life {
  return { status, failures: 0, crashes: [], refusals: 0, suspects: {} }
}

/** What becomes of a connection by what happened. An event that does not fit changes nothing. */
export function nextLife(life: Life, event: LifeEvent): Life {
  const { state } = life.status
  if (state === 'closed') return life
  if (event.type === 'closed') return { ...beginLife(quiet('closed', 'host-closed', event)) }
  if (state === 'disabled' || state === 'untrusted') return life
  switch (event.type) {
    case 'connect':
      if (state === 'connecting' || state === 'ready') return life
      return { ...life, status: connecting('queued', event.reason, event) }
    case 'step':
      if (state !== 'connecting') return life
      return { ...life, status: connecting(event.step, 'progress', event) }
    case 'greeted':
      return state === 'connecting' ? greeted(life, event) : life
    case 'failed':
      return state === 'connecting' ? failed(life, event) : life
    case 'crashed':
      return state === 'ready' ? crashed(life, event) : life
    case 'refused':
      return state === 'ready' ? refused(life, event) : life
    case 'answered':
      return life.refusals > 0 ? { ...life, refusals: 0 } : life
    case 'login-needed':
      if (state !== 'connecting' && state !== 'ready') return life
      return { ...rested(life, event), status: needsAuth(event) }
    case 'stopped':
      // Only a restart makes up for a failure.
      if (state === 'failed') return life
      return { ...rested(life, event), status: quiet('idle', event.reason, event) }
    case 'restarted':
      return beginLife(quiet('idle', 'restarted', event))
    default:
      return event satisfies never
  }
}

/** Whether a login changes anything for it: it waits for one, or is used as somebody else. */
export function beginsAnew({ state }: Status, as: 'same' | 'other'): boolean {
  return state === 'needs-auth' || (state === 'ready' && as === 'other')
}

/** Whether a tool is kept from running because the server did not survive its last calls. */
export function isQuarantined({ suspects }: Life, tool: string, monotonic: number): boolean {
  const until = Object.hasOwn(suspects, tool) ? suspects[tool]?.until : undefined
  return until !== undefined && monotonic < until
}

/** Left alone after many failures, and not known to be better: one request shows it. */
export function isOnTrial({ refusals }: Life): boolean {
  return refusals >= breaker.refusals - 1
}

/** How long nobody tries. After a sleep of the machine, what was wrong before says nothing any more (FI-56). */
export function waitOf({ status, resumeAt = 0 }: Life, { now, monotonic }: Moment): number {
  if (status.state !== 'waiting') return 0
  const aheadMs = now - status.retryAt - (monotonic - resumeAt)
  return aheadMs > sleepMs ? 0 : Math.max(0, resumeAt - monotonic)
}

/** How long to wait before the server may be opened; throws when it may not be. */
export function waitBeforeOpening(
  life: Life,
  context: Moment &
    Pick<ConnectionOptions, 'restart'> & { readonly server: string; readonly urgency: Urgency },
): number {
  const { status } = life
  const { server, urgency, restart } = context
  switch (status.state) {
    case 'closed':
      throw new HostError('host.closed', { server }, 'The host is closed.')
    case 'disabled':
      throw switchedOff(server)
    case 'untrusted':
      throw untrusted(server)
    case 'failed':
      // Only a restart clears a crash loop, and what was never to be restarted.
      if (status.reason !== 'failed' || restart === 'never') throw failedBefore(server, status.failure)
      return 0
    case 'waiting': {
      const ms = waitOf(life, context)
      // A try that failed, or an open breaker, is an answer for now; a crash in the middle of work is worth the wait.
      if (ms > 0 && status.reason !== 'crashed' && urgency === 'called') throw leftAlone(server, status, ms)
      return ms
    }
    default:
      return 0
  }
}

type Of<Type extends LifeEvent['type']> = LifeEvent & { readonly type: Type }

function greeted(life: Life, event: Of<'greeted'>): Life {
  const { era, version, capabilities } = event.greeting
  const { resumeAt: _done, ...rest } = life
  return {
    ...rest,
    readyAt: event.monotonic,
    status: { state: 'ready', reason: 'greeted', since: event.now, era, version, capabilities },
  }
}

function failed(life: Life, event: Of<'failed'>): Life {
  const { failure, isFinal } = event
  const crashes = failure.code === 'exit' ? recent(life, event) : life.crashes
  if (isFinal) return { ...life, crashes, status: broken('failed', failure, event) }
  if (crashes.length >= crashLoop.crashes)
    return { ...life, crashes, status: broken('crash-loop', failure, event) }
  // It was left alone for a while, and is not better.
  if (life.refusals >= breaker.refusals - 1) return tripped(life, event)
  return waiting({ ...life, crashes }, 'failed', event)
}

function crashed(life: Life, event: Of<'crashed'>): Life {
  const healthy = rested(life, event)
  const crashes = recent(healthy, event)
  const next = { ...healthy, crashes, suspects: suspected(healthy, event) }
  if (event.isFinal) return { ...next, status: broken('crashed', event.failure, event) }
  // A tool that is held back from now on is what the server died of; without it, it may live.
  const isSolved = event.tool !== undefined && isQuarantined(next, event.tool, event.monotonic)
  if (crashes.length >= crashLoop.crashes && !isSolved) {
    return { ...next, status: broken('crash-loop', event.failure, event) }
  }
  return waiting(next, 'crashed', event)
}

/** Having been well for a while makes good for earlier failures. */
function rested(life: Life, { monotonic }: Moment): Life {
  const { readyAt, resumeAt: _none, ...rest } = life
  const isHealthy = readyAt !== undefined && monotonic - readyAt >= healthyMs
  return isHealthy ? { ...rest, failures: 0, crashes: [] } : rest
}

function recent({ crashes }: Life, { monotonic }: Moment): readonly number[] {
  return [...crashes.filter((at) => monotonic - at < crashLoop.withinMs), monotonic]
}

function suspected({ suspects }: Life, { tool, monotonic }: Of<'crashed'>): Life['suspects'] {
  if (tool === undefined) return suspects
  const crashes = (Object.hasOwn(suspects, tool) ? (suspects[tool]?.crashes ?? 0) : 0) + 1
  const isHeld = crashes >= quarantine.crashes
  return { ...suspects, [tool]: isHeld ? { crashes: 0, until: monotonic + quarantine.forMs } : { crashes } }
}

function waiting(life: Life, reason: 'failed' | 'crashed', event: Of<'failed'> | Of<'crashed'>): Life {
  const { firstMs, factor, mostMs } = backoff
  const ms = firstMs * factor ** life.failures * (1 + event.jitter)
  return hold(life, reason, Math.round(Math.min(ms, mostMs)), event.failure, event)
}

function refused(life: Life, event: Of<'refused'>): Life {
  const refusals = life.refusals + 1
  return refusals < breaker.refusals ? { ...life, refusals } : tripped(rested(life, event), event)
}

/** So many in a row open the breaker: nobody asks for a while, then one of us does. One more opens it for longer. */
function tripped(life: Life, event: Of<'refused'> | Of<'failed'>): Life {
  const { code } = event.failure
  // Where nobody can be reached, asking costs the server nothing.
  const mostMs = code === 'network' || code === 'dns' ? backoff.mostMs : breaker.mostMs
  const ms = Math.min(breaker.firstMs * (life.failures + 1), mostMs)
  return hold({ ...life, refusals: breaker.refusals - 1 }, 'breaker-open', ms, event.failure, event)
}

/** At least as long as the server itself asked for (FI-44). */
function hold(life: Life, reason: Reason, leastMs: number, failure: Failure, at: Moment): Life {
  const askedMs = Math.min((failure.retryAt ?? at.now) - at.now, breaker.mostMs)
  const ms = Math.max(leastMs, askedMs)
  return {
    ...life,
    failures: life.failures + 1,
    resumeAt: at.monotonic + ms,
    status: { state: 'waiting', reason, since: at.now, retryAt: at.now + ms, failure },
  }
}

function quiet(state: 'idle' | 'closed', reason: Reason, { now }: Moment): Status {
  return { state, reason, since: now }
}

function connecting(step: Step, reason: Reason, { now }: Moment): Status {
  return { state: 'connecting', step, reason, since: now }
}

function broken(reason: Reason, failure: Failure, { now }: Moment): Status {
  return { state: 'failed', reason, since: now, failure }
}

function needsAuth({ failure, login, now }: Of<'login-needed'>): Status {
  return { state: 'needs-auth', reason: 'login-needed', since: now, failure, login }
}
