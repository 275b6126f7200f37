import type { Exit } from '../../model/exit.ts'
import type { Child, Clock, Processes } from '../../platform/platform.ts'
import { createFamily, waitUntilGone } from './process-family.ts'

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
