import {
  connectionFailed,
  connectionPaused,
  switchedOff,
  untrusted,
} from '../connections/connection-errors.ts'
import { HostError } from '../model/error.ts'
import type { Preset } from '../model/preset.ts'
import type { Discovery } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import { damagedStore } from './initial-status.ts'
import type { ServerStatus } from './host-options.ts'

/** Servers that cannot be used now, each with the error that connecting would throw. */
export function unusableOf(
  servers: readonly ServerStatus[],
  discovery: Discovery,
  { words }: Preset,
  now: number,
): readonly { readonly server: string; readonly error: HostError }[] {
  return servers.flatMap(({ name, status, isKnown }) => {
    const error = status.state === 'untrusted' ? damagedStore(discovery) : undefined
    const isUnlisted = status.state === 'ready' && !isKnown
    const found = error ?? (isUnlisted ? unlisted(name, status.since) : statusError(name, status, now))
    if (!found) return []
    return [{ server: name, error: words?.connection.error(found) ?? found }]
  })
}

/** The server is connected, and its tools are not known: it does not answer, or refuses to list them. */
function unlisted(server: string, since: number): HostError {
  const message = 'It is connected but has not listed its tools.'
  const hint = `See what it says: plugboard test ${server}`
  const failure = { code: 'timeout', message, hint, at: since } as const
  return new HostError('server.failed', { server, failure }, `"${server}": ${message}`, { hint })
}

/** Servers whose tools are unknown and that may be asked for them now: after a rest, for example (FI-91). */
export function askableOf(servers: readonly ServerStatus[], now: number): readonly string[] {
  return servers.filter(({ isKnown, status }) => !isKnown && mayConnect(status, now)).map(({ name }) => name)
}

/** Whether a server may be tried now. One that failed for good is left to `restart` and `reload`. */
export function mayConnect(status: Status, now: number): boolean {
  // A wall clock behind the start of the wait was set back. The connection itself decides by the monotonic clock (T49).
  if (status.state === 'waiting') return status.retryAt <= now || now < status.since
  return status.state === 'idle' || status.state === 'connecting' || status.state === 'ready'
}

function statusError(server: string, status: Status, now: number): HostError | undefined {
  switch (status.state) {
    case 'disabled':
      return switchedOff(server)
    case 'untrusted':
      return untrusted(server, status)
    case 'needs-auth': {
      const { failure } = status
      const message = `Server "${server}" asked for a login.`
      return new HostError('server.needs-auth', { server, failure }, message, { hint: failure.hint })
    }
    case 'failed':
      return connectionFailed(server, status.failure)
    case 'waiting': {
      const waitMs = status.retryAt - now
      return waitMs > 0 ? connectionPaused(server, status, waitMs) : connectionFailed(server, status.failure)
    }
    default:
      return undefined
  }
}
