import { canonicalize } from '../model/canonical.ts'
import type { Env, Platform, RunResult } from '../platform/platform.ts'
import { splitCommand } from '../model/split-command.ts'

/** D-9: how long a `!command` may take and how much it may say. */
export interface CommandLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

export const commandLimits: CommandLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 }

/** What commands have answered. Whoever holds it decides how long an answer counts. */
export class CommandCache {
  readonly #answers = new Map<string, Promise<RunResult>>()

  /** One run per command, however many ask at once. A failure is not remembered. */
  async once(key: string, run: () => Promise<RunResult>): Promise<RunResult> {
    const known = this.#answers.get(key)
    if (known) return known
    const answer = run()
    this.#answers.set(key, answer)
    const forget = () => this.#answers.delete(key)
    const result = await answer.catch((error: unknown) => {
      forget()
      throw error
    })
    if (result.kind === 'failed') forget()
    return result
  }
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
  const result = await cache.once(key, () =>
    platform.run(command, { cwd, env, ...limits, ...(signal && { signal }) }),
  )
  if (result.kind === 'failed') return { why: result.message }
  // O12: omp trims; elsewhere only the newline that ends a line is no part of the value.
  const text = how === 'shell' ? result.stdout.trim() : result.stdout.replace(/\r?\n$/, '')
  return text === '' ? { why: 'it printed nothing' } : { text }
}
