import { HttpError } from '../platform/platform.ts'
import type { Clock } from '../platform/platform.ts'

/** A signal that aborts after a time, or with another signal; disposing stops the clock. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal
}

export function limitTime(clock: Clock, ms: number, signal?: AbortSignal): TimeLimit {
  const late = new AbortController()
  const timer = clock.timer(
    ms,
    () => late.abort(new HttpError('timeout', true, 'It did not answer in time.')),
    { background: true },
  )
  return {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  }
}
