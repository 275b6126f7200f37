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
  /** The one that the shell's calls belong to. */
  readonly conversation?: string
  /** What is left of the time a person gave, in milliseconds; absent where they gave none. */
  remainingMs(this: void): number | undefined
}

/** Of a time that is up: none at all would be for ever. */
const minimumMs = 1

/** What was waited for says itself that its time is up; what says nothing is ended so much later. */
const graceMs = 1000

/**
 * A host for one command: it connects to nothing but what is asked of it, shows what is waited for, and is closed with
 * everything it started, whatever ends the command.
 */
export function withHost<T>(
  cli: Cli,
  flags: WaitFlags,
  work: (context: HostContext) => Promise<T>,
  // To look at stdin takes a while; only some commands may have to ask.
  { mayAsk = false }: { readonly mayAsk?: boolean } = {},
): Promise<T> {
  const canAsk = mayAsk && isInteractive(cli)
  const { timeout } = flags
  // Asked without need, the clock costs a short command a millisecond.
  const began = timeout === undefined ? 0 : performance.now()
  const remainingMs = () =>
    timeout === undefined ? undefined : Math.max(minimumMs, Math.ceil(timeout - (performance.now() - began)))
  // A person who is asked takes their time.
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

/** A command is no conversation: the shell, which is one, asks in its own way. */
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

/** What is left of the longest wait counts, whether there is progress or not. */
export function callOptions({
  signal,
  remainingMs,
}: Pick<HostContext, 'signal' | 'remainingMs'>): CallOptions {
  const timeoutMs = remainingMs()
  return { signal, ...(timeoutMs !== undefined && { timeoutMs, maxTimeoutMs: timeoutMs }) }
}

/** Who had no time to look may not say that something is not there. */
export function throwIfTimedOut(
  { remainingMs }: Pick<HostContext, 'remainingMs'>,
  { timeout = 0 }: WaitFlags,
): void {
  if (remainingMs() === minimumMs) throw new EarlyExit('timeout', `Timed out after ${timeout} ms.`)
}

/** The name of a server that is in force here, of the wanted scope. */
export async function checkName({ discovery }: Host, { scope }: CommonFlags, name: string): Promise<string> {
  const { findInScope } = await import('./find-server.ts')
  return findInScope(discovery, scope, name).name
}

/** What a server answers may hold the very secrets it was given (D-9). */
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
