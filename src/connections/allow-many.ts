import { setMaxListeners } from 'node:events'

/**
 * Lifts Node's listener limit for a signal: one signal may cancel many calls, and Node warns of a leak at the eleventh. Which
 * signals it was lifted for is not remembered: a `WeakSet` keeps each signal, and its call, until the next full collection.
 */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (signal) setMaxListeners(0, signal)
}
