import { EventEmitter } from 'node:events'
import { commands, createApp } from '../app.ts'
import { propose } from '../arguments/complete-words.ts'
import { isInteractive } from '../command-context.ts'
import type { Cli, CliProcess, CommonFlags, LiveShell } from '../command-context.ts'
import { discoverOptions } from '../discover-servers.ts'
import { drawFault, faultOf } from '../errors.ts'
import { runLine } from '../run-command-line.ts'
import { watchSignals } from '../signals.ts'

/** A shell with one live host: lines of a terminal, or of a pipe. */
export async function shell(cli: Cli, flags: CommonFlags): Promise<void> {
  const { openShell } = await import('../../shell/open-shell.ts')
  const { process, signals } = cli
  await signals.guard(async ({ signal, closeOnEnd }) => {
    const code = await openShell({
      streams: process,
      discover: discoverOptions(flags),
      isQuiet: flags.quiet ?? false,
      isInteractive: isInteractive(cli),
      signal,
      closeOnEnd,
      createRunner: (session) => createRunner(process, flags, session),
    })
    // What ended it from outside has a code of its own.
    if (!signal.aborted) process.exitCode = code
  })
}

/** What a shell brings along for its commands. */
interface RunnerSession extends Omit<LiveShell, 'flags'> {
  /** Streams for one command alone. */
  readonly streams: () => Pick<CliProcess, 'stdin' | 'stdout' | 'stderr'>
}

interface Runner {
  /** Every command, and what it is for. */
  readonly commands: ReadonlyMap<string, string>
  /** Runs one command, and returns its exit code. */
  run(words: readonly string[]): Promise<number>
  /** Ends the command that runs, as Ctrl-C does. */
  cancel(): void
  /** What could stand for the last word. */
  complete(words: readonly string[]): Promise<readonly string[]>
  /** A failure as commands tell one. */
  drawFailure(error: unknown): string
}

declare const __VERSION__: string

/** Runs the lines of a shell as the command line would, with the shell's host in place of one for each. */
function createRunner(outer: CliProcess, flags: CommonFlags, session: RunnerSession): Runner {
  let signalEmitter = new EventEmitter()
  const { json: _json, quiet: _quiet, scope: _scope, ...origin } = flags
  const live: LiveShell = { ...session, flags: origin }
  const open = (): Cli => {
    signalEmitter = new EventEmitter()
    const process = narrowProcess(outer, session, signalEmitter)
    return { process, signals: watchSignals(process), live }
  }
  return {
    commands: new Map(Object.entries(commands).map(([name, { brief }]) => [name, brief])),
    async run(words) {
      const cli = open()
      await runLine(words, cli, __VERSION__)
      return Number(cli.process.exitCode ?? 0)
    },
    cancel: () => void signalEmitter.emit('SIGINT', 'SIGINT'),
    // Nothing is run for that, so nothing of it can be cancelled.
    complete: (words) => propose(createApp(__VERSION__), words, { process: outer, signals: { guard }, live }),
    drawFailure: (error) => drawFault(faultOf(error)),
  }
}

const guard = (): Promise<never> => Promise.reject(new Error('Completing runs nothing.'))

/** A command of the shell hears of Ctrl-C through the shell, and never ends the process. */
function narrowProcess(
  outer: CliProcess,
  { streams }: RunnerSession,
  signalEmitter: EventEmitter,
): CliProcess {
  return {
    ...streams(),
    env: outer.env,
    exitCode: undefined,
    on: signalEmitter.on.bind(signalEmitter),
    off: signalEmitter.off.bind(signalEmitter),
    exit: () => undefined,
  } as unknown as CliProcess // the narrow part of a process that commands use
}
