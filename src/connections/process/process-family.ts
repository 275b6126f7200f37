import type { Clock, Descendant, Processes } from '../../platform/platform.ts'

/** A started group, and what its members started outside of it: a program may leave its group, but not its ancestors. */
export interface Family {
  /** Remembers who is there now; once a parent is gone, nobody can tell whose child it was (FI-23). */
  look(): Promise<void>
  /** To everybody outside the group who was seen. */
  signalStrays(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** The numbers of those who still run: the group, and strays. */
  left(): Promise<readonly number[]>
}

export function createFamily(pid: number, processes: Processes): Family {
  const strays = new Map<string, Descendant>()
  const livingStrays = async () => {
    for (const [key, stray] of strays) {
      if ((await processes.startMarkOf(stray.pid)) !== stray.startMark) strays.delete(key)
    }
    return [...strays.values()]
  }
  return {
    async look() {
      for (const parent of [pid, ...[...strays.values()].map((stray) => stray.pid)]) {
        for (const one of await processes.descendants(parent)) {
          if (one.group !== pid) strays.set(`${one.pid} ${one.startMark}`, one)
        }
      }
    },
    async signalStrays(signal) {
      for (const stray of strays.values()) await processes.kill(stray, signal)
    },
    async left() {
      const group = (await processes.isGroupAlive(pid)) ? [pid] : []
      return [...group, ...(await livingStrays()).map((stray) => stray.pid)]
    },
  }
}

/** The end of others is not announced, so it is asked for. */
const askAgainMs = 50

/** Waits until nobody is left, or for so long. */
export async function waitUntilGone(
  family: Family,
  { clock, ms, hurry }: { readonly clock: Clock; readonly ms: number; readonly hurry?: AbortSignal },
): Promise<readonly number[]> {
  const end = clock.monotonic() + ms
  for (;;) {
    const left = await family.left()
    const rest = end - clock.monotonic()
    if (left.length === 0 || rest <= 0 || hurry?.aborted) return left
    await clock.sleep(Math.min(askAgainMs, rest), hurry).catch(() => undefined)
  }
}
