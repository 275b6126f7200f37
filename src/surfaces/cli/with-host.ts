import { HostError, createHost } from '../../index.ts'
import type { Approve, CallOptions, Diagnostic, Host, HostOptions, Json } from '../../index.ts'
import { askApproval } from '../terminal/approval.ts'
import type { JsonForm } from '../terminal/json-document.ts'
import type { Output } from '../terminal/terminal-output.ts'
import type { FileRule } from './broken-files.ts'
import { answersOf, isInteractive, outputOf, promptsOf, folderOf } from './command-context.ts'
import type { Cli, CommonFlags, GivenServerFlags, WaitFlags } from './command-context.ts'
import { discoverOptions, isBrokenFile, problemsInScope } from './discover-servers.ts'
import { EarlyExit } from './errors.ts'
import { maskedOutput } from './output/masked-output.ts'
import { createWaitLine } from './output/waiting.ts'
import type { WaitLine } from './output/waiting.ts'

export interface HostContext {
  readonly host: Host
  readonly output: Output
  readonly waitLine: WaitLine
  readonly signal: AbortSignal
  /** The name of the server that `--stdio` or `--url` names. */
  readonly given?: string
  /** The shell's conversation, if the command runs in a shell. */
  readonly conversation?: string
  /** Milliseconds left of `--timeout`; `undefined` without one. */
  remainingMs(this: void): number | undefined
}

/** Remaining time once the timeout has passed: 0 would mean no limit. */
const minimumMs = 1

/**
 * Operations report their own timeout; one that does not is ended this much later. On a busy machine what is there at the
 * timeout takes a second to be shown.
 */
const graceMs = 3000

interface HostRules {
  /** Whether the command may ask a person. Checking stdin for a terminal takes time, so only some commands do it. */
  readonly mayAsk?: boolean
  /** Whether a config file that cannot be used makes the command fail. */
  readonly brokenFiles?: FileRule
  /** Options of the host besides those of the flags. */
  readonly options?: (parts: Pick<HostContext, 'output' | 'waitLine'>) => Promise<Partial<HostOptions>>
  readonly form?: JsonForm
  /** Uses a host of its own even in a shell, because it needs other options than the shell's. */
  readonly isOwn?: boolean
}

/**
 * Runs a command with a host. The host connects only to the servers that the command needs, shows what it waits for, and is
 * closed with everything it started, however the command ends.
 */
export function withHost<T>(
  cli: Cli,
  flags: WaitFlags & GivenServerFlags,
  work: (context: HostContext) => Promise<T>,
  { mayAsk = false, brokenFiles = 'warn', options, form = 'document', isOwn = false }: HostRules = {},
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
    const plainOutput = outputOf(cli, flags, { form, given: flags })
    const waitLine = createWaitLine(plainOutput)
    const given = namesServer(flags)
      ? await (await import('./given-server.ts')).readGiven(cli, flags)
      : undefined
    const live = given || isOwn ? undefined : cli.live
    const host =
      live?.host ??
      (await createHost({
        scanResults: true,
        ...hostOptions(cli, flags),
        ...given?.options,
        ...(await options?.({ output: plainOutput, waitLine })),
        on: waitLine.onEvent,
        ...(canAsk && { approve: createApprove(cli, { output: plainOutput, waitLine }) }),
      }))
    const listening = live?.listen(waitLine)
    if (!live) closeOnEnd(host)
    signal.addEventListener('abort', () => waitLine.stop(), { once: true })
    try {
      const broken = findBrokenFiles(host, cli, flags)
      const files = broken.length === 0 ? undefined : await import('./broken-files.ts')
      files?.reportBrokenFiles(cli, broken, plainOutput, brokenFiles)
      // In a stream they would be repeated with each line.
      const whole = (form === 'document' && files?.withFileDiagnostics(plainOutput, broken)) || plainOutput
      const output = maskedOutput(whole, host)
      const conversation = live && { conversation: live.conversation }
      const named = given && { given: given.name }
      const result = await work({ host, output, waitLine, signal, remainingMs, ...conversation, ...named })
      await given?.keep(host, plainOutput)
      if (brokenFiles === 'fail') files?.exitIfFilesBroken(cli, broken)
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

/** Whether a flag of a server without a config is used. */
function namesServer({ stdio, url, keep, env, header }: GivenServerFlags): boolean {
  return [stdio, url, keep, env?.[0], header?.[0]].some((value) => value !== undefined)
}

/** The broken files in the scope of the command. Nearly always there are none, and nothing else is computed. */
function findBrokenFiles({ discovery }: Host, cli: Cli, flags: CommonFlags): readonly Diagnostic[] {
  if (!discovery.diagnostics.some(isBrokenFile)) return []
  return problemsInScope(discovery, cli, flags).filter(isBrokenFile)
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

function hostOptions(cli: Cli, flags: WaitFlags): HostOptions {
  return {
    ...discoverOptions(cli, flags),
    cwd: folderOf(cli, flags),
    lifecycle: 'on-demand',
    audit: { surface: 'cli' },
    accept: 'person',
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

/** Aborted with the command, and some time after `--timeout`, if a server has not reported its own timeout by then. */
export function deadlineOf({
  signal,
  remainingMs,
}: Pick<HostContext, 'signal' | 'remainingMs'>): AbortSignal {
  const timeoutMs = remainingMs()
  return timeoutMs === undefined
    ? signal
    : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + graceMs / 2)])
}

export function isTimedOut({ remainingMs }: Pick<HostContext, 'remainingMs'>): boolean {
  return remainingMs() === minimumMs
}

/** Throws once the time is up: a lookup that was cut short cannot report that something does not exist. */
export function throwIfTimedOut(
  { remainingMs }: Pick<HostContext, 'remainingMs'>,
  { timeout = 0 }: WaitFlags,
): void {
  if (isTimedOut({ remainingMs })) throw new EarlyExit('timeout', `Timed out after ${timeout} ms.`)
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
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [host.redact(key), redactJson(item, host)]),
  )
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
