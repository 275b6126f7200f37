import type { Clock } from '../platform/platform.ts'

export interface FakeClock extends Clock {
  /** Advances the time. Fires timers in order, and lets the code after each run until it waits again. */
  advance(ms: number): Promise<void>
  /** Sets the wall clock forward, or back with a negative number. Timers and `monotonic` do not notice. */
  setWallClock(byMs: number): void
  /** The number of pending timers and sleeps. */
  readonly sleeping: number
}

/** A clock that stands still until a test advances it. */
export function createFakeClock(start = 0): FakeClock {
  let now = start
  let aheadMs = 0
  const sleepers = new Set<{ readonly due: number; readonly wake: () => void }>()

  const next = (limit: number) =>
    [...sleepers].filter(({ due }) => due <= limit).sort((a, b) => a.due - b.due)[0]

  return {
    now: () => now + aheadMs,
    monotonic: () => now,
    timer(ms, onDue) {
      const sleeper = {
        due: now + ms,
        wake() {
          sleepers.delete(sleeper)
          onDue()
        },
      }
      sleepers.add(sleeper)
      return { [Symbol.dispose]: () => void sleepers.delete(sleeper) }
    },
    setWallClock(byMs) {
      aheadMs += byMs
    },
    get sleeping() {
      return sleepers.size
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        const reason = () => (signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
        if (signal?.aborted) return reject(reason())
        const onAbort = () => {
          sleepers.delete(sleeper)
          reject(reason())
        }
        const wake = () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', onAbort)
          resolve()
        }
        const sleeper = { due: now + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    },
    async advance(ms) {
      const end = now + ms
      await turn()
      for (let sleeper = next(end); sleeper; sleeper = next(end)) {
        now = sleeper.due
        sleeper.wake()
        await turn()
      }
      now = end
    },
  }
}

/** Resolves in the next turn of the event loop, after all pending promise callbacks have run. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
