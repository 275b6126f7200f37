import type { Exit } from './exit.ts'
import type { JsonObject } from './json.ts'

/** What went wrong with a server or a message. One code, found where the fact is known. */
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
  /** Where a command was looked for. */
  readonly searched?: readonly string[]
  /** Scopes that a login could ask for, and whose lack is what went wrong. */
  readonly lacking?: readonly string[]
  /** Before this the server does not want to be asked again. */
  readonly retryAt?: number
  readonly at: number
}

/** How far a connection has come. */
export type Step = 'queued' | 'resolving' | 'starting' | 'greeting'

export type Era = 'legacy' | 'modern'

/** Why a server is in the state it is in. */
export type Reason =
  | 'declared'
  | 'switched-off'
  | 'not-trusted'
  | 'trust-changed'
  | 'asked-for'
  | 'retry'
  | 'progress'
  | 'greeted'
  | 'failed'
  | 'crashed'
  | 'crash-loop'
  | 'breaker-open'
  | 'login-needed'
  | 'stopped'
  | 'idle'
  | 'restarted'
  | 'host-closed'

/** One union, one reason, never a boolean beside it (D-5). */
export type Status = { readonly since: number; readonly reason: Reason } & (
  | { readonly state: 'disabled' | 'untrusted' | 'idle' | 'closed' }
  | { readonly state: 'connecting'; readonly step: Step }
  | {
      readonly state: 'ready'
      readonly era: Era
      readonly version: string
      readonly capabilities: JsonObject
    }
  | { readonly state: 'needs-auth'; readonly login: string; readonly failure: Failure }
  | { readonly state: 'waiting'; readonly retryAt: number; readonly failure: Failure }
  | { readonly state: 'failed'; readonly failure: Failure }
)
