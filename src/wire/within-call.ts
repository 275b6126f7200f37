import { WireError } from './wire-error.ts'

/** What a call hangs on while nothing of it is on the wire. */
export interface CallEnds {
  readonly signal?: AbortSignal | undefined
  /** Aborts with the connection, and with the `WireError` it ended with. */
  readonly ended: AbortSignal
}

/**
 * Work of ours in the middle of a call: a person is asked, or time passes. It is over when the call is cancelled or
 * the connection ends, whether those who do it listen to their signal or not.
 */
export function withinCall<T>(
  { signal, ended }: CallEnds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (ended.aborted) return reject(asSent(ended.reason))
    if (signal?.aborted) return reject(cancelled(signal))
    const over = new AbortController()
    const finish = () => {
      signal?.removeEventListener('abort', onAbort)
      ended.removeEventListener('abort', onEnded)
      over.abort()
    }
    const onAbort = () => {
      finish()
      if (signal) reject(cancelled(signal))
    }
    const onEnded = () => {
      finish()
      reject(asSent(ended.reason))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    ended.addEventListener('abort', onEnded, { once: true })
    work(over.signal).then(resolve, reject).finally(finish)
  })
}

/** Once the server has answered the first part of a call, it may have acted, however the rest of it ends (D-5). */
export function asSent(error: unknown): Error {
  if (!(error instanceof WireError)) return error instanceof Error ? error : new Error(String(error))
  if (error.sent) return error
  return new WireError(error.code, error.message, { sent: true, facts: error.facts, cause: error })
}

function cancelled({ reason }: AbortSignal): WireError {
  return new WireError('cancelled', 'The call was cancelled.', { sent: true, cause: reason })
}
