import { durationText } from '../model/duration-text.ts'
import { raceAbort } from '../model/abort.ts'
import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import { isResting, shownFailure } from '../model/status.ts'
import type { Failure, Status } from '../model/status.ts'
import { WireError } from '../wire/wire-error.ts'

export function untrusted(server: string, { reason }: Status): HostError<'server.untrusted'> {
  const isChanged = reason === 'trust-changed'
  const what = isChanged ? 'has changed since it was trusted' : 'is not trusted'
  return new HostError('server.untrusted', { server }, `"${server}" ${what}.`, {
    hint: `${isChanged ? 'See what changed, and decide' : 'Look at it and decide'}: ${nextCommand('trust', server)}`,
  })
}

export function switchedOff(server: string): HostError<'server.disabled'> {
  return new HostError('server.disabled', { server }, `"${server}" is switched off.`, {
    hint: `Switch it on: ${nextCommand('enable', server)}`,
  })
}

/** The connection failed. The same failure is reported until the next attempt. */
export function connectionFailed(server: string, failure: Failure): HostError<'server.failed'> {
  const message = `Failed to connect to "${server}": ${failure.message}`
  return new HostError('server.failed', { server, failure }, message, { hint: failure.hint })
}

/** A shorter pause is not mentioned: the server has just failed. */
const shortPauseMs = 3000

/** Connecting is paused after failures. The message says so, because the cause may be gone by now. */
export function connectionPaused(
  server: string,
  status: Status & { readonly state: 'waiting' },
  waitMs: number,
): HostError<'server.failed'> {
  const { failure, since, retryAt } = status
  if (isResting(status)) {
    const { message, hint } = shownFailure(server, status)
    const data = { server, failure, retryAt }
    return new HostError('server.failed', data, `Failed to connect to "${server}": ${message}`, { hint })
  }
  if (retryAt - since <= shortPauseMs) return connectionFailed(server, failure)
  const seconds = Math.ceil(waitMs / 1000)
  const message =
    `Failed to connect to "${server}": Connecting is paused after failures, for another ${seconds} s. ` +
    `Last failure: ${failure.message}`
  return new HostError('server.failed', { server, failure, retryAt }, message, {
    hint: `Check whether it answers now: ${nextCommand('test', server)}`,
  })
}

export function quarantined(server: string, tool: string): HostError<'tool.quarantined'> {
  const message = `"${server}" crashed during the last calls of "${tool}".`
  return new HostError('tool.quarantined', { server, tool }, message, {
    hint: 'It can be called again in a few minutes.',
  })
}

/** The server is at fault or out of reach, not the request. */
export function isServerFault({ code }: WireError): boolean {
  return code === 'upstream' || code === 'network' || code === 'dns' || code === 'tls'
}

/** The startup timeout passed; keeps the facts of the underlying error. */
export function startupTimeout(ms: number, error: unknown): WireError {
  const facts = error instanceof WireError ? error.facts : {}
  return new WireError('timeout', `It did not get ready within ${durationText(ms)}.`, {
    sent: true,
    facts,
    cause: error,
  })
}

/** Stops waiting when the caller aborts; the work itself continues for other callers. */
export function unlessCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const toError = (cause: unknown) => new WireError('cancelled', 'Cancelled while connecting.', { cause })
  return raceAbort(work, signal, toError)
}
