import type { Exit } from './exit.ts'
import type { JsonObject } from './json.ts'

/** The kind of failure of a server or a message. It is assigned where the fact is known, never derived from a text. */
export type FailureCode =
  | 'values'
  | 'spawn'
  | 'exit'
  | 'timeout'
  | 'protocol'
  | 'too-large'
  | 'auth'
  | 'forbidden'
  | 'session'
  | 'rate'
  | 'upstream'
  | 'tls'
  | 'dns'
  | 'network'
  | 'blocked'
  | 'busy'
  | 'cancelled'
  | 'closed'

export interface Failure {
  readonly code: FailureCode
  readonly message: string
  readonly hint: string
  readonly exit?: Exit
  readonly stderr?: readonly string[]
  /** The places where a command was searched. */
  readonly searched?: readonly string[]
  /** OAuth scopes whose absence caused the failure; a login can request them. */
  readonly lacking?: readonly string[]
  /** The time before which the server does not accept a retry. */
  readonly retryAt?: number
  readonly at: number
}

/** The progress of connecting. */
export type Step = 'queued' | 'resolving' | 'starting' | 'greeting'

export type Era = 'legacy' | 'modern'

/** Why a server is in its state. */
export type Reason =
  | 'declared'
  | 'switched-off'
  | 'not-trusted'
  | 'trust-changed'
  | 'trust-refused'
  | 'asked-for'
  | 'retry'
  | 'progress'
  | 'greeted'
  | 'unreachable'
  | 'reached-again'
  | 'failed'
  | 'crashed'
  | 'crash-loop'
  | 'breaker-open'
  | 'login-needed'
  | 'stopped'
  | 'idle'
  | 'restarted'
  | 'host-closed'

/**
 * The status of a server: one state with its reason, instead of several booleans (D-5). `since` is when the state began;
 * steps of connecting do not change it.
 */
export type Status = { readonly since: number; readonly reason: Reason } & (
  | { readonly state: 'disabled' | 'untrusted' | 'idle' | 'closed' }
  | { readonly state: 'connecting'; readonly step: Step }
  | {
      readonly state: 'ready'
      readonly era: Era
      readonly version: string
      readonly capabilities: JsonObject
      /** The last request did not reach it (HTTP). Its tools are still offered, and the next request tries again. */
      readonly away?: Failure
    }
  | { readonly state: 'needs-auth'; readonly login: string; readonly failure: Failure }
  | { readonly state: 'waiting'; readonly retryAt: number; readonly failure: Failure }
  | { readonly state: 'failed'; readonly failure: Failure }
)

/** A status in four words, for programs that know no more: the documented states of Dispatch. */
type CoarseState = 'connecting' | 'connected' | 'error' | 'disconnected'

const coarseStates: Readonly<Record<Status['state'], CoarseState>> = {
  idle: 'disconnected',
  closed: 'disconnected',
  disabled: 'disconnected',
  connecting: 'connecting',
  ready: 'connected',
  untrusted: 'error',
  'needs-auth': 'error',
  failed: 'error',
  waiting: 'error',
}

export function coarseState(status: Status): CoarseState {
  const { state, reason } = status
  if (awayFailure(status)) return 'error'
  return state === 'waiting' && reason === 'crashed' ? 'disconnected' : coarseStates[state]
}

/** Why an open connection does not reach its server at present. */
export function awayFailure(status: Status): Failure | undefined {
  return status.state === 'ready' ? status.away : undefined
}

/** Whether this status reports on a connection that was ready before: it was not opened again. */
export function isSameLink({ reason }: Status): boolean {
  return reason === 'unreachable' || reason === 'reached-again'
}

/** A server that is left alone for a while because it crashed too often (FI-91). */
type RestingStatus = Status & { readonly state: 'waiting'; readonly reason: 'crash-loop' }

export function isResting(status: Status): status is RestingStatus {
  return status.state === 'waiting' && status.reason === 'crash-loop'
}

/** The failure of a status as it is shown: while the server rests, also until when, and how to restart it. */
export function shownFailure(server: string, status: Status & { readonly failure: Failure }): Failure {
  const { failure } = status
  if (!isResting(status)) return failure
  const until = new Date(status.retryAt).toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    ...failure,
    message: `It keeps crashing and rests until ${until}. Last failure: ${failure.message}`,
    hint: `Restart it now: /mcp restart ${server} in the shell. ${failure.hint}`.trimEnd(),
  }
}
