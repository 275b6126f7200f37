import { HostError } from '../model/error.ts'
import { isResting } from '../model/status.ts'
import type { Failure, Reason, Status, Step } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import type { Greeting } from '../wire/eras/greeting.ts'
import { connectionFailed, connectionPaused, switchedOff, untrusted } from './connection-errors.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { Urgency } from './slots.ts'

/** The complete state of one server's connection over time. No other place keeps any of it (D-5). */
export interface Life {
  readonly status: Status
  /** Failures in a row; each lengthens the next wait. */
  readonly failures: number
  /** Times of recent crashes. All times except those in `status` are monotonic. */
  readonly crashes: readonly number[]
  /** Rests after crash loops in a row; each doubles the next one. */
  readonly rests: number
  /** Requests in a row that failed because of the server. */
  readonly refusals: number
  readonly readyAt?: number
  /** No new attempt before this time. */
  readonly resumeAt?: number
  /** Tools during whose calls the server crashed. */
  readonly suspects: Readonly<Record<string, SuspectTool>>
}

export interface SuspectTool {
  readonly crashes: number
  /** Quarantined until this time. */
  readonly until?: number
}

export interface Moment {
  /** Wall-clock time. */
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
    /** An attempt failed before the greeting, or the connection is not worth a retry. */
    | {
        readonly type: 'failed'
        readonly failure: Failure
        readonly isFinal: boolean
        readonly jitter: number
      }
    /** An open connection was lost. */
    | {
        readonly type: 'crashed'
        readonly failure: Failure
        readonly isFinal: boolean
        readonly jitter: number
        /** The tool, if all calls in flight were of the same one. */
        readonly tool?: string | undefined
      }
    /** A request failed because of the server, not because of its content. */
    | { readonly type: 'refused'; readonly failure: Failure }
    | { readonly type: 'answered' }
    /** The server may not be started, or is not trusted in its present form. */
    | { readonly type: 'trust-refused' }
    | { readonly type: 'login-needed'; readonly failure: Failure; readonly login: string }
    | { readonly type: 'stopped'; readonly reason: 'stopped' | 'idle' }
    | { readonly type: 'restarted' }
    | { readonly type: 'closed' }
  )

/** An event without its time, which is added when it is applied. */
export type UntimedLifeEvent = LifeEvent extends infer Event
  ? Event extends LifeEvent
    ? Omit<Event, 'now' | 'monotonic'>
    : never
  : never

const backoff = { firstMs: 500, factor: 2, mostMs: 30_000 } as const
const crashLoop = { crashes: 5, withinMs: 180_000 } as const
const rest = { firstMs: 300_000, factor: 2, mostMs: 3_600_000 } as const
const healthyMs = 60_000
const breaker = { refusals: 5, firstMs: 30_000, mostMs: 300_000, mostMsUnreachable: 30_000 } as const
/** If wall-clock time is ahead of the monotonic clock by more than this, the machine was asleep. */
const sleepMs = 10_000
const quarantine = { crashes: 3, forMs: 300_000 } as const

export function beginLife(status: Status): Life {
  return { status, failures: 0, crashes: [], rests: 0, refusals: 0, suspects: {} }
}

/** The state after an event. An event that does not apply changes nothing. */
export function nextLife(life: Life, event: LifeEvent): Life {
  const { state } = life.status
  if (state === 'closed') return life
  if (event.type === 'closed') return { ...beginLife(quietStatus('closed', 'host-closed', event)) }
  if (state === 'disabled' || isUntrustedFromStart(life.status)) return life
  switch (event.type) {
    case 'connect':
      if (state === 'connecting' || state === 'ready') return life
      return {
        ...life,
        status: { state: 'connecting', step: 'queued', reason: event.reason, since: event.now },
      }
    case 'step':
      if (life.status.state !== 'connecting') return life
      // `since` stays the begin of the attempt.
      return { ...life, status: { ...life.status, step: event.step, reason: 'progress' } }
    case 'greeted':
      return state === 'connecting' ? applyGreeted(life, event) : life
    case 'failed':
      return state === 'connecting' ? applyFailed(life, event) : life
    case 'crashed':
      return state === 'ready' ? applyCrashed(life, event) : life
    case 'refused':
      return state === 'ready' ? applyRefused(life, event) : life
    case 'answered':
      return life.refusals > 0 ? { ...life, refusals: 0, status: withoutAway(life.status, event) } : life
    case 'trust-refused':
      return state === 'connecting'
        ? { ...life, status: quietStatus('untrusted', 'trust-refused', event) }
        : life
    case 'login-needed':
      if (state !== 'connecting' && state !== 'ready') return life
      return { ...clearIfHealthy(life, event), status: needsAuthStatus(event) }
    case 'stopped':
      // Only a restart clears a failure, or ends a rest early.
      if (state === 'failed' || isResting(life.status)) return life
      return { ...clearIfHealthy(life, event), status: quietStatus('idle', event.reason, event) }
    case 'restarted':
      return beginLife(quietStatus('idle', 'restarted', event))
    default:
      return event satisfies never
  }
}

