import { HostError } from '../model/error.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { failedBefore, leftAlone, switchedOff, untrusted } from './connection-errors.ts'
import { waitOf } from './life.ts'
import type { Life, Moment } from './life.ts'
import type { Urgency } from './slots.ts'

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
