import type { CliProcess } from './command-context.ts'
import { EarlyExit, drawFault, faultOf } from './errors.ts'
import { exitCodes } from './exit-codes.ts'

const endings = {
  SIGINT: { exit: 'cancelled', message: 'Cancelled.' },
  SIGTERM: { exit: 'terminated', message: 'Ended by SIGTERM.' },
  SIGHUP: { exit: 'hungUp', message: 'Ended by SIGHUP.' },
} as const
const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A resource to close before the process ends. A second `close` hurries it. */
interface Closable {
  close(): Promise<void>
}

export interface Guard {
  /** Aborted by the first signal, timeout or uncaught error. */
  readonly signal: AbortSignal
  /** Closes the resource, and waits for it, however the work ends. */
  closeOnEnd(this: void, thing: Closable): void
}

interface GuardOptions {
  readonly timeoutMs?: number | undefined
  /** Extra time after the timeout, in which the work may report the timeout itself. */
  readonly graceMs?: number
}

export interface Signals {
  /**
   * Runs work that signals can end cleanly (FI-25): the first signal closes open resources, the second hurries them, the
   * third exits at once. Then throws the `EarlyExit` that determines the exit code.
   */
  guard<T>(work: (guard: Guard) => Promise<T>, options?: GuardOptions): Promise<T>
}

/** Delivers signals and uncaught exceptions to the command that runs. */
export function watchSignals(process: CliProcess): Signals {
  let onFault = (error: unknown): void => {
    process.stderr.write(`${drawFault(faultOf(error))}\n`)
    process.exit(exitCodes.internal.code)
  }
  process.on('uncaughtException', (error) => onFault(error))
  return {
    async guard(work, { timeoutMs, graceMs = 0 } = {}) {
      const before = onFault
      const guarded = openGuard()
      const onSignal = (name: NodeJS.Signals): void => {
        if (name !== 'SIGINT' && name !== 'SIGTERM' && name !== 'SIGHUP') return
        const { exit, message } = endings[name]
        if (guarded.count() > 1) process.exit(exitCodes[exit].code)
        guarded.end(new EarlyExit(exit, message))
      }
      onFault = (error) => guarded.end(new EarlyExit('internal', faultOf(error).message))
      for (const name of names) process.on(name, onSignal)
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(
              () => guarded.end(new EarlyExit('timeout', `Timed out after ${timeoutMs} ms.`)),
              timeoutMs + graceMs,
            )
      try {
        // The timeout is for the work: closing what it opened has limits of its own.
        return await guarded.run((guard) => work(guard).finally(() => clearTimeout(timer)))
      } finally {
        clearTimeout(timer)
        for (const name of names) process.off(name, onSignal)
        onFault = before
      }
    },
  }
}

function openGuard() {
  const open: Closable[] = []
  const ending = new AbortController()
  let firstReason: EarlyExit | undefined
  let endCount = 0
  let closed: Promise<unknown> | undefined
  const close = () => {
    const all = Promise.allSettled(open.map((thing) => thing.close()))
    closed ??= all
  }
  return {
    count: () => endCount,
    end(reason: EarlyExit): void {
      endCount += 1
      firstReason ??= reason
      close()
      ending.abort(firstReason)
    },
    async run<T>(work: (guard: Guard) => Promise<T>): Promise<T> {
      const closeOnEnd = (thing: Closable): void => {
        open.push(thing)
        if (firstReason) void thing.close()
        ending.signal.throwIfAborted()
      }
      const [outcome] = await Promise.allSettled([
        Promise.race([work({ signal: ending.signal, closeOnEnd }), rejectOnAbort(ending.signal)]),
      ])
      if (!closed) close()
      await closed
      if (firstReason) throw firstReason
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    },
  }
}

/** Ends the wait for work that ignores its abort signal. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as EarlyExit), { once: true }) // always aborted with an EarlyExit
  })
}