/** Whether to reconnect after a login: the connection waits for one, or is used with another account. */
export function mustReopenAfterLogin({ state }: Status, as: 'same' | 'other'): boolean {
  return state === 'needs-auth' || (state === 'ready' && as === 'other')
}

/** Whether a tool is blocked because the server crashed during its last calls. */
export function isQuarantined({ suspects }: Life, tool: string, monotonic: number): boolean {
  const until = Object.hasOwn(suspects, tool) ? suspects[tool]?.until : undefined
  return until !== undefined && monotonic < until
}

/** After many failures, the next request decides whether the server has recovered. */
export function isOnTrial({ refusals }: Life): boolean {
  return refusals >= breaker.refusals - 1
}

/** How long until the next attempt. After the machine was asleep, earlier failures no longer count (FI-56). */
export function remainingWaitMs({ status, resumeAt = 0 }: Life, { now, monotonic }: Moment): number {
  if (status.state !== 'waiting') return 0
  const aheadMs = now - status.retryAt - (monotonic - resumeAt)
  return aheadMs > sleepMs ? 0 : Math.max(0, resumeAt - monotonic)
}

/** How long to wait before opening; throws when the connection may not be opened. */
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
      // A decision at the start may be another one next time; what was never trusted needs a new discovery.
      if (isUntrustedFromStart(status) || restart === 'never') throw untrusted(server, status)
      return 0
    case 'failed':
      // Only a restart clears a crash or a failure with restart "never".
      if (status.reason !== 'failed' || restart === 'never') throw connectionFailed(server, status.failure)
      return 0
    case 'waiting': {
      const ms = remainingWaitMs(life, context)
      // A failed attempt, an open breaker or a rest is reported at once. After a single crash the caller waits.
      if (ms > 0 && status.reason !== 'crashed' && urgency !== 'background')
        throw connectionPaused(server, status, ms)
      return ms
    }
    default:
      return 0
  }
}

type EventOf<Type extends LifeEvent['type']> = LifeEvent & { readonly type: Type }

function applyGreeted(life: Life, event: EventOf<'greeted'>): Life {
  const { era, version, capabilities } = event.greeting
  const { resumeAt: _cleared, ...others } = life
  return {
    ...others,
    readyAt: event.monotonic,
    status: { state: 'ready', reason: 'greeted', since: event.now, era, version, capabilities },
  }
}

function applyFailed(life: Life, event: EventOf<'failed'>): Life {
  const { failure, isFinal } = event
  const crashes = failure.code === 'exit' ? recentCrashes(life, event) : life.crashes
  if (isFinal) return { ...life, crashes, status: failedStatus('failed', failure, event) }
  if (crashes.length >= crashLoop.crashes) return beginRest(life, event)
  // The server was paused for a while and has not recovered.
  if (life.refusals >= breaker.refusals - 1) return openBreaker(life, event)
  return scheduleRetry({ ...life, crashes }, 'failed', event)
}

function applyCrashed(life: Life, event: EventOf<'crashed'>): Life {
  const healthy = clearIfHealthy(life, event)
  const crashes = recentCrashes(healthy, event)
  const next = { ...healthy, crashes, suspects: withSuspect(healthy, event) }
  if (event.isFinal) return { ...next, status: failedStatus('crashed', event.failure, event) }
  // The crashes are explained by a tool that is now quarantined: the server may work without it.
  const isExplained = event.tool !== undefined && isQuarantined(next, event.tool, event.monotonic)
  if (crashes.length >= crashLoop.crashes && !isExplained) return beginRest(next, event)
  return scheduleRetry(next, 'crashed', event)
}

