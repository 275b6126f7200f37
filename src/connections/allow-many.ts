import { setMaxListeners } from 'node:events'

const allowed = new WeakSet<AbortSignal>()

/** Lifts Node's listener limit for a signal: one signal may cancel many calls, and Node warns of a leak at the eleventh. */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (!signal || allowed.has(signal)) return
  allowed.add(signal)
  setMaxListeners(0, signal)
}
