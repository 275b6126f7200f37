import { raceAbort } from '../../model/abort.ts'
import { canonicalize } from '../../model/canonical.ts'
import type { Env, Platform, RunResult } from '../../platform/platform.ts'
import { splitCommand } from '../../model/text/split-command.ts'

/** D-9: limits on the run time and the output of a `!command`. */
export interface CommandLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

export const commandLimits: CommandLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 }

/** Output of `!command` values. An answer stays valid for as long as the cache object is kept. */
export class CommandCache {
  readonly #runs = new Map<string, SharedRun>()

  /**
   * Runs a command once for all concurrent callers and remembers its answer. A caller that aborts leaves the others
   * waiting; when the last caller aborts, the run is stopped. Failures are not remembered.
   */
  async once(
    key: string,
    run: (signal: AbortSignal) => Promise<RunResult>,
    signal?: AbortSignal,
  ): Promise<RunResult> {
    if (signal?.aborted) return cancelled
    const shared = this.#runs.get(key) ?? this.#start(key, run)
    shared.callers++
    const result = await unlessAborted(shared.answer, signal)
    shared.callers--
    if (shared.callers === 0 && !shared.hasEnded) {
      this.#forget(key, shared)
      shared.stop.abort()
    }
    return result
  }

  #start(key: string, run: (signal: AbortSignal) => Promise<RunResult>): SharedRun {
    const stop = new AbortController()
    const shared: SharedRun = { answer: run(stop.signal), stop, callers: 0, hasEnded: false }
    this.#runs.set(key, shared)
    const end = (isRemembered: boolean) => {
      shared.hasEnded = true
      if (!isRemembered) this.#forget(key, shared)
    }
    shared.answer.then(
      ({ kind }) => end(kind === 'done'),
      () => end(false),
    )
    return shared
  }

  #forget(key: string, shared: SharedRun): void {
    if (this.#runs.get(key) === shared) this.#runs.delete(key)
  }
}

/** One run of a command and the number of callers that wait for it. */
interface SharedRun {
  readonly answer: Promise<RunResult>
  readonly stop: AbortController
  callers: number
  hasEnded: boolean
}

const cancelled: RunResult = { kind: 'failed', reason: 'cancelled', message: 'cancelled' }

function unlessAborted(answer: Promise<RunResult>, signal?: AbortSignal): Promise<RunResult> {
  return raceAbort(answer, signal).catch((error: unknown) => {
    if (signal?.aborted) return cancelled
    throw error
  })
}

interface CommandRun {
  readonly platform: Pick<Platform, 'run'>
  readonly cwd: string
  readonly env: Env
  readonly limits: CommandLimits
  readonly cache: CommandCache
  readonly signal?: AbortSignal | undefined
}

/** T07: the output of a command, run either as an argument list without a shell or as a line in the user's shell. */
export async function commandOutput(
  line: string | readonly string[],
  how: 'argv' | 'shell',
  { platform, cwd, env, limits, cache, signal }: CommandRun,
): Promise<{ readonly text: string } | { readonly why: string }> {
  const command = typeof line === 'string' && how === 'argv' ? splitCommand(line) : line
  const key = canonicalize([how, line, cwd, env])
  const run = (stop: AbortSignal) => platform.run(command, { cwd, env, ...limits, signal: stop })
  const result = await cache.once(key, run, signal)
  if (result.kind === 'failed') return { why: result.message }
  // O12: omp trims the output; everywhere else only one trailing newline is removed.
  const text = how === 'shell' ? result.stdout.trim() : result.stdout.replace(/\r?\n$/, '')
  return text === '' ? { why: 'it printed nothing' } : { text }
}