/** A connection that was healthy for a while clears earlier failures. */
function clearIfHealthy(life: Life, { monotonic }: Moment): Life {
  const { readyAt, resumeAt: _cleared, ...others } = life
  const isHealthy = readyAt !== undefined && monotonic - readyAt >= healthyMs
  return isHealthy ? { ...others, failures: 0, crashes: [], rests: 0 } : others
}

function recentCrashes({ crashes }: Life, { monotonic }: Moment): readonly number[] {
  return [...crashes.filter((at) => monotonic - at < crashLoop.withinMs), monotonic]
}

function withSuspect({ suspects }: Life, { tool, monotonic }: EventOf<'crashed'>): Life['suspects'] {
  if (tool === undefined) return suspects
  const crashes = (Object.hasOwn(suspects, tool) ? (suspects[tool]?.crashes ?? 0) : 0) + 1
  const isBlocked = crashes >= quarantine.crashes
  return {
    ...suspects,
    [tool]: isBlocked ? { crashes: 0, until: monotonic + quarantine.forMs } : { crashes },
  }
}

function scheduleRetry(
  life: Life,
  reason: 'failed' | 'crashed',
  event: EventOf<'failed'> | EventOf<'crashed'>,
): Life {
  const { firstMs, factor, mostMs } = backoff
  const ms = firstMs * factor ** life.failures * (1 + event.jitter)
  return pause(life, reason, Math.round(Math.min(ms, mostMs)), event.failure, event)
}

/** After a crash loop no attempt for a while; then the server is tried as at first (FI-91). */
function beginRest(life: Life, event: EventOf<'failed'> | EventOf<'crashed'>): Life {
  const ms = Math.min(rest.firstMs * rest.factor ** life.rests, rest.mostMs)
  const resting = pause(life, 'crash-loop', ms, event.failure, event)
  return { ...resting, failures: 0, crashes: [], rests: life.rests + 1 }
}

function applyRefused(life: Life, event: EventOf<'refused'>): Life {
  const refusals = life.refusals + 1
  if (refusals >= breaker.refusals) return openBreaker(clearIfHealthy(life, event), event)
  return { ...life, refusals, status: withAway(life.status, event) }
}

/** The first request that does not reach the server says so; the connection stays, and the next one tries again. */
function withAway(status: Status, { failure, now }: EventOf<'refused'>): Status {
  if (status.state !== 'ready' || status.away || !isUnreachable(failure)) return status
  return { ...status, reason: 'unreachable', since: now, away: failure }
}

function withoutAway(status: Status, { now }: Moment): Status {
  if (status.state !== 'ready' || !status.away) return status
  const { away: _, ...reached } = status
  return { ...reached, reason: 'reached-again', since: now }
}

function isUnreachable({ code }: Failure): boolean {
  return code === 'network' || code === 'dns'
}

/**
 * Opens the breaker after too many refusals in a row: no requests for a while, then a single one. If that fails, it
 * opens for longer.
 */
function openBreaker(life: Life, event: EventOf<'refused'> | EventOf<'failed'>): Life {
  // An unreachable server is not burdened by attempts, so the pause stays short.
  const mostMs = isUnreachable(event.failure) ? breaker.mostMsUnreachable : breaker.mostMs
  const ms = Math.min(breaker.firstMs * (life.failures + 1), mostMs)
  return pause({ ...life, refusals: breaker.refusals - 1 }, 'breaker-open', ms, event.failure, event)
}

/** Waits at least as long as the server asked for (FI-44). */
function pause(life: Life, reason: Reason, leastMs: number, failure: Failure, at: Moment): Life {
  const requestedMs = Math.min((failure.retryAt ?? at.now) - at.now, breaker.mostMs)
  const ms = Math.max(leastMs, requestedMs)
  return {
    ...life,
    failures: life.failures + 1,
    resumeAt: at.monotonic + ms,
    status: { state: 'waiting', reason, since: at.now, retryAt: at.now + ms, failure },
  }
}

function isUntrustedFromStart({ state, reason }: Status): boolean {
  return state === 'untrusted' && reason !== 'trust-refused'
}

function quietStatus(state: 'idle' | 'closed' | 'untrusted', reason: Reason, { now }: Moment): Status {
  return { state, reason, since: now }
}

function failedStatus(reason: Reason, failure: Failure, { now }: Moment): Status {
  return { state: 'failed', reason, since: now, failure }
}

function needsAuthStatus({ failure, login, now }: EventOf<'login-needed'>): Status {
  return { state: 'needs-auth', reason: 'login-needed', since: now, failure, login }
}
