import type { ConnectionWords } from '../model/preset.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import type { Link, LinkContext, LinkEvents } from './link.ts'

export interface ConnectionOptions {
  readonly server: Server
  readonly clock: Clock
  readonly initial: Status
  /** Opens one link: values are looked up, a program started or an address asked, the server greeted. */
  readonly open: OpenLink
  /** What must be settled before it may be opened, such as a person's word; it takes as long as it takes. */
  readonly prepare?: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Clears what is told of known secrets. */
  readonly redact?: (text: string) => string
  /** Of these alone: in data, what only looks like one is somebody's data (D-9). */
  readonly mask?: (text: string) => string
  /** Puts what is told into the words of the system that is asked for. */
  readonly reword?: ConnectionWords
  readonly timeouts: ConnectionTimeouts
  readonly restart: 'backoff' | 'never'
  /** Opened again by itself, whether anybody asks or not. */
  readonly isKeptOpen: boolean
  /** Somebody listens to it: it does not go to rest, even if nobody asks it anything. */
  readonly isHeld?: () => boolean
  /** Between 0 and 1; spreads retries. */
  readonly random: () => number
  readonly on: ConnectionEvents
}

export type OpenLink = (
  signal: AbortSignal,
  context: Pick<LinkContext, 'urgency' | 'hurry' | 'isTrial' | 'on'>,
) => Promise<Link>

export interface ConnectionTimeouts {
  readonly startupMs: number
  /** Without an answer or progress. */
  readonly callMs: number
  /** In all. */
  readonly maxCallMs: number
  /** Unused for so long, it goes back to rest; never when absent. */
  readonly idleMs?: number
}

export interface ConnectionEvents extends Omit<LinkEvents, 'step' | 'closed' | 'loggedIn'> {
  changed(status: Status): void
}
