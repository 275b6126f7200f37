import type { Exit } from '../../model/exit.ts'
import type { Child, Clock, ProcessMark, Processes } from '../../platform/platform.ts'

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
  /** Processes that are still running: not even SIGKILL ended them, or they belong to another user. */
  readonly left: readonly ProcessMark[]
  /** Processes that may have been started by the program and removed the tag: they are named, never signaled. */
  readonly suspects?: readonly ProcessMark[]
}

const killGraceMs = 1000
/** A process that is started again by another one may need more than one look. */
const mostKills = 5

export function createStopper(child: Child, context: Omit<StopContext, 'hurry'>) {
  let hurry: AbortController | undefined
  let calls = 0
  let stopped: Promise<StopResult> | undefined
  const start = (how: StopStyle = context.style) => {
    hurry ??= new AbortController()
    return (stopped ??= stopProcess(child, { ...context, style: how, hurry: hurry.signal }))
  }
  return {
    start: () => start(),
    /** `unused`: the server never answered, so it has nothing to finish and gets no time after the end of its input. */
    stop(use: 'used' | 'unused' = 'used') {
      calls += 1
      if (calls > 1) hurry?.abort()
      return start(use === 'used' ? context.style : { ...context.style, eofGraceMs: 0 })
    },
  }
}

interface StopContext {
  readonly clock: Clock
  readonly processes: Processes
  readonly style: StopStyle
  /** Empty where the environment of processes cannot be read. */
  readonly tag: string
  readonly onLeft?: ((result: StopResult) => void) | undefined
  readonly hurry: AbortSignal
}

async function stopProcess(
  child: Child,
  { clock, processes, style, tag, onLeft, hurry }: StopContext,
): Promise<StopResult> {
  const family = createFamily(child, processes, { tag })
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
    if (exit)
      await waitUntilGone(family, { clock, ms: end - clock.monotonic(), ...(until && { hurry: until }) })
    return left()
  }
  /** Includes what has left the group: it is looked for once the program itself has ended. */
  const left = async () => {
    if (!exit) return [{ pid: child.pid, startMark: child.startMark }]
    await family.recordEscaped()
    return family.left()
  }

  await family.recordDescendants()
  if (style.eofGraceMs > 0) child.io.end()
  await raceTimeout(style.eofGraceMs, exited, clock, hurry)
  let running = await left()
  if (running.length > 0 && !hurry.aborted) {
    await signal('SIGTERM')
    running = await wait(style.termGraceMs, hurry)
  }
  for (let kills = 0; running.length > 0 && kills < mostKills; kills++) {
    const before = new Set(running.map(({ pid }) => pid))
    await signal('SIGKILL')
    running = await wait(killGraceMs)
    if (running.every(({ pid }) => before.has(pid))) break
  }
  const suspects = family.suspects()
  const result: StopResult = {
    ...(exit && { exit }),
    left: running,
    ...(suspects.length > 0 && { suspects }),
  }
  if (running.length + suspects.length > 0) onLeft?.(result)
  // Reads the last output; the pipes are released soon after the exit in any case.
  if (exit) await child.drained
  else child.release()
  return result
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
 * A process group and the processes that its members started outside of it. A process may leave its group and lose its
 * parents, but it keeps the tag in its environment unless it removes it.
 */
interface ProcessFamily {
  /** Records the current descendants: once a parent has exited, its children can no longer be found (FI-23). */
  recordDescendants(): Promise<void>
  /** Records processes with the tag that have lost their parents, and their descendants (FI-90). */
  recordEscaped(): Promise<void>
  /** Orphans without any environment that were started after the program, as of the last look. */
  suspects(): readonly ProcessMark[]
  /** Signals all recorded processes outside the group. */
  signalStrays(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** What is still running: the group, and strays. */
  left(): Promise<readonly ProcessMark[]>
}

interface FamilyOptions {
  readonly tag?: string
  /** `false`: the group has no leader any more, so its id may belong to another one. */
  readonly hasGroup?: boolean
  /** Processes outside the group that are known to belong to it. */
  readonly strays?: readonly ProcessMark[]
}

export function createFamily(
  { pid, startMark }: ProcessMark,
  processes: Processes,
  { tag = '', hasGroup = true, strays: known = [] }: FamilyOptions = {},
): ProcessFamily {
  const strays = new Map(known.map((stray) => [keyOf(stray), stray]))
  const livingStrays = async () => {
    for (const [key, stray] of strays) {
      if ((await processes.startMarkOf(stray.pid)) !== stray.startMark) strays.delete(key)
    }
    return [...strays.values()]
  }
  let suspects: readonly ProcessMark[] = []
  const recordDescendants = async () => {
    for (const parent of [...(hasGroup ? [pid] : []), ...[...strays.values()].map((stray) => stray.pid)]) {
      for (const descendant of await processes.descendants(parent)) {
        if (!hasGroup || descendant.group !== pid) strays.set(keyOf(descendant), descendant)
      }
    }
  }
  return {
    recordDescendants,
    async recordEscaped() {
      const orphans = tag === '' ? [] : await processes.tagged('orphans')
      suspects = orphans.filter((each) => each.tags.length === 0 && isLater(each.startMark, startMark))
      const ours = orphans.filter(({ group, tags }) => group !== pid && tags.includes(tag))
      for (const each of ours) strays.set(keyOf(each), each)
      if (ours.length > 0) await recordDescendants()
    },
    suspects: () =>
      suspects
        .filter((each) => !strays.has(keyOf(each)))
        .map((each) => ({ pid: each.pid, startMark: each.startMark })),
    async signalStrays(signal) {
      for (const stray of strays.values()) await processes.kill(stray, signal)
    },
    async left() {
      const group = hasGroup && (await processes.isGroupAlive(pid)) ? [{ pid, startMark }] : []
      const outside = (await livingStrays()).map((stray) => ({ pid: stray.pid, startMark: stray.startMark }))
      return [...group, ...outside]
    },
  }
}

/** A start mark begins with the time since boot in ticks. */
function isLater(startMark: string, than: string): boolean {
  return Number.parseInt(startMark, 10) >= Number.parseInt(than, 10)
}

function keyOf({ pid, startMark }: ProcessMark): string {
  return `${pid} ${startMark}`
}

/** The exit of these processes is not signaled, so it is polled. */
const pollMs = 50

/** Waits until none is left, at most `ms`. Returns what is left. */
export async function waitUntilGone(
  family: ProcessFamily,
  { clock, ms, hurry }: { readonly clock: Clock; readonly ms: number; readonly hurry?: AbortSignal },
): Promise<readonly ProcessMark[]> {
  const end = clock.monotonic() + ms
  for (;;) {
    const left = await family.left()
    const rest = end - clock.monotonic()
    if (left.length === 0 || rest <= 0 || hurry?.aborted) return left
    await clock.sleep(Math.min(pollMs, rest), hurry).catch(() => undefined)
  }
}
