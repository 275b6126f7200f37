import { EventEmitter } from 'node:events'
import { commands, createApp } from '../app.ts'
import { propose } from '../arguments/complete-words.ts'
import { folderOf, givenPlatform, isInteractive } from '../command-context.ts'
import type { Cli, CliProcess, CommonFlags, LiveShell } from '../command-context.ts'
import type { Diagnostic } from '../../../index.ts'
import { discoverOptions, exitForFiles } from '../discover-servers.ts'
import { drawFault, faultOf, usage } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { runLine } from '../run-command-line.ts'
import { watchSignals } from '../signals.ts'

/** Opens a shell with one live host, for a terminal or for piped lines. */
export async function shell(cli: Cli, flags: CommonFlags): Promise<void> {
  if (flags.json) throw usage('The shell prints text.', 'Add --json to a command in the shell: tools --json')
  const { openShell } = await import('../../shell/open-shell.ts')
  const { process, signals } = cli
  await signals.guard(async ({ signal, closeOnEnd }) => {
    const code = await openShell({
      streams: process,
      discover: { ...discoverOptions(cli, flags), cwd: folderOf(cli, flags) },
      isQuiet: flags.quiet ?? false,
      isInteractive: isInteractive(cli),
      signal,
      closeOnEnd,
      createRunner: (session) => createRunner(cli, flags, session),
    })
    // A signal sets its own exit code.
    if (!signal.aborted) process.exitCode = code
  })
}

/** What the shell provides to its commands. */
interface RunnerSession extends Omit<LiveShell, 'flags'> {
  /** Separate streams for each command. */
  readonly streams: () => Pick<CliProcess, 'stdin' | 'stdout' | 'stderr'>
}

interface Runner {
  /** Every command with its brief description. */
  readonly commands: ReadonlyMap<string, string>
  /** Runs one command and returns its exit code. */
  run(words: readonly string[]): Promise<number>
  /** Ends the running command, as Ctrl-C does. */
  cancel(): void
  /** Proposals for the last word. */
  complete(words: readonly string[]): Promise<readonly string[]>
  /** A failure in the format of the commands. */
  drawFailure(error: unknown): string
  /** The exit code of a line that depends on files with these problems. */
  codeForFiles(diagnostics: readonly Diagnostic[]): number
}

declare const __VERSION__: string

/** Runs lines as the command line would, but with the shell's host instead of a new one per command. */
export function createRunner(outer: Cli, flags: CommonFlags, session: RunnerSession): Runner {
  let signalEmitter = new EventEmitter()
  const { json: _json, quiet: _quiet, scope: _scope, ...origin } = flags
  const live: LiveShell = { ...session, flags: origin }
  const open = (): Cli => {
    signalEmitter = new EventEmitter()
    const process = narrowProcess(outer.process, session, signalEmitter)
    return { process, signals: watchSignals(process), live, ...givenPlatform(outer) }
  }
  return {
    commands: new Map(Object.entries(commands).map(([name, { brief }]) => [name, brief])),
    async run(words) {
      const cli = open()
      await runLine(words, cli, __VERSION__)
      return Number(cli.process.exitCode ?? 0)
    },
    cancel: () => void signalEmitter.emit('SIGINT', 'SIGINT'),
    // Completion runs no command, so its guard is never used.
    complete: (words) => propose(createApp(__VERSION__), words, { ...outer, signals: { guard }, live }),
    drawFailure: (error) => drawFault(faultOf(error)),
    codeForFiles: (diagnostics) => exitCodes[exitForFiles(diagnostics) ?? 'ok'].code,
  }
}

const guard = (): Promise<never> => Promise.reject(new Error('Completing runs nothing.'))

/** The process as seen by a command in the shell: Ctrl-C arrives through the shell, and `exit` does not end the process. */
function narrowProcess(
  outer: CliProcess,
  { streams }: RunnerSession,
  signalEmitter: EventEmitter,
): CliProcess {
  return {
    ...streams(),
    env: outer.env,
    argv: outer.argv,
    exitCode: undefined,
    on: signalEmitter.on.bind(signalEmitter),
    off: signalEmitter.off.bind(signalEmitter),
    exit: () => undefined,
  } as unknown as CliProcess // the narrow part of a process that commands use
}
