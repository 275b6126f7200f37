import type { ConnectionWords } from '../model/preset.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import type { Link, LinkContext, LinkEvents } from './link.ts'

export interface ConnectionOptions {
  readonly server: Server
  readonly clock: Clock
  readonly initial: Status
  /** Opens one link: resolves values, starts a program or connects to an address, and greets the server. */
  readonly open: OpenLink
  /** Runs before opening, without a time limit: asking a person for approval, for example. */
  readonly prepare?: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Removes secrets from messages. */
  readonly redact?: (text: string) => string
  /** Removes only known secrets: in data, a text that merely looks like a secret stays (D-9). */
  readonly mask?: (text: string) => string
  /** Rewords messages for a preset. */
  readonly reword?: ConnectionWords
  readonly timeouts: ConnectionTimeouts
  readonly restart: 'backoff' | 'never'
  /** Reconnects on its own, without a request. */
  readonly isKeptOpen: boolean
  /** Whether a subscription is open: the connection then is not closed when idle. */
  readonly isHeld?: () => boolean
  /** Between 0 and 1; adds jitter to retries. */
  readonly random: () => number
  readonly on: ConnectionEvents
}

export type OpenLink = (
  signal: AbortSignal,
  context: Pick<LinkContext, 'urgency' | 'hurry' | 'isTrial' | 'on'>,
) => Promise<Link>

export interface ConnectionTimeouts {
  readonly startupMs: number
  /** Time limit without an answer or progress. */
  readonly callMs: number
  /** Total time limit of a call. */
  readonly maxCallMs: number
  /** Closed after being unused for this long; never when absent. */
  readonly idleMs?: number
}

export interface ConnectionEvents extends Omit<LinkEvents, 'step' | 'closed' | 'loggedIn'> {
  changed(status: Status): void
}
