import type { Exit } from '../../model/exit.ts'
import type { Child, Clock, Descendant, Processes } from '../../platform/platform.ts'

/** How long a server may take after its input has ended, and after SIGTERM. */
export interface StopStyle {
  /** 0: SIGTERM at once. */
  readonly eofGraceMs: number
  readonly termGraceMs: number
}

export const defaultStop: StopStyle = { eofGraceMs: 2000, termGraceMs: 3000 }

export interface Stopped {
  /** Not known of a program that not even SIGKILL ended. */
  readonly exit?: Exit
  /** Who still runs in spite of everything. */
  readonly left: readonly number[]
}

const killGraceMs = 1000

export function createStopping(child: Child, { clock, processes, style }: Omit<Stop, 'hurry'>) {
  let hurry: AbortController | undefined
  let asked = 0
  let stopped: Promise<Stopped> | undefined
  const begin = () => {
    hurry ??= new AbortController()
    return (stopped ??= stop(child, { clock, processes, style, hurry: hurry.signal }))
  }
  return {
    begin,
    ask() {
      asked += 1
      if (asked > 1) hurry?.abort()
      return begin()
    },
  }
}

interface Stop {
  readonly clock: Clock
  readonly processes: Processes
  readonly style: StopStyle
  readonly hurry: AbortSignal
}

async function stop(child: Child, { clock, processes, style, hurry }: Stop): Promise<Stopped> {
  const family = createFamily(child.pid, processes)
  let exit: Exit | undefined
  const gone = child.exited.then((how) => (exit = how))
  const signal = async (name: 'SIGTERM' | 'SIGKILL') => {
    await family.look()
    child.kill(name)
    await family.signalStrays(name)
  }
  const wait = async (ms: number, until?: AbortSignal) => {
    const end = clock.monotonic() + ms
    await withinMs(ms, gone, clock, until)
    if (!exit) return [child.pid]
    return waitUntilGone(family, { clock, ms: end - clock.monotonic(), ...(until && { hurry: until }) })
  }

  await family.look()
  if (style.eofGraceMs > 0) child.io.end()
  await withinMs(style.eofGraceMs, gone, clock, hurry)
  let left = exit ? await family.left() : [child.pid]
  if (left.length > 0 && !hurry.aborted) {
    await signal('SIGTERM')
    left = await wait(style.termGraceMs, hurry)
  }
  if (left.length > 0) {
    await signal('SIGKILL')
    left = await wait(killGraceMs)
  }
  // What it said last is still read: its pipes are let go soon after its exit in any case.
  if (exit) await child.drained
  else child.release()
  return { ...(exit && { exit }), left }
}

/** What a promise gives, if it does so in time and nobody is in a hurry. */
export function withinMs<T>(
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

/** A started group, and what its members started outside of it: a program may leave its group, but not its ancestors. */
interface Family {
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
