import { resolve } from 'node:path'
import { HostError, createHost } from '../../index.ts'
import type { Approve, CallOptions, Host, HostOptions, Json } from '../../index.ts'
import { askApproval } from '../terminal/approval.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { answersOf, isInteractive, outputOf, promptsOf } from './command-context.ts'
import type { Cli, CommonFlags, WaitFlags } from './command-context.ts'
import { discoverOptions } from './discover-servers.ts'
import { EarlyExit } from './errors.ts'
import { createWaitLine } from './output/waiting.ts'
import type { WaitLine } from './output/waiting.ts'

export interface HostContext {
  readonly host: Host
  readonly output: Output
  readonly waitLine: WaitLine
  readonly signal: AbortSignal
  /** The shell's conversation, if the command runs in a shell. */
  readonly conversation?: string
  /** Milliseconds left of `--timeout`; `undefined` without one. */
  remainingMs(this: void): number | undefined
}

/** Remaining time once the timeout has passed: 0 would mean no limit. */
const minimumMs = 1

/** Operations report their own timeout; one that does not is ended this much later. */
const graceMs = 1000

/**
 * Runs a command with a host. The host connects only to the servers that the command needs, shows what it waits for, and is
 * closed with everything it started, however the command ends.
 */
export function withHost<T>(
  cli: Cli,
  flags: WaitFlags,
  work: (context: HostContext) => Promise<T>,
  // Checking stdin for a terminal takes time, so only commands that may ask do it.
  { mayAsk = false }: { readonly mayAsk?: boolean } = {},
): Promise<T> {
  const canAsk = mayAsk && isInteractive(cli)
  const { timeout } = flags
  // The first use of the clock costs a short command a millisecond.
  const began = timeout === undefined ? 0 : performance.now()
  const remainingMs = () =>
    timeout === undefined ? undefined : Math.max(minimumMs, Math.ceil(timeout - (performance.now() - began)))
  // No limit while questions may be asked: answering takes time.
  const limit = canAsk ? {} : { timeoutMs: timeout, graceMs }
  return cli.signals.guard(async ({ signal, closeOnEnd }) => {
    const output = outputOf(cli, flags)
    const waitLine = createWaitLine(output)
    const { live } = cli
    const host =
      live?.host ??
      (await createHost({
        ...hostOptions(flags),
        on: waitLine.onEvent,
        ...(canAsk && { approve: createApprove(cli, { output, waitLine }) }),
      }))
    const listening = live?.listen(waitLine)
    if (!live) closeOnEnd(host)
    signal.addEventListener('abort', () => waitLine.stop(), { once: true })
    try {
      const conversation = live && { conversation: live.conversation }
      const result = await work({ host, output, waitLine, signal, remainingMs, ...conversation })
      await output.flush()
      return result
    } catch (error) {
      throw withoutSecrets(error, host)
    } finally {
      waitLine.stop()
      listening?.[Symbol.dispose]()
    }
  }, limit)
}

/** Approval for a single command. The shell asks in its own way, with answers for the whole conversation. */
function createApprove(
  cli: Cli,
  { output, waitLine }: { readonly output: Output; readonly waitLine: WaitLine },
): Approve {
  return async (question) => {
    waitLine.show('')
    const answer = await askApproval(question, { prompts: promptsOf(cli), show: (text) => output.show(text) })
    if (answer.cancelled) throw new EarlyExit('cancelled', 'Cancelled.')
    return answer.value
  }
}

function hostOptions(flags: WaitFlags): HostOptions {
  return {
    ...discoverOptions(flags),
    cwd: resolve(flags.cwd ?? '.'),
    lifecycle: 'on-demand',
    ...(flags.timeout !== undefined && { startupMs: flags.timeout }),
    ...answersOf(flags),
  }
}

/** The remaining time is an absolute limit: progress does not extend it. */
export function callOptions({
  signal,
  remainingMs,
}: Pick<HostContext, 'signal' | 'remainingMs'>): CallOptions {
  const timeoutMs = remainingMs()
  return { signal, ...(timeoutMs !== undefined && { timeoutMs, maxTimeoutMs: timeoutMs }) }
}

/** Throws once the time is up: a lookup that was cut short cannot report that something does not exist. */
export function throwIfTimedOut(
  { remainingMs }: Pick<HostContext, 'remainingMs'>,
  { timeout = 0 }: WaitFlags,
): void {
  if (remainingMs() === minimumMs) throw new EarlyExit('timeout', `Timed out after ${timeout} ms.`)
}

/** Resolves the name of a server in force here, within the scope; throws if there is none. */
export async function checkName({ discovery }: Host, { scope }: CommonFlags, name: string): Promise<string> {
  const { findInScope } = await import('./find-server.ts')
  return findInScope(discovery, scope, name).name
}

/** Hides secrets in an answer: a server may send back the secrets it was given (D-9). */
export function redactJson(value: Json, host: Pick<Host, 'redact'>): Json {
  if (typeof value === 'string') return host.redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, host))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactJson(item, host)]))
}

export function withoutSecrets(error: unknown, host: Pick<Host, 'redact'>): unknown {
  if (!(error instanceof HostError)) return error
  const { code, message, hint, data }: HostError = error
  const clean = redactJson(data as unknown as Json, host) as unknown as typeof data // the data of errors is plain JSON
  return new HostError(code, clean, host.redact(message), {
    cause: error,
    ...(hint !== undefined && { hint: host.redact(hint) }),
  })
}
