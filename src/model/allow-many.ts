import { setMaxListeners } from 'node:events'

const allowed = new WeakSet<AbortSignal>()

/** One signal may end any number of calls: Node would warn of a leak from the eleventh on. */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (!signal || allowed.has(signal)) return
  allowed.add(signal)
  setMaxListeners(0, signal)
}
