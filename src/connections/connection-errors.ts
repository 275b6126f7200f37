import { raceAbort } from '../model/abort.ts'
import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import type { Failure, Status } from '../model/status.ts'
import { WireError } from '../wire/wire-error.ts'

export function untrusted(server: string): HostError<'server.untrusted'> {
  return new HostError('server.untrusted', { server }, `"${server}" is not trusted.`, {
    hint: `Look at it and decide: ${nextCommand('trust', server)}`,
  })
}

export function switchedOff(server: string): HostError<'server.disabled'> {
  return new HostError('server.disabled', { server }, `"${server}" is switched off.`, {
    hint: `Switch it on: ${nextCommand('enable', server)}`,
  })
}

/** What went wrong the last time stands until it is tried again. */
export function failedBefore(server: string, failure: Failure): HostError<'server.failed'> {
  const message = `Failed to connect to "${server}": ${failure.message}`
  return new HostError('server.failed', { server, failure }, message, { hint: failure.hint })
}

/** A server that is left alone for no longer than this has failed just now. */
const momentMs = 3000

/** After failures nobody tries it for a while: what failed then need not be so any more, and that is said. */
export function leftAlone(
  server: string,
  { failure, since, retryAt }: Status & { readonly state: 'waiting' },
  waitMs: number,
): HostError<'server.failed'> {
  if (retryAt - since <= momentMs) return failedBefore(server, failure)
  const seconds = Math.ceil(waitMs / 1000)
  const message =
    `Failed to connect to "${server}": It is left alone after failures, for another ${seconds} s. ` +
    `What failed last: ${failure.message}`
  return new HostError('server.failed', { server, failure, retryAt }, message, {
    hint: `See whether it answers by now: ${nextCommand('test', server)} (a program need not wait: host.restart)`,
  })
}

export function quarantined(server: string, tool: string): HostError<'tool.quarantined'> {
  const message = `"${server}" did not survive the last calls of "${tool}".`
  return new HostError('tool.quarantined', { server, tool }, message, {
    hint: 'It can be called again in a few minutes.',
  })
}

/** The server is at fault, or out of reach; what was asked is not. */
export function isRefusal({ code }: WireError): boolean {
  return code === 'upstream' || code === 'network' || code === 'dns' || code === 'tls'
}

/** A deadline passed: what was known by then goes with it. */
export function overdue(ms: number, error: unknown): WireError {
  const facts = error instanceof WireError ? error.facts : {}
  return new WireError('timeout', `It did not get ready within ${ms} ms.`, {
    sent: true,
    facts,
    cause: error,
  })
}

/** Waits no longer than the caller wants to, while the work itself goes on for others. */
export function until<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const toError = (cause: unknown) => new WireError('cancelled', 'Cancelled while connecting.', { cause })
  return raceAbort(work, signal, toError)
}
