import type { Clock } from '../platform/platform.ts'

export interface FakeClock extends Clock {
  /** Moves time on, waking sleepers in their order, and lets each of them run until it sleeps or ends. */
  advance(ms: number): Promise<void>
  /** How many are asleep. */
  readonly sleeping: number
}

/** Time that stands still until a test moves it. */
export function createFakeClock(start = 0): FakeClock {
  let now = start
  const sleepers = new Set<{ readonly due: number; readonly wake: () => void }>()

  const next = (limit: number) =>
    [...sleepers].filter(({ due }) => due <= limit).sort((a, b) => a.due - b.due)[0]

  return {
    now: () => now,
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

/** Everything that waits only for promises has run when the next turn of the event loop begins. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
