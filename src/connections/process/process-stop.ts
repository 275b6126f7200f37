import type { Exit } from '../../model/exit.ts'
import type { Child, Clock, Descendant, Processes } from '../../platform/platform.ts'

/** Grace periods after the input has ended, and after SIGTERM. */
export interface StopStyle {
  /** 0: SIGTERM immediately. */
  readonly eofGraceMs: number
  readonly termGraceMs: number
}

export const defaultStop: StopStyle = { eofGraceMs: 2000, termGraceMs: 3000 }

export interface StopResult {
  /** Unknown for a program that even SIGKILL did not end. */
  readonly exit?: Exit
  /** Processes that are still running. */
  readonly left: readonly number[]
}

const killGraceMs = 1000

export function createStopper(child: Child, { clock, processes, style }: Omit<StopContext, 'hurry'>) {
  let hurry: AbortController | undefined
  let calls = 0
  let stopped: Promise<StopResult> | undefined
  const start = () => {
    hurry ??= new AbortController()
    return (stopped ??= stopProcess(child, { clock, processes, style, hurry: hurry.signal }))
  }
  return {
    start,
    stop() {
      calls += 1
      if (calls > 1) hurry?.abort()
      return start()
    },
  }
}

interface StopContext {
  readonly clock: Clock
  readonly processes: Processes
  readonly style: StopStyle
  readonly hurry: AbortSignal
}

async function stopProcess(
  child: Child,
  { clock, processes, style, hurry }: StopContext,
): Promise<StopResult> {
  const family = createFamily(child.pid, processes)
  let exit: Exit | undefined
  const exited = child.exited.then((how) => (exit = how))
  const signal = async (name: 'SIGTERM' | 'SIGKILL') => {
    await family.recordDescendants()
    child.kill(name)
    await family.signalStrays(name)
  }
  const wait = async (ms: number, until?: AbortSignal) => {
    const end = clock.monotonic() + ms
    await raceTimeout(ms, exited, clock, until)
    if (!exit) return [child.pid]
    return waitUntilGone(family, { clock, ms: end - clock.monotonic(), ...(until && { hurry: until }) })
  }

  await family.recordDescendants()
  if (style.eofGraceMs > 0) child.io.end()
  await raceTimeout(style.eofGraceMs, exited, clock, hurry)
  let left = exit ? await family.left() : [child.pid]
  if (left.length > 0 && !hurry.aborted) {
    await signal('SIGTERM')
    left = await wait(style.termGraceMs, hurry)
  }
  if (left.length > 0) {
    await signal('SIGKILL')
    left = await wait(killGraceMs)
  }
  // Reads the last output; the pipes are released soon after the exit in any case.
  if (exit) await child.drained
  else child.release()
  return { ...(exit && { exit }), left }
}

/** The value of a promise, or undefined if it takes too long or `hurry` aborts. */
export function raceTimeout<T>(
  ms: number,
  promise: Promise<T>,
  clock: Clock,
  hurry?: AbortSignal,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const done = (value?: T) => {
      timer?.[Symbol.dispose]()
      hurry?.removeEventListener('abort', onHurry)
      resolve(value)
    }
    const onHurry = () => done()
    const timer = ms > 0 && !hurry?.aborted ? clock.timer(ms, done) : undefined
    if (!timer) return done()
    hurry?.addEventListener('abort', onHurry, { once: true })
    promise.then(done, reject)
  })
}

/**
 * A process group and the processes that its members started outside of it. A process may leave its group, but not
 * its ancestors.
 */
interface ProcessFamily {
  /** Records the current descendants: once a parent has exited, its children can no longer be found (FI-23). */
  recordDescendants(): Promise<void>
  /** Signals all recorded processes outside the group. */
  signalStrays(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** The pids that are still running: the group, and strays. */
  left(): Promise<readonly number[]>
}

export function createFamily(pid: number, processes: Processes): ProcessFamily {
  const strays = new Map<string, Descendant>()
  const livingStrays = async () => {
    for (const [key, stray] of strays) {
      if ((await processes.startMarkOf(stray.pid)) !== stray.startMark) strays.delete(key)
    }
    return [...strays.values()]
  }
  return {
    async recordDescendants() {
      for (const parent of [pid, ...[...strays.values()].map((stray) => stray.pid)]) {
        for (const descendant of await processes.descendants(parent)) {
          if (descendant.group !== pid) strays.set(`${descendant.pid} ${descendant.startMark}`, descendant)
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

/** The exit of these processes is not signaled, so it is polled. */
const pollMs = 50

/** Waits until none is left, at most `ms`. Returns the pids that are left. */
export async function waitUntilGone(
  family: ProcessFamily,
  { clock, ms, hurry }: { readonly clock: Clock; readonly ms: number; readonly hurry?: AbortSignal },
): Promise<readonly number[]> {
  const end = clock.monotonic() + ms
  for (;;) {
    const left = await family.left()
    const rest = end - clock.monotonic()
    if (left.length === 0 || rest <= 0 || hurry?.aborted) return left
    await clock.sleep(Math.min(pollMs, rest), hurry).catch(() => undefined)
  }
}
