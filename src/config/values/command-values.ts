import { raceAbort } from '../../model/abort.ts'
import { canonicalize } from '../../model/canonical.ts'
import type { Env, Platform, RunResult } from '../../platform/platform.ts'
import { splitCommand } from '../../model/split-command.ts'

/** D-9: how long a `!command` may take and how much it may say. */
export interface CommandLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

export const commandLimits: CommandLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 }

/** What commands have answered. Whoever holds it decides how long an answer counts. */
export class CommandCache {
  readonly #runs = new Map<string, Running>()

  /**
   * One run per command, however many ask at once. Whoever is cancelled leaves the others waiting; when the last one left,
   * the run is stopped. A failure is not remembered.
   */
  async once(
    key: string,
    run: (signal: AbortSignal) => Promise<RunResult>,
    signal?: AbortSignal,
  ): Promise<RunResult> {
    if (signal?.aborted) return cancelled
    const running = this.#runs.get(key) ?? this.#start(key, run)
    running.waiting++
    const result = await unlessAborted(running.answer, signal)
    running.waiting--
    if (running.waiting === 0 && !running.ended) {
      this.#forget(key, running)
      running.stop.abort()
    }
    return result
  }

  #start(key: string, run: (signal: AbortSignal) => Promise<RunResult>): Running {
    const stop = new AbortController()
    const running: Running = { answer: run(stop.signal), stop, waiting: 0, ended: false }
    this.#runs.set(key, running)
    const end = (isKept: boolean) => {
      running.ended = true
      if (!isKept) this.#forget(key, running)
    }
    running.answer.then(
      ({ kind }) => end(kind === 'done'),
      () => end(false),
    )
    return running
  }

  #forget(key: string, running: Running): void {
    if (this.#runs.get(key) === running) this.#runs.delete(key)
  }
}

interface Running {
  readonly answer: Promise<RunResult>
  readonly stop: AbortController
  waiting: number
  ended: boolean
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

/** T07: the output of a command; its words run as they are, or the line in the person's shell. */
export async function commandOutput(
  line: string,
  how: 'argv' | 'shell',
  { platform, cwd, env, limits, cache, signal }: CommandRun,
): Promise<{ readonly text: string } | { readonly why: string }> {
  const command = how === 'shell' ? line : splitCommand(line)
  const key = canonicalize([how, line, cwd, env])
  const run = (stop: AbortSignal) => platform.run(command, { cwd, env, ...limits, signal: stop })
  const result = await cache.once(key, run, signal)
  if (result.kind === 'failed') return { why: result.message }
  // O12: omp trims; elsewhere only the newline that ends a line is no part of the value.
  const text = how === 'shell' ? result.stdout.trim() : result.stdout.replace(/\r?\n$/, '')
  return text === '' ? { why: 'it printed nothing' } : { text }
}
