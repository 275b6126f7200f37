/** Calls `listener` once when the signal aborts, at once if it already has. Disposing removes the listener. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal?.aborted) listener()
  else signal?.addEventListener('abort', listener, { once: true })
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', listener) }
}

/**
 * Settles like `work`, or rejects as soon as the signal aborts: with the signal's reason, converted by `toError`. The
 * work itself continues, because other callers may share it; its later outcome is ignored.
 */
export function raceAbort<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  toError: (reason: unknown) => unknown = (reason) => reason,
): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const listener = onAbort(signal, () => reject(toError(signal.reason)))
    work.then(resolve, reject).finally(() => listener[Symbol.dispose]())
  })
}
